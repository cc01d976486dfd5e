// Package cluster runs a real Kubernetes control plane on this machine without containers: etcd
// and kube-apiserver, and as asked kube-controller-manager, kube-scheduler and kwok, which plays the kubelets.
//
// It is for tests and for trying things by hand. It is not secure (everybody who has the token may
// do everything), not durable (etcd does not sync) and has none of our schedulers: that is what is tested.
//
// Invariants: Start gives a control plane that answers, or nothing: what was started is ended and
// its folder removed. Everything lives in one temporary folder and listens on 127.0.0.1 only. On
// Linux the programs die with the process that started them; elsewhere only Stop ends them.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// startTimeout is how long Start waits for the whole control plane. It takes some seconds on an
// idle machine; a busy one with two cores should not fail for it.
const startTimeout = 3 * time.Minute

// Options says which control plane Start runs. The zero value is etcd and kube-apiserver.
type Options struct {
	// Bin is the folder that holds the programs; empty means what Binaries returns.
	Bin string
	// ControllerManager adds kube-controller-manager: garbage collection, Jobs, taints by
	// condition and so on. Without it nodes are not tainted when they arrive, since no controller would
	// take the taint away.
	ControllerManager bool
	// Kwok adds kwok, which keeps every node Ready and runs and deletes the pods bound to them,
	// as Stages says.
	Kwok bool
	// KubeScheduler adds kube-scheduler, for pods with its name or with none.
	KubeScheduler bool
	// Stages replaces the Stage documents (YAML) that kwok obeys; nil means those of this package:
	// a bound pod is Running at once, Succeeded after its annotation ashlar.sh/duration if it has
	// one, and gone when deleted.
	Stages []byte
	// Flags are more flags by program, given after this package's own, so that they win:
	// {"kube-apiserver": {"--feature-gates=GenericWorkload=true"}}.
	Flags map[string][]string
}

// Cluster is a control plane that runs.
type Cluster struct {
	// Config reaches the API server as a member of system:masters, without a client-side limit on
	// requests. Copy it before changing it.
	Config *rest.Config
	// Kubeconfig is the path of a file that says the same to kubectl and to programs under test.
	Kubeconfig string
	// Dir holds the programs' logs, as <program>.log, and their data; Stop removes it.
	Dir string

	etcd      string // where its clients reach it
	clients   *authority
	bin       string
	programs  []program
	processes []*process // of programs, by index
	stop      sync.Once
	stopped   error
}

// Start runs the control plane and returns when it answers. ctx bounds the start, not the life of
// the cluster: that ends with Stop. An error names the program at fault and shows the end of its
// log. A port that somebody else took meanwhile is the one fault that is tried again, once.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Bin == "" {
		bin, err := Binaries(ctx)
		if err != nil {
			return nil, err
		}
		o.Bin = bin
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c, err := start(ctx, o)
	if errors.Is(err, errPortTaken) {
		c, err = start(ctx, o)
	}
	return c, err
}

func start(ctx context.Context, o Options) (_ *Cluster, err error) {
	dir, err := os.MkdirTemp("", "ashlar-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, Kubeconfig: filepath.Join(dir, "kubeconfig")}
	defer func() {
		if err != nil {
			_ = c.Stop() // what ended by itself is what err already tells
		}
	}()
	s, err := newSetup(dir, o)
	if err != nil {
		return nil, err
	}
	c.bin, c.clients, c.etcd = o.Bin, s.clients, s.url(s.ports.etcd)
	for _, p := range s.programs() {
		p.flags = append(p.flags, o.Flags[p.name]...)
		running, err := c.launch(p)
		if err != nil {
			return nil, err
		}
		c.programs, c.processes = append(c.programs, p), append(c.processes, running)
		if err := running.await(ctx, p.ready); err != nil {
			return nil, err
		}
		if p.name != apiServer {
			continue
		}
		c.Config = s.config
		if err := writeKubeconfig(c.Kubeconfig, s.config); err != nil {
			return nil, err
		}
	}
	return c, c.alive()
}

// ClientCertificate signs a certificate, in PEM with its key, by which the API server knows a user and its groups.
func (c *Cluster) ClientCertificate(user string, groups ...string) (certificate, key []byte, err error) {
	return c.clients.sign(user, groups)
}

func (c *Cluster) launch(p program) (*process, error) {
	return launch(p.name, filepath.Join(c.bin, p.name), c.Dir, p.flags)
}

// Restart kills a program as a crash would, calls meanwhile while it is away, starts it again as it
// was, and returns when it answers. The program's log starts anew. It is not for concurrent use,
// nor beside Stop.
func (c *Cluster) Restart(ctx context.Context, name string, meanwhile func()) error {
	i := slices.IndexFunc(c.programs, func(p program) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("restart %s: it is not part of this control plane", name)
	}
	c.processes[i].kill()
	meanwhile()
	running, err := c.launch(c.programs[i])
	if err != nil {
		return err
	}
	c.processes[i] = running
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return running.await(ctx, c.programs[i].ready)
}

// Compact has etcd forget all that was before a resource version, as it does every few minutes by itself. The API
// server's watch cache may still know it.
func (c *Cluster) Compact(ctx context.Context, version int64) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.etcd+"/v3/kv/compaction",
		strings.NewReader(fmt.Sprintf(`{"revision": "%d"}`, version)))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("compact etcd: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // what of it can be read
		return fmt.Errorf("compact etcd at %d: %s: %s", version, answer.Status, text)
	}
	return nil
}

// alive returns an error if a program ended by itself.
func (c *Cluster) alive() error {
	var errs []error
	for _, p := range c.processes {
		if p.ended() {
			errs = append(errs, p.failure())
		}
	}
	return errors.Join(errs...)
}

// Stop ends every program and removes Dir. Nothing is asked politely, for nothing is kept. The
// error names the programs that had ended before, which a test should not overlook, and what could
// not be removed. Calling it again returns the same.
func (c *Cluster) Stop() error {
	c.stop.Do(func() {
		c.stopped = c.alive()
		for _, p := range c.processes {
			p.kill()
		}
		if err := os.RemoveAll(c.Dir); err != nil {
			c.stopped = errors.Join(c.stopped, fmt.Errorf("remove the cluster's folder: %w", err))
		}
	})
	return c.stopped
}
