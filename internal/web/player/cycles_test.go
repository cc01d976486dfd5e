package player

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
)

// Cycles that decided something are listed with what they decided, whichever moment is shown; others are counted.
func TestTheCyclesOfARun(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "a", 10*time.Second, 6)))
	until(p, 20*time.Second)
	list := answer[explain.CycleList](t, p, "/v1/history/cycles", "")
	bound := 0
	var busy explain.Cycle
	for _, c := range list.Items {
		bound += c.Bound
		if c.Bound > 0 {
			busy = c
		}
		if !c.Decided() || c.Seconds == nil || c.Time == "" {
			t.Errorf("a cycle is listed as %+v", c)
		}
	}
	if bound != 4 {
		t.Errorf("%d pods are bound in all, not 4", bound)
	}
	one := answer[explain.CycleAnswer](t, p, "/v1/history/cycle/"+fmt.Sprint(busy.Cycle), "")
	if one.Bound != busy.Bound || len(one.Decisions) < busy.Bound || one.Decisions[0].Job == "" ||
		!strings.Contains(fmt.Sprint(one.Decisions), "bind ns/") {
		t.Errorf("of a cycle that binds %d pods it is told %+v", busy.Bound, one)
	}
	answer[State](t, p, "/v1/play", `{"seek": 0}`)
	if wound := answer[explain.CycleList](t, p, "/v1/history/cycles", ""); len(wound.Items) != len(list.Items) {
		t.Errorf("wound back %d cycles are listed, not %d", len(wound.Items), len(list.Items))
	}
	rest := answer[explain.CycleList](t, p, "/v1/history/cycles?after="+fmt.Sprint(list.Items[0].Cycle), "")
	if len(rest.Items) != len(list.Items)-1 {
		t.Errorf("after the first there are %d of %d", len(rest.Items), len(list.Items))
	}
	if got := ask(p, "/v1/history/cycle/999999", ""); got.Code != http.StatusNotFound {
		t.Errorf("a cycle that never was: %d %s", got.Code, got.Body)
	}
}

// What is kept of decisions is bounded: the older cycles go, and the answer says from when on they are known.
func TestDecisionsAreBounded(t *testing.T) {
	var d decisions
	plan := sched.Plan{Items: make([]sched.Item, 100)}
	for i := range 3 * mostSentences / 100 {
		d.add(&sim.Cycle{Number: i + 1, At: time.Duration(i) * time.Second, Plan: plan},
			make([]explain.Decided, len(plan.Items)))
	}
	if d.count > mostSentences || !d.dropped || d.list[0].Cycle.Cycle == 1 || d.last != 3*mostSentences/100 {
		t.Errorf("%d decisions of %d cycles are kept", d.count, len(d.list))
	}
}

// What queues held and deserved is told over time: those that are named, and those that held the most.
func TestQueuesOverTime(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 4), job("second", "b", 10*time.Second, 2)))
	until(p, 20*time.Second)
	h := answer[QueueHistory](t, p, "/v1/history/queues?resource=cpu&most=1&queue=b", "")
	if len(h.Queues) != 2 || h.Queues[0].Name != "b" || h.Queues[1].Name != "a" || len(h.Seconds) < 2 {
		t.Fatalf("it is told %+v", h)
	}
	last := len(h.Seconds) - 1
	for i, q := range h.Queues {
		if len(q.Held) != len(h.Seconds) || len(q.Deserved) != len(h.Seconds) || *q.Held[last] <= 0 ||
			*q.Deserved[last] <= 0 {
			t.Errorf("queue %d: %+v", i, q)
		}
	}
	if *h.Queues[0].Held[0] != 0 {
		t.Errorf("before its job came queue b held %d", *h.Queues[0].Held[0])
	}
	none := answer[QueueHistory](t, p, "/v1/history/queues?resource=cpu&queue=nowhere", "")
	if len(none.Queues) != 1 || none.Queues[0].Held[0] != nil {
		t.Errorf("of a queue that is not there it is told %+v", none)
	}
	if got := ask(p, "/v1/history/queues?resource=cpu&most=x", ""); got.Code != http.StatusBadRequest {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}
