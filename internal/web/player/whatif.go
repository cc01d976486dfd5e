package player

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// Change is what would be otherwise. Exactly one of Queue and Objects is given.
type Change struct {
	Queue   string  `json:"queue,omitempty"`
	Weight  *int32  `json:"weight,omitempty"`
	Objects string  `json:"objects,omitempty"` // YAML, as for `ashlar simulate -f`
	Seconds float64 `json:"seconds"`           // of virtual time to look ahead
}

// Bounds of a what-if.
const (
	mostChange  = 1 << 20
	mostSeconds = 7 * 24 * 3600
	mostWeight  = 1 << 30
	copyWithin  = 4 * time.Second // of the wall's time, for each of both copies
	mostMoves   = 500             // jobs that are listed
)

// WhatIf is what a change would move: two copies of the world, one with the change, run for the same time. Nothing new
// comes in either, and pods that are known to end do end.
type WhatIf struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Seconds    float64 `json:"seconds"` // how far both were run
	Cut        bool    `json:"cut"`     // less than what was asked for: it would have taken too long
	Queues     []Moved `json:"queues"`
	Jobs       []Move  `json:"jobs"`
	More       int     `json:"more"` // jobs that moved and are not listed
	// Evicted are the pods that only the copy with the change evicts, and Spared those that only the other one does.
	Evicted  []explain.Eviction `json:"evicted"`
	Spared   []explain.Eviction `json:"spared"`
	Problems []explain.Problem  `json:"problems"` // that only the copy with the change has
}

// Moved is a queue's figures at the end, without the change and with it.
type Moved struct {
	Name   string        `json:"name"`
	Before explain.Queue `json:"before"`
	After  explain.Queue `json:"after"`
}

// Move is how a job fares, without the change and with it. Before is nil for a job that comes with the change.
type Move struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Queue     string `json:"queue"`
	Before    *Fared `json:"before"`
	After     *Fared `json:"after"`
}

// Fared is what becomes of a job. Starts is after how many seconds it gets its first node, -1 if it does not.
type Fared struct {
	Starts  float64        `json:"starts"`
	Evicted int            `json:"evicted"` // its pods that were
	Reason  explain.Reason `json:"reason"`  // why it waits at the end
}

// whatIf answers what a change would move. It needs the moment up to which the world has run.
func (p *Player) whatIf(w http.ResponseWriter, r *http.Request) {
	var c Change
	if !read(w, r, &c, mostChange) {
		return
	}
	f, _, _ := p.at()
	switch {
	case p.o.Copy == nil:
		refuse(w, http.StatusConflict, "there is no what-if here")
		return
	case !p.isEdge(f):
		refuse(w, http.StatusConflict, "what-if goes on from the latest moment: go there first")
		return
	}
	select {
	case p.copying <- struct{}{}:
		defer func() { <-p.copying }()
	default:
		refuse(w, http.StatusTooManyRequests, "another what-if is being computed")
		return
	}
	out, err := p.compute(c)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	write(w, out)
}

// compute runs both copies.
func (p *Player) compute(c Change) (*WhatIf, error) {
	if !(c.Seconds > 0 && c.Seconds <= mostSeconds) {
		return nil, fmt.Errorf("seconds: expected more than 0 and at most %d", mostSeconds)
	}
	p.mu.Lock()
	at := p.pos
	p.mu.Unlock()
	p.world.Lock()
	items, clock := p.w.Items(at)
	p.world.Unlock()
	other, err := p.change(items, c)
	if err != nil {
		return nil, err
	}
	without, err := p.copyRun(items, clock, time.Duration(c.Seconds*float64(time.Second)))
	if err != nil {
		return nil, err
	}
	with, err := p.copyRun(other, clock, without.reached)
	if err != nil {
		return nil, err
	}
	if with.reached < without.reached { // compared at one moment
		if without, err = p.copyRun(items, clock, with.reached); err != nil {
			return nil, err
		}
	}
	out := compare(without, with)
	out.Seconds = with.reached.Seconds()
	out.Cut = out.Seconds < c.Seconds
	return out, nil
}

// change makes the items of the copy that is otherwise.
func (p *Player) change(items []sim.Item, c Change) ([]sim.Item, error) {
	switch {
	case (c.Queue == "") == (c.Objects == ""):
		return nil, errors.New("expected a queue or objects")
	case c.Objects != "":
		more, err := p.o.Parse(c.Objects)
		if err != nil {
			return nil, err
		}
		for i := range more {
			more[i].SubmitAt = 0
		}
		return append(slices.Clone(items), more...), nil
	case c.Weight == nil || *c.Weight < 1 || *c.Weight > mostWeight:
		return nil, fmt.Errorf("weight: expected 1 to %d", mostWeight)
	}
	out := slices.Clone(items)
	for i := range out {
		q, is := out[i].Fact.Object.(*model.Queue)
		if is && out[i].Fact.Ref.Name == c.Queue {
			changed := *q
			changed.Weight = *c.Weight
			out[i].Fact.Object = &changed
			return out, nil
		}
	}
	return nil, fmt.Errorf("there is no queue %q", c.Queue)
}

// ran is a copy that was run.
type ran struct {
	report  *explain.Report
	started map[string]time.Duration // by namespace/name of the pod, the first time
	reached time.Duration
}

func (p *Player) copyRun(items []sim.Item, clock int64, until time.Duration) (*ran, error) {
	w, err := p.o.Copy(items, clock)
	if err != nil {
		return nil, err
	}
	out := &ran{started: map[string]time.Duration{}}
	begun := p.o.Now()
	for {
		at, more := w.Next()
		if !more || at > until {
			out.reached = until
			break
		}
		cycle, _ := w.Step()
		for _, i := range cycle.Plan.Items {
			if pod := i.Pod.Namespace + "/" + i.Pod.Name; i.Kind == sched.BindPod {
				if _, again := out.started[pod]; !again {
					out.started[pod] = cycle.At
				}
			}
		}
		if out.reached = at; p.o.Now().Sub(begun) > copyWithin {
			break
		}
	}
	var evicted []explain.Eviction
	for _, e := range w.Evictions() {
		evicted = append(evicted, explain.Eviction{Cycle: e.Cycle, Time: explain.Duration(e.Time), Namespace: e.Pod.Namespace,
			Name: e.Pod.Name, Job: e.Job, Queue: e.Queue, Action: e.Action, For: e.For})
	}
	out.report = explain.New(w.Engine().Report(), explain.Summary{}, evicted)
	return out, nil
}

// fared is what became of each job, by its key.
func (r *ran) fared() map[string]*Fared {
	out := map[string]*Fared{}
	for i := range r.report.Jobs {
		j := &r.report.Jobs[i]
		out[j.Namespace+"/"+j.Name] = &Fared{Starts: -1, Reason: j.Reason}
	}
	for _, pod := range r.report.Pods {
		at, began := r.started[pod.Namespace+"/"+pod.Name]
		if f := out[pod.Namespace+"/"+pod.Job]; f != nil && began && (f.Starts < 0 || at.Seconds() < f.Starts) {
			f.Starts = at.Seconds()
		}
	}
	for _, e := range r.report.Evictions {
		if f := out[e.Namespace+"/"+e.Job]; f != nil {
			f.Evicted++
		}
	}
	return out
}

func compare(without, with *ran) *WhatIf {
	out := &WhatIf{APIVersion: apiVersion, Kind: "WhatIf", Queues: []Moved{}, Jobs: []Move{},
		Evicted:  beyond(with.report.Evictions, without.report.Evictions),
		Spared:   beyond(without.report.Evictions, with.report.Evictions),
		Problems: []explain.Problem{}}
	for _, p := range with.report.Problems {
		if !slices.Contains(without.report.Problems, p) {
			out.Problems = append(out.Problems, p)
		}
	}
	before := map[string]explain.Queue{}
	for _, q := range without.report.Queues {
		before[q.Name] = q
	}
	for _, q := range with.report.Queues {
		out.Queues = append(out.Queues, Moved{Name: q.Name, Before: before[q.Name], After: q})
	}
	was, is := without.fared(), with.fared()
	for i := range with.report.Jobs {
		j := &with.report.Jobs[i]
		key := j.Namespace + "/" + j.Name
		b, a := was[key], is[key]
		if b != nil && b.Starts == a.Starts && b.Evicted == a.Evicted && (b.Reason.Code == "") == (a.Reason.Code == "") {
			continue
		}
		out.Jobs = append(out.Jobs, Move{Namespace: j.Namespace, Name: j.Name, Queue: j.Queue, Before: b, After: a})
	}
	slices.SortStableFunc(out.Jobs, func(a, b Move) int { return cmp.Compare(rank(a), rank(b)) })
	if more := len(out.Jobs) - mostMoves; more > 0 {
		out.Jobs, out.More = out.Jobs[:mostMoves], more
	}
	return out
}

// rank orders moves: new jobs, then those that are evicted otherwise, then those that start otherwise.
func rank(m Move) int {
	switch {
	case m.Before == nil:
		return 0
	case m.Before.Evicted != m.After.Evicted:
		return 1
	default:
		return 2
	}
}

// beyond lists the evictions of pods that the other list has not.
func beyond(of, other []explain.Eviction) []explain.Eviction {
	known := map[string]bool{}
	for _, e := range other {
		known[e.Namespace+"/"+e.Name] = true
	}
	out := []explain.Eviction{}
	for _, e := range of {
		if !known[e.Namespace+"/"+e.Name] && len(out) < mostMoves {
			out = append(out, e)
		}
	}
	return out
}
