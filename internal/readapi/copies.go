package readapi

import (
	"context"
	"sync/atomic"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Bounds of how often the engine is copied, and for how long a copy is kept without a reader.
const (
	copyEvery = time.Second / 4 // at most
	copyShare = 40              // … and for at most one part in so many of the time
	keepFor   = time.Minute
	alsoFor   = 5 * time.Second // a copy has the parts of the one before, if that is no older

	reasonsFor = 4 * time.Millisecond // of a copy without ofReasons: to find out anew why jobs wait
)

// parts are the parts of a report that a reader needs.
type parts uint8

// The parts.
const (
	ofQueues parts = 1 << iota
	ofJobs
	ofPods
	ofNodes
	ofHeld    // what holds each node
	ofReasons // of all jobs the present ones, which cost more than all else; without it some may be older
)

// copied is the engine's report at one moment, or some parts of it, which all readers share and none changes.
type copied struct {
	Moment
	sched.Report
	Held []sched.NodeWhy // by name
	has  parts
	took time.Duration // in the loop's goroutine
	made time.Time
	due  time.Time // when a newer one may be made
	asks int       // the row of Jobs with which the next copy begins to find out why jobs wait
}

// read copies parts of what an engine knows; last is the copy before, nil for none.
func (c *copied) read(e *sched.Engine, m Moment, last *copied, within time.Duration) {
	began := time.Now()
	c.Moment = m
	if c.has&ofQueues != 0 {
		c.Queues = e.Queues()
		m.Starts.IntoQueues(c.Queues, func(k ledger.JobKey) string {
			l := e.Ledger()
			if j, there := l.Jobs.Find(k); there && l.Job(j).Queue != ledger.NoQueue {
				return l.Queue(l.Job(j).Queue).Name
			}
			return ""
		}, m.At.UnixNano())
	}
	if c.has&ofJobs != 0 {
		c.readJobs(e, last, within)
		tellStarts(c.Jobs, m)
	}
	if c.has&ofPods != 0 {
		c.Pods = e.Questions().Pods()
	}
	if c.has&ofNodes != 0 {
		c.Nodes = e.Questions().Nodes()
	}
	if c.has&ofHeld != 0 {
		c.Held = e.Questions().Held()
	}
	c.took = time.Since(began)
}

// readJobs copies the jobs. Many that wait would take the loop's goroutine so long that copies, which have a share of
// its time, came seconds after what it decided: so only some of them are asked anew why they wait, in turn.
func (c *copied) readJobs(e *sched.Engine, last *copied, within time.Duration) {
	if c.has&ofReasons != 0 {
		c.Jobs = e.Questions().Jobs()
		ownReasons(c.Jobs)
		return
	}
	if last == nil {
		last = &copied{}
	}
	end := time.Now().Add(within)
	rows, old, next := e.Questions().JobsWithin(last.asks, func() bool { return time.Now().After(end) })
	ownReasons(rows)
	before := 0
	for _, i := range old {
		at := jobs.at(&rows[i])
		for before < len(last.Jobs) && jobs.at(&last.Jobs[before]).compare(at) < 0 {
			before++
		}
		if before == len(last.Jobs) || jobs.at(&last.Jobs[before]) != at {
			continue
		}
		was := &last.Jobs[before]
		if was.Reason.Code == rows[i].Reason.Code && was.Created == rows[i].Created && was.Queue == rows[i].Queue {
			rows[i].Reason = was.Reason // it says more; a job that was made again has reasons of its own
		}
	}
	c.Jobs, c.asks = rows, next
}

// ownReasons gives rows reasons of their own: the engine goes on with its.
func ownReasons(rows []sched.JobReport) {
	for i := range rows {
		rows[i].Reason = rows[i].Reason.Clone()
	}
}

// tellStarts tells in rows when jobs start. All users share them, so they name no other jobs: those are counted.
func tellStarts(rows []sched.JobReport, m Moment) {
	m.Starts.Into(rows, m.At.UnixNano())
	for i := range rows {
		s := &rows[i].Start
		s.Jobs, s.More, s.Reason = nil, s.More+len(s.Jobs), trace.Reason{}
	}
}

// copies makes copies when they are asked for, one at a time.
type copies struct {
	scheduler Scheduler
	making    chan struct{} // has a place for the one that makes a copy
	last      atomic.Pointer[copied]
	forget    *time.Timer
	now       func() time.Time
	within    time.Duration // see reasonsFor
}

func newCopies(s Scheduler, now func() time.Time) *copies {
	c := &copies{scheduler: s, making: make(chan struct{}, 1), now: now, within: reasonsFor}
	c.forget = time.AfterFunc(keepFor, func() { c.last.Store(nil) })
	return c
}

// get returns the last copy if it has all that is needed and no newer one is due, else a new one.
func (c *copies) get(ctx context.Context, need parts) (*copied, error) {
	c.forget.Reset(keepFor)
	if have := c.valid(need); have != nil {
		return have, nil
	}
	select {
	case c.making <- struct{}{}:
		defer func() { <-c.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if have := c.valid(need); have != nil {
		return have, nil // another reader made it meanwhile
	}
	next := &copied{has: need}
	last := c.last.Load()
	if last != nil && c.now().Sub(last.made) < alsoFor {
		next.has |= last.has // readers of different parts must not make one copy each, in turn
	}
	if next.has &^= ofReasons; need&ofReasons != 0 {
		next.has |= ofReasons // a list has them of all jobs; it does not make streams wait for them from then on
	}
	read := func(e *sched.Engine, m Moment) { next.read(e, m, last, c.within) }
	if err := c.scheduler.Ask(ctx, Whole, read); err != nil {
		return nil, err
	}
	next.made = c.now()
	next.due = next.made.Add(max(copyEvery, copyShare*next.took))
	c.last.Store(next)
	return next, nil
}

// valid is the last copy if it will do.
func (c *copies) valid(need parts) *copied {
	have := c.last.Load()
	if have == nil || have.has&need != need || !c.now().Before(have.due) {
		return nil
	}
	return have
}
