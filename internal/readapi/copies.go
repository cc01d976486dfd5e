package readapi

import (
	"context"
	"sync/atomic"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Bounds of how often the engine is copied, and for how long a copy is kept without a reader.
const (
	copyEvery   = time.Second / 4 // at most
	copyShare   = 40              // … and for at most one part in so many of the time
	keepFor     = time.Minute
	startsEvery = time.Second     // when jobs start is told anew, where nothing else changed
	alsoFor     = 5 * time.Second // a copy has the parts of the one before, if that is no older

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
	ofDevices // of resource claims
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

	jobs     []*sched.JobReport // of which Jobs is made, and Nodes of nodes
	nodes    []*sched.NodeReport
	devices  func() []*sched.DevicePool
	onNode   map[string][]*sched.DevicePool
	sums     []explain.DeviceGroup // of Devices
	startsAt time.Time             // the moment of the starts in Jobs
}

// read copies parts of what an engine knows. Of jobs and nodes it costs what changed since rows were read last. Many
// jobs that wait would take the loop's goroutine so long that copies, which have a share of its time, came seconds
// after what it decided: so without ofReasons only some of them are asked anew why they wait, in turn.
func (c *copied) read(e *sched.Engine, m Moment, rows *sched.ReportRows, within time.Duration) {
	began := time.Now()
	c.Moment = m
	if c.has&ofJobs != 0 {
		end := began.Add(within)
		c.jobs = rows.Jobs(e, func() bool { return c.has&ofReasons == 0 && time.Now().After(end) })
	}
	if c.has&ofNodes != 0 {
		c.nodes = rows.Nodes(e)
	}
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
	if c.has&ofPods != 0 {
		c.Pods = e.Questions().Pods()
	}
	if c.has&ofHeld != 0 {
		c.Held = e.Questions().Held()
	}
	if c.has&ofDevices != 0 {
		c.devices = sched.DevicesOf(e)
	}
	c.took = time.Since(began)
}

// finish makes the copy's own rows of those that all copies share, outside of the loop's goroutine. Where nothing
// changed since the copy before, they are that one's. When jobs start depends on time, too: that is written anew each
// second.
func (c *copied) finish(last *copied) {
	if last == nil {
		last = &copied{}
	}
	c.Nodes, c.Jobs, c.startsAt = last.Nodes, last.Jobs, last.startsAt
	moved := c.describeDevices(last)
	if !isSame(c.nodes, last.nodes) || moved && c.nodes != nil {
		c.Nodes = values(c.nodes)
		for i := range c.Nodes {
			c.Nodes[i].Devices = c.onNode[c.Nodes[i].Name]
		}
	}
	passed := c.Starts != nil && c.At.Sub(c.startsAt) >= startsEvery
	if !isSame(c.jobs, last.jobs) || c.Starts != last.Starts || passed {
		c.Jobs, c.startsAt = values(c.jobs), c.At
		addStarts(c.Jobs, c.Moment)
	}
}

// describeDevices describes devices, and says that they stand otherwise than in the copy before.
func (c *copied) describeDevices(last *copied) bool {
	c.Devices, c.onNode, c.sums = last.Devices, last.onNode, last.sums
	if c.devices == nil {
		return false
	}
	now := c.devices()
	if isSame(now, last.Devices) && last.devices != nil {
		return false
	}
	c.Devices, c.onNode, c.sums = now, sched.DevicesByNode(now), explain.DeviceSums(now)
	return true
}

// isSame says that two slices are one.
func isSame[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func values[T any](rows []*T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = *rows[i]
	}
	return out
}

// ownReasons gives rows reasons of their own: the engine goes on with its.
func ownReasons(rows []sched.JobReport) {
	for i := range rows {
		rows[i].Reason = rows[i].Reason.Clone()
	}
}

// addStarts writes into rows when jobs start. All users share them, so they name no other jobs: those are counted.
func addStarts(rows []sched.JobReport, m Moment) {
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
	listed    atomic.Pointer[copied] // that of jobs with their reasons
	rows      *sched.ReportRows      // of the last copy; the one that makes a copy has it. nil: there are none
	forget    *time.Timer
	now       func() time.Time
	within    time.Duration // see reasonsFor
}

func newCopies(s Scheduler, now func() time.Time) *copies {
	c := &copies{scheduler: s, making: make(chan struct{}, 1), now: now, within: reasonsFor}
	c.forget = time.AfterFunc(keepFor, c.drop)
	return c
}

// drop forgets the last copy, which had no reader for long.
func (c *copies) drop() {
	c.making <- struct{}{}
	c.last.Store(nil)
	c.listed.Store(nil)
	c.rows = nil
	<-c.making
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
	next, kept, size := &copied{has: need}, c.lastOf(need), Whole
	last := kept.Load()
	if last != nil && c.now().Sub(last.made) < alsoFor {
		next.has |= last.has // readers of different parts must not make one copy each, in turn
	}
	if need&ofReasons != 0 {
		size = Reasons
	}
	rows := c.rows
	c.rows = nil // a panic leaves rows that are not to be followed
	if rows == nil {
		rows = &sched.ReportRows{}
	}
	asked := false
	read := func(e *sched.Engine, m Moment) {
		asked = true
		next.read(e, m, rows, c.within)
	}
	if err := c.scheduler.Ask(ctx, size, read); err != nil {
		if !asked {
			c.rows = rows
		}
		return nil, err
	}
	c.rows = rows
	next.finish(last)
	next.made = c.now()
	next.due = next.made.Add(max(copyEvery, copyShare*next.took))
	kept.Store(next)
	return next, nil
}

// lastOf is where the last copy is kept that a reader may need. What a list costs, for which all jobs are asked why
// they wait, has a share of the loop's time of its own: streams do not wait for it.
func (c *copies) lastOf(need parts) *atomic.Pointer[copied] {
	if need&ofReasons != 0 {
		return &c.listed
	}
	return &c.last
}

// valid is the last copy if it will do.
func (c *copies) valid(need parts) *copied {
	have := c.lastOf(need).Load()
	if have == nil || have.has&need != need || !c.now().Before(have.due) {
		return nil
	}
	return have
}
