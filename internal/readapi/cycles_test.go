package readapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// What each cycle decided is told in figures to all; its decisions, and the records of evictions, as far as one may see
// the jobs: what is about others is counted.
func TestCyclesAndTheirDecisions(t *testing.T) {
	w := evictingWorld(t)
	s := served(w, people())
	code, list := get[explain.CycleList](t, s, "nobody", "/v1/history/cycles")
	sum := explain.Cycle{}
	evicts := uint64(0)
	for _, c := range list.Items {
		sum.Bound, sum.Evicted, sum.Admitted = sum.Bound+c.Bound, sum.Evicted+c.Evicted, sum.Admitted+c.Admitted
		if c.Evicted > 0 {
			evicts = c.Cycle
		}
	}
	if code != http.StatusOK || sum.Bound != 2 || sum.Evicted != 1 || sum.Admitted != 3 || list.Since == "" ||
		list.Last != 4 {
		t.Fatalf("%d %+v", code, list)
	}
	if _, rest := get[explain.CycleList](t, s, "nobody", fmt.Sprint("/v1/history/cycles?after=", evicts)); len(
		rest.Items) >= len(list.Items) || rest.Last != list.Last {
		t.Errorf("after cycle %d it is %+v", evicts, rest)
	}
	path := fmt.Sprint("/v1/history/cycle/", evicts)
	for user, c := range map[string]struct {
		has, lacks string
		hidden     bool
	}{
		"admin":  {"evict blue/", "*", false},
		"tenant": {"evict */*: reclaim: makes room on node n1 for red/train-0", "blue", false},
		"nobody": {`"decisions":[]`, "red", true},
	} {
		code, one := get[explain.CycleAnswer](t, s, user, path)
		text := plain(one)
		if code != http.StatusOK || !strings.Contains(text, c.has) || strings.Contains(text, c.lacks) ||
			one.Evicted != 1 || (one.Hidden > 0) != c.hidden {
			t.Errorf("%s is told %d %s", user, code, text)
		}
	}
	for path, want := range map[string]int{"/v1/history/cycle/99": http.StatusNotFound,
		"/v1/history/cycle/x": http.StatusNotFound, "/v1/history/cycles?after=x": http.StatusBadRequest} {
		if code, status := get[map[string]any](t, s, "admin", path); code != want {
			t.Errorf("%s: %d %v, want %d", path, code, status, want)
		}
	}
	w = newWorld(t) // keeps nothing
	if code, status := get[map[string]any](t, served(w, people()), "admin", "/v1/history/cycles"); code !=
		http.StatusNotFound {
		t.Errorf("a scheduler that keeps no recording answers %d %v", code, status)
	}
}

// Evictions are told with their record. The user whose job gets the room learns no name of the victim's side; for all
// others they are a number. One that was not carried out is none.
func TestRecordedEvictions(t *testing.T) {
	w := evictingWorld(t)
	s := served(w, people())
	_, admin := get[explain.EvictionList](t, s, "admin", "/v1/evictions")
	if len(admin.Items) != 1 || admin.Hidden != nil || admin.Total != 1 {
		t.Fatalf("an administrator is told %+v", admin)
	}
	e := admin.Items[0]
	if e.Namespace != "blue" || e.Queue != "blue" || e.PreemptorJob != "red/train" || e.Action != "reclaim" ||
		e.At == "" || e.Record.QueueHeld["cpu"] != "4" || len(e.Record.Plugins) == 0 {
		t.Errorf("an administrator is told %s", plain(e))
	}
	_, tenant := get[explain.EvictionList](t, s, "tenant", "/v1/evictions")
	if text := plain(tenant); len(tenant.Items) != 1 || tenant.Items[0].PreemptorJob != "red/train" ||
		tenant.Items[0].Record.Preemptor != "red/train-0" || strings.Contains(text, "blue") ||
		tenant.Items[0].Record.QueueHeld != nil || len(tenant.Items[0].Record.Alternatives) > 0 {
		t.Errorf("a tenant is told %s", text)
	}
	_, nobody := get[explain.EvictionList](t, s, "nobody", "/v1/evictions")
	if len(nobody.Items) != 0 || nobody.Hidden == nil || nobody.Hidden.Count != 1 ||
		nobody.Hidden.ByAction["reclaim"] != 1 {
		t.Errorf("a user without rights is told %s", plain(nobody))
	}
	w.decide(func() { // the API server has refused it
		l, _ := w.past.Lately()
		cycles, _, _ := l.Cycles(0)
		for _, c := range cycles {
			for _, i := range c.Other {
				if i.Kind == sched.EvictPod {
					w.past.ring.Receipts([]sched.Receipt{{Item: i, Outcome: sched.Failed}})
				}
			}
		}
	})
	if _, after := get[explain.EvictionList](t, served(w, people()), "admin", "/v1/evictions"); len(after.Items) != 0 {
		t.Errorf("of an eviction that failed it is told %s", plain(after))
	}
}
