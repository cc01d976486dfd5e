package readapi

import (
	"context"
	"sync/atomic"
	"time"

	"ashlar.sh/sched"
)

// Bounds of how often the engine is copied, and for how long a copy is kept without a reader.
const (
	copyEvery = time.Second // at most
	copyShare = 30          // … and for at most one part in so many of the time
	keepFor   = time.Minute
)

// copied is the engine's report at one moment, which all readers share and none changes.
type copied struct {
	Moment
	sched.Report
	took time.Duration // in the loop's goroutine
	due  time.Time     // when a newer one may be made
}

// copies makes copies when they are asked for, one at a time.
type copies struct {
	scheduler Scheduler
	making    chan struct{} // has a place for the one that makes a copy
	last      atomic.Pointer[copied]
	forget    *time.Timer
	now       func() time.Time
}

func newCopies(s Scheduler, now func() time.Time) *copies {
	c := &copies{scheduler: s, making: make(chan struct{}, 1), now: now}
	c.forget = time.AfterFunc(keepFor, func() { c.last.Store(nil) })
	return c
}

// get returns the last copy, or a new one if that is due.
func (c *copies) get(ctx context.Context) (*copied, error) {
	c.forget.Reset(keepFor)
	if have := c.last.Load(); have != nil && c.now().Before(have.due) {
		return have, nil
	}
	select {
	case c.making <- struct{}{}:
		defer func() { <-c.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if have := c.last.Load(); have != nil && c.now().Before(have.due) {
		return have, nil // another reader made it meanwhile
	}
	next := &copied{}
	err := c.scheduler.Ask(ctx, Whole, func(e *sched.Engine, m Moment) {
		began := time.Now()
		next.Moment, next.Report = m, e.Report()
		for i := range next.Jobs { // the engine goes on with its reasons
			next.Jobs[i].Reason = next.Jobs[i].Reason.Clone()
		}
		next.took = time.Since(began)
	})
	if err != nil {
		return nil, err
	}
	next.due = c.now().Add(max(copyEvery, copyShare*next.took))
	c.last.Store(next)
	return next, nil
}
