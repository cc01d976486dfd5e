package readapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/access"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/trace"
)

// Bounds of what is told of cycles.
const (
	mostCycles    = 20_000          // that are known at a time
	mostEvictions = 2000            // likewise
	mostDecisions = 500             // of one cycle
	cyclesFor     = time.Second / 2 // what was read is told again for so long
	lastHour      = time.Hour
)

const (
	cyclesPath    = "/v1/history/cycles"
	evictionsPath = "/v1/evictions"
)

// cycles follows what the scheduler has recorded: only what came since is gone through, whichever user asks.
type cycles struct {
	slot      chan struct{} // has a place for one that reads or follows
	read      time.Time
	lately    recording.Lately
	at        time.Time // of the scheduler's answer
	list      []explain.Cycle
	dropped   int // of the cycles that are still recorded
	quiet     int // cycles after the last of list
	last      uint64
	evictions []evictedIn
}

// evictedIn is an eviction, and the cycle that decided it.
type evictedIn struct {
	item  sched.Item
	cycle uint64
	now   int64
}

// see follows what was recorded since, and calls f with all that is known, one caller at a time.
func (c *cycles) see(s *Server, r *http.Request, f func()) error {
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	if err := c.follow(s, r); err != nil {
		return err
	}
	f()
	return nil
}

func (c *cycles) follow(s *Server, r *http.Request) error {
	if !c.read.IsZero() && time.Since(c.read) < cyclesFor {
		return nil
	}
	kept := false
	var lately recording.Lately
	var at time.Time
	err := s.o.Scheduler.Ask(r.Context(), Brief, func(_ *sched.Engine, m Moment) {
		if at = m.At; m.Recorder != nil {
			lately, kept = m.Recorder.Lately()
		}
	})
	switch {
	case err != nil:
		return err
	case !kept:
		return refuse(http.StatusNotFound, "NotFound", "this scheduler keeps no recording (--recording-memory)")
	}
	more, undone, last := lately.Cycles(c.last)
	c.lately, c.at, c.last, c.read = lately, at, max(c.last, last), time.Now()
	for i := range more {
		c.add(&more[i])
	}
	c.evictions = slices.DeleteFunc(c.evictions, func(e evictedIn) bool {
		return undone[e.item.ID] || e.now < lately.Since
	})
	if over := len(c.evictions) - mostEvictions; over > 0 {
		c.evictions = slices.Delete(c.evictions, 0, over)
	}
	old, _ := slices.BinarySearchFunc(c.list, explain.Stamp(lately.Since),
		func(x explain.Cycle, since string) int { return strings.Compare(x.Time, since) })
	c.list, c.dropped = slices.Delete(c.list, 0, old), max(0, c.dropped-old)
	if over := len(c.list) - mostCycles; over > 0 {
		c.list, c.dropped = slices.Delete(c.list, 0, over), c.dropped+over
	}
	return nil
}

func (c *cycles) add(of *recording.OfCycle) {
	row := figures(of.Cycle, of.Now, of.Took, of.Open)
	row.Bound = of.Bound
	for _, i := range of.Other {
		row.Count(i.Kind, i.Phase, len(i.Evictions))
		if i.Kind == sched.EvictPod {
			c.evictions = append(c.evictions, evictedIn{i, of.Cycle, of.Now})
		}
	}
	if !row.Decided() {
		c.quiet++
		return
	}
	row.Quiet, c.quiet = c.quiet, 0
	c.list = append(c.list, row)
}

func figures(number uint64, now, took int64, open bool) explain.Cycle {
	return explain.Cycle{Cycle: number, Time: explain.Stamp(now), Took: time.Duration(took).Seconds(), Panicked: open}
}

// listCycles answers /v1/history/cycles: figures alone, which name no object.
func listCycles(s *Server, w http.ResponseWriter, r *http.Request, _ *access.User) error {
	after, err := number(r.URL.Query().Get("after"))
	if err != nil {
		return badRequest("after: expected the number of a cycle")
	}
	out, c := explain.NewCycleList(), &s.cycles
	err = c.see(s, r, func() {
		out.Since, out.Last, out.Quiet = explain.Stamp(c.lately.Since), c.last, c.quiet
		from, _ := slices.BinarySearchFunc(c.list, after+1, func(x explain.Cycle, n uint64) int {
			return cmp.Compare(x.Cycle, n)
		})
		out.Items = append(out.Items, c.list[from:]...)
		if from == 0 {
			out.More = c.dropped
		}
	})
	if err != nil {
		return err
	}
	return s.write(w, r, out)
}

func number(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 62)
}

// cycleOf reads the path of one cycle: /v1/history/cycle/NUMBER.
func cycleOf(path string) (uint64, bool) {
	text, ok := strings.CutPrefix(path, "/v1/history/cycle/")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 62)
	return n, err == nil
}

// oneCycle answers what one cycle decided about the jobs that a user may see; decisions about others are counted.
func oneCycle(n uint64) func(*Server, http.ResponseWriter, *http.Request, *access.User) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
		var lately recording.Lately
		err := s.cycles.see(s, r, func() { lately = s.cycles.lately })
		if err != nil {
			return err
		}
		c, known := lately.Cycle(n)
		if !known {
			return refuse(http.StatusNotFound, "NotFound", "cycle "+strconv.FormatUint(n, 10)+" is not recorded, or no more")
		}
		v := newView(r.Context(), s.access, u)
		out := v.cycle(c)
		if v.err != nil {
			return v.err
		}
		return s.write(w, r, out)
	}
}

// cycle is a cycle without names that the user may not see.
func (v *view) cycle(c *recording.Cycle) *explain.CycleAnswer {
	out := explain.NewCycleAnswer(figures(c.Number, c.Now, c.Took, c.Open))
	for _, i := range c.Items {
		out.Count(i.Kind, i.Phase, len(i.Evictions))
		job, seen := v.decided(&i)
		switch {
		case !seen:
			out.Hidden++
		case len(out.Decisions) == mostDecisions:
			out.More++
		default:
			shown := v.item(job, i)
			out.Decisions = append(out.Decisions, explain.Decided{Job: v.one(job), What: explain.Decision(shown)})
			if i.Kind == sched.EvictPod && i.Record != nil {
				out.Evictions = append(out.Evictions, v.evicted(&evictedIn{i, c.Number, c.Now}))
			}
		}
	}
	return out
}

// decided is the job that a decision is about, as far as the item says it, and whether the user may see the decision.
func (v *view) decided(i *sched.Item) (job string, seen bool) {
	switch {
	case i.Record != nil:
		return v.side(i)
	case i.Kind == sched.SetPhase:
		return i.Group.String(), v.namespace(i.Group.Namespace)
	}
	return "", v.namespace(i.Pod.Namespace)
}

// side is the job of an eviction that the user may see: that of the victim, else the one that gets the room.
func (v *view) side(i *sched.Item) (job string, seen bool) {
	if v.namespace(i.Pod.Namespace) {
		return i.Record.Job, true
	}
	namespace, _, named := strings.Cut(i.Record.PreemptorJob, "/")
	return i.Record.PreemptorJob, named && v.namespace(namespace)
}

// evicted is an eviction without names that the user may not see. Nodes that lost are named to those that may list
// nodes.
func (v *view) evicted(e *evictedIn) explain.Eviction {
	job, _ := v.side(&e.item)
	why := *v.item(job, e.item).Record
	if !v.nodes() {
		why.Alternatives = nil
	}
	out := explain.NewEvictions([]*trace.Eviction{&why})[0]
	out.Cycle, out.At = int(e.cycle), explain.Stamp(e.now)
	return out
}

// listEvictions answers /v1/evictions: those that are recorded, the newest first, without what a user may not see.
func listEvictions(s *Server, w http.ResponseWriter, r *http.Request, u *access.User) error {
	var list []evictedIn
	var since int64
	var at time.Time
	err := s.cycles.see(s, r, func() {
		list, since, at = slices.Clone(s.cycles.evictions), s.cycles.lately.Since, s.cycles.at
	})
	if err != nil {
		return err
	}
	out, hidden := explain.NewEvictionList(), &explain.HiddenEvictions{ByAction: map[string]int{}}
	out.Since = explain.Stamp(since)
	v := newView(r.Context(), s.access, u)
	for _, e := range slices.Backward(list) {
		if e.item.Record == nil {
			continue
		}
		if _, seen := v.side(&e.item); seen {
			out.Items = append(out.Items, v.evicted(&e))
		} else if at.Sub(time.Unix(0, e.now)) < lastHour {
			hidden.Count++
			hidden.ByAction[e.item.Action]++
		}
	}
	if v.err != nil {
		return v.err
	}
	out.Total = len(out.Items)
	if hidden.Count > 0 {
		out.Hidden = hidden
	}
	return s.write(w, r, out)
}
