package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ashlar.sh/internal/loop"
)

// A person asks while the scheduler that acts loses its Lease: each plan is the right one, or says that the scheduler
// does not answer. While none acts the command says so, and tells what the objects show where it may. The one that
// takes over plans on what the cluster is then.
func TestLivePlansWhileTheLeaseIsLost(t *testing.T) {
	f := findable(t)
	f.stop()
	var cut wire
	ended := make(chan error, 1)
	schedulersPod(t, f.ns+"-2", f.node)
	o := loop.Options{Config: copyConfig(), SchedulerNames: []string{f.ns}, Adopt: loop.AdoptAlways, DumpDir: t.TempDir()}
	installedAs(t, f.ns+"-2")(&o)
	cut.on(&o)
	election("", "")(&o) // a Lease that is lost soon
	o.Election.Namespace, o.Election.Identity = installedIn, f.ns+"-2_x"
	go func() { ended <- loop.Run(t.Context(), o) }()
	plans := func(config string, args ...string) told {
		return ask(config, append([]string{"plan", "-f", oneCore(t, f), "-o", "json"}, args...)...)
	}
	right := func(got told, code string) bool {
		return got.code == 0 && strings.Contains(got.out, `"source": "scheduler"`) && strings.Contains(got.out, code)
	}
	var got told
	eventually(t, "a plan by the scheduler that acts", func(ctxless) (bool, error) {
		got = plans(f.tenant, "--from", "scheduler")
		return right(got, `"Starts"`), nil
	}, func() string { return got.out + got.err })

	cut.mu.Lock()
	cut.lease = func(func() (*http.Response, error)) (*http.Response, error) {
		return nil, errors.New("no way to the lease")
	}
	cut.mu.Unlock()
	var asking sync.WaitGroup // a tenant's question waits for half a minute for one that acts: they wait together
	over := make(chan struct{})
	answered, refused := 0, 0
	asking.Go(func() {
		for running(over) {
			switch got := plans(f.tenant, "--from", "scheduler"); {
			case right(got, `"Starts"`):
				answered++
			case got.code == 1 && got.out == "" && clearlyNone(got.err):
				refused++
			default:
				t.Errorf("while the Lease is lost: exit code %d\n%s%s", got.code, got.out, got.err)
				return
			}
		}
	})
	if err := <-ended; err == nil {
		t.Error("it ended as if it had been asked to, want an error: the Lease was lost")
	}
	close(over)

	submit(t, f.ns, f.ns, "more", 1, 1, "1")
	for _, question := range [][]string{{"plan", "-f", oneCore(t, f)}, {"why", "job", "waits", "-n", f.ns}} {
		asking.Go(func() {
			if got := ask(f.tenant, append(question, "--from", "scheduler")...); got.code != 1 || got.out != "" ||
				!clearlyNone(got.err) {
				t.Errorf("while none acts, a tenant: %v: exit code %d\n%s%s", question, got.code, got.out, got.err)
			}
		})
		if got := ask(f.admin, question...); !clearlyNone(got.err) ||
			!strings.Contains(unwrapped(got.err), "objects are asked, and not the scheduler: ") {
			t.Errorf("while none acts, an administrator: %v: exit code %d\n%s%s", question, got.code, got.out, got.err)
		}
	}
	asking.Wait()
	t.Logf("until it ended %d plans were answered and %d refused", answered, refused)

	schedulersPod(t, f.ns+"-3", f.node)
	installedScheduler(t, f.ns, f.ns+"-3")
	awaitRunning(t, f.ns, "more-", 1)
	eventually(t, "a plan by the one that has taken over", func(ctxless) (bool, error) {
		got = plans(f.tenant, "--from", "scheduler")
		if right(got, `"Starts"`) {
			t.Errorf("a plan on what the cluster was:\n%s", got.out)
		}
		return right(got, `"WaitsForQueue"`), nil
	}, func() string { return got.out + got.err })
	if got := ask(f.tenant, "why", "job", "waits", "-n", f.ns, "--from", "scheduler", "-v"); got.code != 0 ||
		!strings.Contains(got.out, "64 asked") || !strings.Contains(unwrapped(got.err), f.ns+"-3") {
		t.Errorf("why, by the one that has taken over: exit code %d\n%s%s", got.code, got.out, got.err)
	}
}

// running says that a channel is open still.
func running(over <-chan struct{}) bool {
	select {
	case <-over:
		return false
	default:
		return true
	}
}

// clearlyNone says that a message tells that no scheduler acts, or that the one that did does not answer any more.
func clearlyNone(text string) bool {
	text = unwrapped(text)
	for _, clear := range []string{"no scheduler holds the Lease", "read API does not answer", "has lost its Lease",
		"did not renew its Lease in time", "the scheduler's answer was cut"} {
		if strings.Contains(text, clear) {
			return true
		}
	}
	return false
}

// oneCore is a file with a pod of a core, which starts once and waits for its queue after another one has come.
func oneCore(t *testing.T, f *found) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "job.yaml")
	text := fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: planned, namespace: %s, annotations: "+
		"{scheduling.volcano.sh/queue-name: %s}}\nspec: {schedulerName: %s, containers: [{name: c, image: i, resources: "+
		"{requests: {cpu: 1}}}]}\n", f.ns, f.ns, f.ns)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
