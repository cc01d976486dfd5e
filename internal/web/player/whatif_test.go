package player

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ashlar.sh/internal/sim"
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

	Without, With []Sample
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

// A job that is dropped makes room for those that wait for it; the world keeps it.
func TestOneJobLess(t *testing.T) {
	p := player(t, cluster(job("full", "a", 0, 8), job("next", "b", time.Second, 8)))
	until(p, 10*time.Minute)
	got := answer[moved](t, p, "/v1/whatif", `{"job": "ns/full", "seconds": 600}`)
	if len(got.Jobs) != 2 || got.Jobs[0].Name != "full" || got.Jobs[0].After != nil || got.Jobs[0].Before == nil ||
		got.Jobs[1].Name != "next" || got.Jobs[1].Before.Starts >= 0 || got.Jobs[1].After.Starts < 0 {
		t.Errorf("without the job that has it all it is %+v", got.Jobs)
	}
	if list := answer[List[struct{ Name string }]](t, p, "/v1/jobs", ""); len(list.Items) != 2 {
		t.Errorf("the world has %d jobs now", len(list.Items))
	}
}

// Two configurations run side by side, from the beginning too, wherever the page is; both are told over time.
func TestTwoConfigurations(t *testing.T) {
	p := player(t, cluster(job("first", "a", 0, 8), job("late", "b", 2*time.Hour, 2)))
	until(p, 10*time.Minute)
	answer[State](t, p, "/v1/play", `{"seek": 0}`)
	got := answer[moved](t, p, "/v1/whatif", `{"configuration": "without allocate", "seconds": 10800, "fromStart": true}`)
	starts := map[string][2]float64{}
	for _, j := range got.Jobs {
		starts[j.Name] = [2]float64{j.Before.Starts, j.After.Starts}
	}
	if first, late := starts["first"], starts["late"]; len(starts) != 2 || first[0] < 0 || first[1] >= 0 ||
		late[0] < 7200 || late[1] >= 0 {
		t.Errorf("from the beginning, and by one that starts nothing, jobs fare so: %v", starts)
	}
	for name, of := range map[string][]Sample{"without": got.Without, "with": got.With} {
		waiting, last := 0, of[len(of)-1]
		for _, s := range of {
			waiting = max(waiting, s.Waiting)
		}
		if starting := name == "without"; last.Seconds != 10800 || (waiting == 2) == starting ||
			(last.Used["cpu"] > 0) != starting {
			t.Errorf("%s it: at most %d wait, in the end it is %+v", name, waiting, last)
		}
	}
}

// One what-if is computed at a time: another is refused until both its runs are over, and not only until it has its
// copy.
func TestOneWhatIfAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the time that it waits passes at once
		runs, goesOn := make(chan struct{}), make(chan struct{})
		var is atomic.Bool
		p := player(t, cluster(job("full", "a", 0, 8)), func(o *Options) {
			makes := o.Make
			o.Make = func(items []sim.Item, begin int64, configuration string) (*sim.World, error) {
				if configuration != "" && is.CompareAndSwap(false, true) {
					close(runs)
					<-goesOn
				}
				return makes(items, begin, configuration)
			}
		})
		const change = `{"configuration": "without allocate", "seconds": 60}`
		h := p.whatIf
		post := func() int {
			r := httptest.NewRequest(http.MethodPost, "/v1/whatif", strings.NewReader(change))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		first := make(chan int)
		go func() { first <- post() }()
		<-runs
		if code := post(); code != http.StatusTooManyRequests {
			t.Errorf("while one runs another is answered with %d", code)
		}
		close(goesOn)
		if code := <-first; code != http.StatusOK {
			t.Errorf("the first is answered with %d", code)
		}
	})
}

func TestWhatIfRefuses(t *testing.T) {
	p := player(t, cluster(job("full", "a", 0, 8)))
	until(p, time.Minute)
	for body, want := range map[string]int{
		`{"seconds": 60}`: 400,
		`{"queue": "a", "objects": "x", "weight": 2, "seconds": 60}`:  400,
		`{"queue": "none", "weight": 2, "seconds": 60}`:               400,
		`{"queue": "a", "weight": 0, "seconds": 60}`:                  400,
		`{"queue": "a", "weight": 99999999999, "seconds": 60}`:        400,
		`{"queue": "a", "weight": 2, "seconds": 0}`:                   400,
		`{"queue": "a", "weight": 2, "seconds": 1e12}`:                400,
		`{"job": "ns/none", "seconds": 60}`:                           400,
		`{"job": "ns/full", "queue": "a", "weight": 2, "seconds": 1}`: 400,
		`{"configuration": "bad", "seconds": 60}`:                     400,
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

// A what-if waits for the one that is computed, and is answered after it.
func TestWhatIfWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := player(t, cluster(job("first", "a", 0, 4)))
		p.copying <- struct{}{}
		time.AfterFunc(time.Second, func() { <-p.copying })
		if got := ask(p, "/v1/whatif", `{"job": "ns/first", "seconds": 60}`); got.Code != http.StatusOK {
			t.Errorf("beside another: %d %s", got.Code, got.Body)
		}
	})
}
