package readapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// A live scheduler places members above a gang's minimum a moment later. A plan tells where they go, too, and why those
// wait that find no room.
func TestAPlanTellsWhereMembersAboveTheMinimumGo(t *testing.T) {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}}}},
		sched.WithPeriod(int64(time.Second), int64(100*time.Millisecond)))
	if err != nil {
		t.Fatal(err)
	}
	known := w.engine.Facts()
	w.engine = e
	w.engine.Apply(known...)
	w.decide(func() { w.node("n1", 8000) })
	s := served(w, people())
	elastic := strings.Replace(gangOf("red", "red", 2, "3", ""), "minAvailable: 2", "minAvailable: 1", 1)
	code, got := submit[explain.Plan](t, s, "admin", elastic)
	if code != http.StatusOK || len(got.Jobs) != 1 || len(got.Jobs[0].Follow) != 1 ||
		got.Jobs[0].Follow[0] != (explain.Place{Node: "n1", Pods: 1}) {
		t.Errorf("%d: %s", code, plain(got))
	}
	w.decide(func() { w.gang("blue", "runs", "blue", 1, 4000) })
	code, got = submit[explain.Plan](t, s, "admin", elastic)
	if code != http.StatusOK || len(got.Jobs) != 1 || len(got.Jobs[0].Follow) > 0 || got.Jobs[0].State != explain.Starts ||
		!strings.Contains(plain(got), "3 asked, 1 free") {
		t.Errorf("where there is room for the minimum alone: %d: %s", code, plain(got))
	}
}
