package readapi

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// boundedFromAbove has a job of queue red that waits for the capability of division, which is below acme.
func boundedFromAbove(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity",
			Hierarchy: true}, {Plugin: "nodeorder"}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	queue := func(name, parent string, cpu int64) {
		q := &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Parent: parent}
		if cpu > 0 {
			q.Capability = resource.List{{Name: "cpu", Value: cpu}}
		}
		w.put(model.KindQueue, "", name, q)
	}
	w.decide(func() {
		w.node("n1", 64000)
		queue("acme", "root", 8000)
		queue("division", "acme", 6000)
		queue("red", "division", 0)
		queue("rival", "division", 0)
		w.gang("red", "runs", "red", 2, 1000)
		w.gang("blue", "other", "rival", 3, 1000)
	})
	w.decide(func() { w.gang("red", "train", "red", 2, 1000) })
	return w
}

// The queues above a tenant's own bound it: their amounts are told, and their names to those that may get them.
func TestWhyNamesNoQueuesAboveThatOneMayNotGet(t *testing.T) {
	s := served(boundedFromAbove(t), people())
	for path, amounts := range map[string][]string{
		"/v1/jobs?namespace=red":      {"a queue above its own would hold more than its capability (cpu: 7"},
		"/v1/list/jobs?namespace=red": {"a queue above its own would hold more than its capability (cpu: 7"},
		"/v1/queues":                  {`"parent":"*"`},
		"/v1/why/job/red/train":       {"a queue above its own would hold more than its capability (cpu: 7 with it, 6"},
		"/v1/why/pod/red/train-0":     {"(cpu: 7 with it, 6 allowed)"},
		"/v1/why/queue/red": {"a queue above its own would hold more than its capability",
			"cpu: * holds 5 of at most 6 (that of queue *, above", "cpu: *2 holds 5 of at most 8 (that of queue *2, above"},
	} {
		code, got := text(t, s, "tenant", path)
		_, all := text(t, s, "admin", path)
		for _, amount := range amounts {
			if code != http.StatusOK || !strings.Contains(got, amount) {
				t.Errorf("%s: %d, without %q: %s", path, code, amount, got)
			}
		}
		for _, name := range []string{"acme", "division", "rival"} {
			if strings.Contains(got, name) {
				t.Errorf("%s names %s: %s", path, name, got)
			}
		}
		if !strings.Contains(all, "division") {
			t.Errorf("%s tells an administrator: %s", path, all)
		}
	}
}

// So it is in streams, of which all clients share the lines.
func TestStreamsNameNoQueuesAboveThatOneMayNotGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := boundedFromAbove(t)
		s := served(w, people())
		const both = "/v1/watch?kinds=jobs,queues"
		tenant, admin := follow(t, s, "tenant", both), follow(t, s, "admin", both)
		<-time.After(2 * generationsEach)
		w.decide(func() { w.gang("red", "more", "red", 1, 2000) })
		<-time.After(2 * generationsEach)
		synctest.Wait()
		for r, names := range map[*reader]bool{tenant: false, admin: true} {
			r.mu.Lock()
			text := r.got.String()
			r.mu.Unlock()
			if strings.Contains(text, "division") != names || !strings.Contains(text, `"name":"more"`) ||
				strings.Contains(text, "a queue above its own would hold") == names || strings.Contains(text, "acme") != names {
				t.Errorf("with the right to get queues (%v) it tells\n%s", names, text)
			}
			r.stop()
		}
		synctest.Wait()
		s.copies.forget.Stop()
	})
}

// A user that names a queue in a job is not told what that holds without the right to get it.
func TestWhyTellsNoFiguresOfOtherQueues(t *testing.T) {
	w := newWorld(t)
	w.decide(func() {
		w.node("n1", 8000)
		w.gang("blue", "runs", "blue", 3, 1000)
		w.gang("red", "probes", "blue", 2, 7000)
		w.gang("red", "own", "red", 2, 7000)
	})
	w.decide(nil)
	s := served(w, people())
	const figures, none = "queue blue holds cpu 3 of 4 deserved", "what it holds is not told"
	for _, path := range []string{"/v1/why/job/red/probes", "/v1/why/pod/red/probes-0"} {
		if code, got := text(t, s, "tenant", path); code != http.StatusOK || strings.Contains(got, figures) ||
			!strings.Contains(got, none) {
			t.Errorf("%s: %d %s", path, code, got)
		}
		if _, got := text(t, s, "admin", path); !strings.Contains(got, figures) {
			t.Errorf("%s tells an administrator: %s", path, got)
		}
	}
	_, got := text(t, s, "tenant", "/v1/why/job/red/own")
	if !strings.Contains(got, "queue red holds cpu 0 of 4 deserved") {
		t.Errorf("of its own queue a tenant is told: %s", got)
	}
}
