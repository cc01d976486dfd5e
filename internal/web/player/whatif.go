package player

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/sim"
	"ashlar.sh/sched"
)

// Bounds of a what-if.
const (
	mostChange  = 1 << 20
	mostSeconds = 7 * 24 * 3600
	mostWeight  = 1 << 30
	copyWithin  = 4 * time.Second // of the wall's time, for each of both copies
	mostMoves   = 500             // jobs that are listed
)

// Copy is a moment on which what-if is tried: what there is, and how worlds are made of it.
type Copy struct {
	Items []sim.Item
	Begin int64 // of virtual time, in nanoseconds since the epoch
	Make  Make
	Parse func(text string) ([]sim.Item, error) // what somebody adds
	Now   func() time.Time
}

// Make makes a world of items by the text of a configuration; "" is the one that holds.
type Make func(items []sim.Item, begin int64, configuration string) (*sim.World, error)

// WhatIf is what a change would move: two copies of the world, one with the change, run for the same time. Nothing new
// comes in either but what the input has for later, and pods that are known to end do end.
type WhatIf struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Seconds    float64 `json:"seconds"` // how far both were run
	Cut        bool    `json:"cut"`     // less than what was asked for: it would have taken too long
	Queues     []Moved `json:"queues"`
	Jobs       []Move  `json:"jobs"`
	More       int     `json:"more"` // jobs that moved and are not listed
	// Evicted are the pods that only the copy with the change evicts, and NotEvicted those that only the other one does.
	Evicted    []explain.Eviction `json:"evicted"`
	NotEvicted []explain.Eviction `json:"spared"`
	Problems   []explain.Problem  `json:"problems"` // that only the copy with the change has
	// Without and With are both runs over time.
	Without []Sample `json:"without"`
	With    []Sample `json:"with"`
}

// Moved is a queue's figures at the end, without the change and with it.
type Moved struct {
	Name   string        `json:"name"`
	Before explain.Queue `json:"before"`
	After  explain.Queue `json:"after"`
}

// Move is how a job fares, without the change and with it. Before is nil for a job that comes with the change, After
// for one that goes with it.
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

// Refusal is why there is no copy, with the code of HTTP that says so.
type Refusal struct {
	Code    int
	Message string
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// awaitPlace is how long a what-if waits for the one before it, or for what would make a job run.
const awaitPlace = 5 * time.Second

// Answers answers requests for what-if, one at a time: while one is made and run, others wait a while, and are refused
// then. place is a channel of one place, which it takes meanwhile. copied makes the copy that a change is tried on, for
// as long as the context says; its error may be a Refusal.
func Answers(place chan struct{}, copied func(context.Context, *Change) (*Copy, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late := time.NewTimer(awaitPlace)
		defer late.Stop()
		select {
		case place <- struct{}{}:
			defer func() { <-place }()
			respond(w, r, copied)
		case <-r.Context().Done(): // it has gone
		case <-late.C:
			refuse(w, http.StatusTooManyRequests, "another what-if is being computed")
		}
	})
}

func respond(w http.ResponseWriter, r *http.Request, copied func(context.Context, *Change) (*Copy, error)) {
	var c Change
	if !read(w, r, &c, mostChange) {
		return
	}
	var out *WhatIf
	err := c.check()
	if err == nil {
		var on *Copy
		if on, err = copied(r.Context(), &c); err == nil {
			out, err = on.WhatIf(&c)
		}
	}
	var refused *Refusal
	switch {
	case errors.As(err, &refused):
		refuse(w, refused.Code, refused.Message)
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	default:
		write(w, out)
	}
}

// copied is the copy that a change is tried on: of the beginning, or of the moment up to which the world has run.
func (p *Player) copied(_ context.Context, c *Change) (*Copy, error) {
	f, _, _ := p.at()
	out := &Copy{Make: p.o.Make, Parse: p.o.Parse, Now: p.o.Now}
	switch {
	case p.o.Make == nil:
		return nil, &Refusal{http.StatusConflict, "there is no what-if here"}
	case c.FromStart && p.o.Start == nil:
		return nil, &Refusal{http.StatusConflict,
			"fromStart: what was saved has no beginning that can be run again: leave it out to go on from the latest moment"}
	case c.FromStart:
		out.Items, out.Begin = p.o.Start()
		return out, nil
	case !p.isEdge(f):
		return nil, &Refusal{http.StatusConflict, "what-if goes on from the latest moment: go there first"}
	}
	p.mu.Lock()
	at := p.pos
	p.mu.Unlock()
	p.world.Lock()
	defer p.world.Unlock()
	out.Items, out.Begin = p.w.Items(at)
	return out, nil
}

// WhatIf runs both copies.
func (c *Copy) WhatIf(change *Change) (*WhatIf, error) {
	other, err := change.apply(c.Items, c.Parse)
	if err != nil {
		return nil, err
	}
	ahead := time.Duration(change.Seconds * float64(time.Second))
	without, err := c.run(c.Items, "", ahead, ahead)
	if err != nil {
		return nil, err
	}
	with, err := c.run(other, change.Configuration, without.reached, ahead)
	if err != nil {
		return nil, err
	}
	if with.reached < without.reached { // compared at one moment
		if without, err = c.run(c.Items, "", with.reached, ahead); err != nil {
			return nil, err
		}
	}
	out := compare(without, with)
	out.Seconds = with.reached.Seconds()
	out.Cut = out.Seconds < change.Seconds
	return out, nil
}

// ran is a copy that was run.
type ran struct {
	report  *explain.Report
	started map[string]time.Duration // by namespace/name of the pod, the first time
	reached time.Duration
	samples []Sample
}

// run runs a world up to a time, for a bounded time of the wall. Samples are taken of so long a run as ahead.
func (c *Copy) run(items []sim.Item, configuration string, until, ahead time.Duration) (*ran, error) {
	w, err := c.Make(items, c.Begin, configuration)
	if err != nil {
		return nil, err
	}
	out := &ran{started: map[string]time.Duration{}}
	begun := c.Now()
	s := sampler{each: ahead / mostSamples, now: c.Now}
	defer func() { out.samples = s.list }()
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
		s.look(w, at)
		if out.reached = at; c.Now().Sub(begun) > copyWithin {
			break
		}
	}
	s.take(w, out.reached)
	var evicted []explain.Eviction
	for _, e := range w.Evictions() {
		evicted = append(evicted, explain.Eviction{Cycle: e.Cycle, Time: explain.Duration(e.Time), Namespace: e.Pod.Namespace,
			Name: e.Pod.Name, Job: e.Job, Queue: e.Queue, Action: e.Action, PreemptorJob: e.PreemptorJob})
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
		Evicted:    beyond(with.report.Evictions, without.report.Evictions),
		NotEvicted: beyond(without.report.Evictions, with.report.Evictions),
		Problems:   []explain.Problem{}, Without: without.samples, With: with.samples}
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
	for i := range without.report.Jobs {
		j := &without.report.Jobs[i]
		if key := j.Namespace + "/" + j.Name; is[key] == nil {
			out.Jobs = append(out.Jobs, Move{Namespace: j.Namespace, Name: j.Name, Queue: j.Queue, Before: was[key]})
		}
	}
	slices.SortStableFunc(out.Jobs, func(a, b Move) int { return cmp.Compare(rank(a), rank(b)) })
	if more := len(out.Jobs) - mostMoves; more > 0 {
		out.Jobs, out.More = out.Jobs[:mostMoves], more
	}
	return out
}

// rank orders moves: jobs that come or go, then those that are evicted otherwise, then those that start otherwise.
func rank(m Move) int {
	switch {
	case m.Before == nil, m.After == nil:
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
