package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"ashlar.sh/internal/loop"
	"ashlar.sh/test/e2e/faults"
)

// childMark is the environment in which this test's program is a scheduler and no test: its value
// says which.
const childMark = "ASHLAR_E2E_SCHEDULER"

// childScheduler is what a scheduler in a process of its own is told.
type childScheduler struct {
	Host, Token, Namespace, Identity, Dump string
	ConfigFile                             string // "": the default configuration
	CA                                     []byte
}

// scheduleAsChild runs the live scheduler until it is asked to end, or must.
func scheduleAsChild(mark string) error {
	var c childScheduler
	if err := json.Unmarshal([]byte(mark), &c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	dumps := make(chan os.Signal, 1)
	signal.Notify(dumps, syscall.SIGUSR2)
	o := loop.Options{SchedulerNames: []string{c.Namespace}, Adopt: loop.AdoptAlways, DumpDir: c.Dump, Dump: dumps,
		ConfigFile: c.ConfigFile,
		Config:     &rest.Config{Host: c.Host, BearerToken: c.Token, TLSClientConfig: rest.TLSClientConfig{CAData: c.CA}}}
	election(c.Namespace, c.Identity)(&o)
	return loop.Run(ctx, o)
}

// process starts a scheduler in a process of its own, which can be stopped and killed.
func (w world) process(config *rest.Config, identity string, change ...func(*childScheduler)) *exec.Cmd {
	w.t.Helper()
	child := childScheduler{Host: config.Host, Token: config.BearerToken, CA: config.CAData,
		Namespace: w.ns, Identity: identity, Dump: w.t.TempDir()}
	for _, c := range change {
		c(&child)
	}
	mark, err := json.Marshal(child)
	if err != nil {
		w.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(w.t.TempDir(), identity+".log"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childMark+"="+string(mark))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // most have ended by then
		_ = cmd.Wait()
		log.Close()
		if w.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			w.t.Logf("the log of scheduler %s:\n%s", identity, text)
		}
	})
	return cmd
}

// A leader on a machine that stops for longer than its lease: another one takes over, and when
// the first wakes up, believing to lead, it sends nothing and ends.
func TestFaultsALeaderThatSlept(t *testing.T) {
	w := sharedWorld(t)
	node(t, w.ns+"-a", "8")
	w.queue()
	seen := w.watch(map[string]int64{w.ns + "-a": 8}, 4)
	p, err := faults.Start(w.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	first := w.process(p.Config(), "first")
	w.gang("before", 4)
	w.awaitBound(4)
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.gang("asleep", 4)
	w.process(w.config, "second")
	w.awaitBound(8)

	written := p.Inject(faults.Write, 1, 0, func(_ http.ResponseWriter, r *http.Request, _ http.HandlerFunc) {
		t.Errorf("it woke up and sent %s %s", r.Method, r.URL.Path)
		panic(http.ErrAbortHandler)
	})
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.gang("awake", 1) // work that it would like to do, were it the leader: there is no room left
	ended := make(chan error, 1)
	go func() { ended <- first.Wait() }()
	select {
	case err := <-ended:
		if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) {
			t.Errorf("it ended with %v, want an error: the lease was lost", err)
		}
	case <-time.After(patience):
		t.Error("it goes on without the lease")
	}
	if n := written.Met(); n != 0 {
		t.Errorf("%d writes after it woke up, want none", n)
	}
	seen.testify(8)
}

// A scheduler is killed after each binding of a gang in turn; the next one finds the gang half bound
// and completes it.
func TestFaultsASchedulerIsKilledBetweenBindings(t *testing.T) {
	const members = 4
	w := sharedWorld(t)
	nodes := map[string]int64{w.ns + "-a": members * (members - 1)}
	node(t, w.ns+"-a", fmt.Sprint(members*(members-1)))
	w.queue()
	seen := w.watch(nodes, members)
	for after := 1; after < members; after++ {
		p, err := faults.Start(w.config)
		if err != nil {
			t.Fatal(err)
		}
		p.Inject(faults.Binding, 1, after, func(w http.ResponseWriter, r *http.Request, pass http.HandlerFunc) { pass(w, r) })
		stuck := p.Inject(faults.Binding, 1, 0, func(_ http.ResponseWriter, r *http.Request, _ http.HandlerFunc) {
			<-r.Context().Done()
		})
		killed := w.process(p.Config(), fmt.Sprint("killed-", after))
		w.gang(fmt.Sprint("gang-", after), members)
		w.await("have its other bindings on their way", func(context.Context) error {
			if n := stuck.Met(); n < members-after {
				return fmt.Errorf("%d are", n)
			}
			return nil
		})
		w.awaitBound((after-1)*members + after)
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.Close()
		w.releaseLease()
		next := w.process(w.config, fmt.Sprint("next-", after))
		w.awaitBound(after * members)
		if err := next.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := next.Wait(); err != nil {
			t.Errorf("asked to end, it ended with %v", err)
		}
	}
	seen.testify(members * (members - 1))
}

// releaseLease does what waiting for a dead leader's lease to run out would.
func (w world) releaseLease() {
	w.t.Helper()
	err := w.kube.CoordinationV1().Leases(w.ns).Delete(w.t.Context(), "volcano", metav1.DeleteOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}
