package player

import (
	"net/http"
	"testing"
	"time"
)

// moved is what the tests read of a WhatIf.
type moved struct {
	Seconds float64
	Cut     bool
	Queues  []struct {
		Name          string
		Before, After struct {
			Weight   int
			Deserved map[string]string
		}
	}
	Jobs []Move
}

// More weight for the queue of a job that waits lets it start, and nothing of the world itself changes.
func TestMoreWeight(t *testing.T) {
	p := player(t, cluster(job("a1", "a", 0, 2), job("b1", "b", 0, 2), job("wide", "a", 2*time.Second, 3),
		job("b2", "b", time.Second, 2), job("b3", "b", 2*time.Second, 2)))
	until(p, 30*time.Second)
	before := text(t, p.w.Engine().Report())
	got := answer[moved](t, p, "/v1/whatif", `{"queue": "a", "weight": 9, "seconds": 60}`)
	if got.Seconds != 60 || got.Cut {
		t.Errorf("run for %v, cut %v", got.Seconds, got.Cut)
	}
	for _, q := range got.Queues {
		if q.Name == "a" && (q.Before.Weight != 1 || q.After.Weight != 9 ||
			q.Before.Deserved["cpu"] == q.After.Deserved["cpu"]) {
			t.Errorf("queue a deserves %v, and %v with weight 9", q.Before.Deserved, q.After.Deserved)
		}
	}
	if after := text(t, p.w.Engine().Report()); after != before {
		t.Errorf("the world has changed:\n%s\n%s", before, after)
	}
	until(p, 2*time.Minute) // and goes on
}

// A job that is added has a fate of its own; what ends in the world ends in the copy.
func TestOneMoreJob(t *testing.T) {
	p := player(t, cluster(job("full", "a", 0, 8)))
	until(p, 10*time.Minute)
	got := answer[moved](t, p, "/v1/whatif", `{"objects": "new", "seconds": 600}`)
	if len(got.Jobs) != 1 || got.Jobs[0].Name != "new" || got.Jobs[0].Before != nil || got.Jobs[0].After.Starts >= 0 ||
		got.Jobs[0].After.Reason.Code == "" {
		t.Errorf("in a full cluster a new job fares so: %+v", got.Jobs)
	}
	got = answer[moved](t, p, "/v1/whatif", `{"objects": "new", "seconds": 3600}`)
	if len(got.Jobs) != 1 || got.Jobs[0].After.Starts < 2900 || got.Jobs[0].After.Starts > 3010 {
		t.Errorf("50 minutes before the other job ends a new one fares so: %+v", got.Jobs[0].After)
	}
	if list := answer[List[struct{ Name string }]](t, p, "/v1/jobs", ""); len(list.Items) != 1 {
		t.Errorf("the world has %d jobs now", len(list.Items))
	}
}

func TestWhatIfRefuses(t *testing.T) {
	p := player(t, cluster(job("full", "a", 0, 8)))
	until(p, time.Minute)
	for body, want := range map[string]int{
		`{"seconds": 60}`: 400,
		`{"queue": "a", "objects": "x", "weight": 2, "seconds": 60}`: 400,
		`{"queue": "none", "weight": 2, "seconds": 60}`:              400,
		`{"queue": "a", "weight": 0, "seconds": 60}`:                 400,
		`{"queue": "a", "weight": 99999999999, "seconds": 60}`:       400,
		`{"queue": "a", "weight": 2, "seconds": 0}`:                  400,
		`{"queue": "a", "weight": 2, "seconds": 1e12}`:               400,
	} {
		if got := ask(p, "/v1/whatif", body); got.Code != want {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	answer[State](t, p, "/v1/play", `{"seek": 0}`)
	if got := ask(p, "/v1/whatif", `{"queue": "a", "weight": 2, "seconds": 60}`); got.Code != http.StatusConflict {
		t.Errorf("in the past: %d", got.Code)
	}
}
