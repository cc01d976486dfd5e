package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"ashlar.sh/test/e2e/faults"
)

// The versions that take turns: this source linked under two names. What the next one will
// write that this one does not know is put into its requests on their way (see foresees).
const (
	thisVersion = "v9.0.0"
	nextVersion = "v10.0.0"
)

// programsAsked says that programs were built.
var programsAsked atomic.Bool

// programs are folders with ashlar, and by its other name vc-scheduler, by version.
var programs = sync.OnceValues(func() (map[string]string, error) {
	programsAsked.Store(true)
	out := map[string]string{}
	dir, err := os.MkdirTemp("", "ashlar-versions-")
	if err != nil {
		return nil, err
	}
	for _, version := range []string{thisVersion, nextVersion} {
		out[version] = filepath.Join(dir, version)
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
			"-s -w -X ashlar.sh/internal/cli.release="+version,
			"-o", filepath.Join(out[version], "ashlar"), "./cmd/ashlar")
		build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build version %s: %w\n%s", version, err, text)
		}
		if err := os.Symlink("ashlar", filepath.Join(out[version], "vc-scheduler")); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// program is the path of a version's program by one of its names.
func program(t *testing.T, version, name string) string {
	t.Helper()
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(all[version], name)
}

// forgetPrograms removes what programs built, if it did.
func forgetPrograms() {
	if !programsAsked.Load() {
		return
	}
	if all, err := programs(); err == nil {
		_ = os.RemoveAll(filepath.Dir(all[thisVersion]))
	}
}

// instance is a scheduler as it is installed: a program that reaches the API server through a
// proxy of its own.
type instance struct {
	w     world
	name  string
	proxy *faults.Proxy
	cmd   *exec.Cmd
	log   string
	ended chan error

	mu     sync.Mutex
	passes int           // bindings that may still pass; below zero: all
	open   chan struct{} // closed: those that were held pass
	held   int
	taken  map[string]int // bindings that the server took, by path
	writes int            // what else was written, leases left out
}

// electing are the flags by which schedulers agree in less time than by default, by a Lease of
// the test's own.
func (w world) electing() []string {
	return []string{"--leader-elect=true", "--leader-elect-resource-namespace=" + w.ns,
		"--leader-elect-resource-name=volcano",
		"--leader-elect-lease-duration=8s", "--leader-elect-renew-deadline=6s", "--leader-elect-retry-period=500ms"}
}

// start runs a program as a scheduler of the world's pods. What it sends may be changed on its
// way.
func (w world) start(name, path string, args []string, change func(*http.Request) error) *instance {
	w.t.Helper()
	p, err := faults.Start(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	i := &instance{w: w, name: name, proxy: p, passes: -1, open: make(chan struct{}), ended: make(chan error, 1),
		taken: map[string]int{},
		log:   filepath.Join(w.t.TempDir(), name+".log")}
	p.Inject(func(r *http.Request) bool {
		return r.Method != http.MethodGet
	}, 1, 0, func(to http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
		if change != nil {
			if err := change(r); err != nil {
				select {
				case <-r.Context().Done(): // it was killed before it had sent the whole request
					return
				case <-time.After(time.Second):
					w.t.Errorf("change %s %s: %v", r.Method, r.URL.Path, err)
				}
			}
		}
		i.trip(to, r, pass)
	})
	log, err := os.Create(i.log)
	if err != nil {
		w.t.Fatal(err)
	}
	i.cmd = exec.Command(path, append(args, "--kubeconfig="+kubeconfig(w.t, p.Config()), "--scheduler-name="+w.ns,
		"--cache-dump-dir="+w.t.TempDir())...)
	i.cmd.Stdout, i.cmd.Stderr = log, log
	if err := i.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { i.ended <- i.cmd.Wait() }()
	w.t.Cleanup(func() {
		_ = i.cmd.Process.Kill() // most have ended by then
		p.Close()
		log.Close()
		if w.t.Failed() {
			w.t.Logf("the log of scheduler %s:\n%s", name, i.said())
		}
	})
	return i
}

// trip lets a write pass, or holds a binding that is to be held.
func (i *instance) trip(to http.ResponseWriter, r *http.Request, pass http.HandlerFunc) {
	if !faults.Binding(r) {
		if faults.Write(r) {
			i.mu.Lock()
			i.writes++
			i.mu.Unlock()
		}
		pass(to, r)
		return
	}
	i.mu.Lock()
	open := i.open
	if i.passes == 0 {
		i.held++
	} else {
		open = nil
		i.passes--
	}
	i.mu.Unlock()
	if open != nil {
		select {
		case <-open:
		case <-r.Context().Done():
			return
		}
	}
	answer := &noted{ResponseWriter: to}
	pass(answer, r)
	if answer.code < 300 {
		i.mu.Lock()
		i.taken[r.URL.Path]++
		i.mu.Unlock()
	}
}

// noted is an answer that remembers its status.
type noted struct {
	http.ResponseWriter
	code int
}

func (n *noted) WriteHeader(code int) { n.code = code; n.ResponseWriter.WriteHeader(code) }

// hold lets so many bindings pass and holds those that follow.
func (i *instance) hold(after int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.passes, i.held, i.open = after, 0, make(chan struct{})
}

// letGo has bindings pass, those that are held included.
func (i *instance) letGo() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.passes = -1
	close(i.open)
}

// awaitHeld waits until bindings are held.
func (i *instance) awaitHeld() {
	i.w.t.Helper()
	i.w.await("have bindings of "+i.name+" on their way", func(ctxless) error {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.held == 0 {
			return fmt.Errorf("none is")
		}
		return nil
	})
}

// said is its log.
func (i *instance) said() string {
	text, _ := os.ReadFile(i.log) // none: it said nothing
	return string(text)
}

// awaitSaid waits until it has logged something.
func (i *instance) awaitSaid(what string) {
	i.w.t.Helper()
	i.w.await("read "+what+" in the log of "+i.name, func(ctxless) error {
		if !strings.Contains(i.said(), what) {
			return fmt.Errorf("it is not there")
		}
		return nil
	})
}

// awaitStandby waits until it waits for the Lease.
func (i *instance) awaitStandby() { i.w.t.Helper(); i.awaitSaid("ttempting to acquire leader lease") }

// signal has it end, or killed.
func (i *instance) signal(s syscall.Signal) {
	i.w.t.Helper()
	if err := i.cmd.Process.Signal(s); err != nil {
		i.w.t.Fatal(err)
	}
}

// awaitEnd waits until it has ended, and is an error where it was not to err.
func (i *instance) awaitEnd() error {
	i.w.t.Helper()
	select {
	case err := <-i.ended:
		return err
	case <-time.After(patience):
		i.w.t.Fatalf("scheduler %s does not end", i.name)
		return nil
	}
}

// kubeconfig is a file by which a program reaches what config does.
func kubeconfig(t *testing.T, config *rest.Config) string {
	t.Helper()
	file := clientcmdapi.NewConfig()
	file.Clusters["c"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	file.AuthInfos["c"] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "c"}
	file.CurrentContext = "c"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the next version writes that this one has no word for.
const (
	foreseenNote      = "ashlar.sh/foreseen-end"
	foreseenCondition = "Foreseen"
	foreseenCode      = "QueueForesight.NodesForesight"
)

// foresees makes the requests of this version those of the next one: annotations on what it
// binds and on its Lease, another condition and other codes on PodGroups, other reasons on pods.
func foresees(r *http.Request) error {
	note := map[string]string{foreseenNote: "2h"}
	switch {
	case faults.Binding(r), strings.Contains(r.URL.Path, "/leases"):
		return rewritten(r, func(body []byte) ([]byte, error) {
			o, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
			if err != nil {
				return nil, err
			}
			switch o := o.(type) {
			case *corev1.Binding:
				o.Annotations = note
				return runtime.Encode(scheme.Codecs.LegacyCodec(corev1.SchemeGroupVersion), o)
			case *coordinationv1.Lease:
				o.Annotations = note
				return runtime.Encode(scheme.Codecs.LegacyCodec(coordinationv1.SchemeGroupVersion), o)
			}
			return nil, fmt.Errorf("a %T", o)
		})
	case r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/podgroups/"):
		return rewritten(r, foreseenGroup)
	case r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") &&
		strings.Contains(r.URL.Path, "/pods/"):
		return rewritten(r, func(body []byte) ([]byte, error) {
			return bytes.ReplaceAll(body, []byte(`"reason":"NotEnough`), []byte(`"reason":"Foresight`)), nil
		})
	}
	return nil
}

// foreseenGroup adds to a patch of a PodGroup that writes conditions.
func foreseenGroup(body []byte) ([]byte, error) {
	var patch struct {
		Metadata map[string]any `json:"metadata"`
		Status   map[string]any `json:"status"`
	}
	if err := json.Unmarshal(body, &patch); err != nil {
		return nil, err
	}
	conditions, _ := patch.Status["conditions"].([]any)
	if len(conditions) == 0 {
		return body, nil
	}
	kept := conditions[:0:0]
	for _, each := range conditions {
		c := each.(map[string]any)
		if c["type"] == "Unschedulable" {
			c["transitionID"], c["reason"] = foreseenCode, "Foresight"
		}
		if c["type"] != foreseenCondition {
			kept = append(kept, c)
		}
	}
	patch.Metadata["annotations"] = map[string]string{foreseenNote: "2h"}
	patch.Status["conditions"] = append(kept, map[string]any{"type": foreseenCondition, "status": "True",
		"transitionID": foreseenCode,
		"reason":       "Foresight", "message": "it ends in two hours", "lastTransitionTime": time.Now().UTC().Format(
			time.RFC3339)})
	return json.Marshal(patch)
}

// rewritten gives a request another body, as JSON.
func rewritten(r *http.Request, to func([]byte) ([]byte, error)) error {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = to(body)
	}
	if err != nil {
		return err
	}
	if r.Method != http.MethodPatch {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Del("Content-Length")
	return nil
}
