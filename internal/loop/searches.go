package loop

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// searches find what would make waiting jobs run, on a copy of the engine and in a goroutine of their own: the loop
// only hands over what a copy is made of. A copy serves all jobs that are asked about meanwhile, and is gone then. No
// decision knows of them.
type searches struct {
	l    *loop
	kick chan struct{} // some job is wanted

	mu     sync.Mutex
	wanted []*search
	known  map[ledger.JobKey]readapi.Tried
	next   time.Time // no search begins before
}

func (x *searches) wire(l *loop) {
	x.l, x.kick, x.known = l, make(chan struct{}, 1), map[ledger.JobKey]readapi.Tried{}
}

// search is a job that is asked about, until it was answered.
type search struct {
	ctx    context.Context
	job    ledger.JobKey
	answer chan searched // has a place for it
}

type searched struct {
	readapi.Tried
	err error
}

const (
	searchPace    = 10               // changes are tried for at most this part of the time
	longestSearch = 2 * time.Second  // for one job
	mostSearches  = 8                // jobs by one copy
	mostWanted    = 64               // jobs that wait for a copy
	searchHolds   = 15 * time.Second // for so long it is told again
	mostKnown     = 1024             // jobs of which it is remembered
)

// WouldRun implements readapi.Scheduler.
func (q *questions) WouldRun(ctx context.Context, job ledger.JobKey, still func(readapi.Tried) bool) (
	readapi.Tried, error) {
	if unready := q.Ready(); unready != nil {
		return readapi.Tried{}, unready
	}
	return q.l.background.searches.of(ctx, job, still)
}

// of is what was found of a job lately and still holds, or what is found now.
func (x *searches) of(ctx context.Context, job ledger.JobKey, still func(readapi.Tried) bool) (readapi.Tried, error) {
	s := &search{ctx: ctx, job: job, answer: make(chan searched, 1)}
	if known, ok, err := x.want(s, still); ok || err != nil {
		return known, err
	}
	select {
	case x.kick <- struct{}{}:
	default:
	}
	select {
	case a := <-s.answer:
		return a.Tried, a.err
	case <-x.l.background.questions.over:
		return readapi.Tried{}, x.l.background.questions.Ready()
	case <-ctx.Done():
		return readapi.Tried{}, noTime
	}
}

// want adds a job to those that wait for a copy, unless it is known, or no copy will be made in time.
func (x *searches) want(s *search, still func(readapi.Tried) bool) (known readapi.Tried, ok bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if known, ok = x.known[s.job]; ok && x.l.now()-known.At.UnixNano() < int64(searchHolds) && still(known) {
		return known, true, nil
	}
	deadline, limited := s.ctx.Deadline()
	if limited && deadline.Before(x.next) || len(x.wanted) >= mostWanted {
		return readapi.Tried{}, false, &readapi.Unready{Reason: readapi.Busy, Message: fmt.Sprintf("the scheduler tries no "+
			"changes for another %s: what would make the job run is not known now", time.Until(x.next).Round(time.Second))}
	}
	x.wanted = append(x.wanted, s)
	return readapi.Tried{}, false, nil
}

// run searches when somebody asks, until ctx ends.
func (x *searches) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.kick:
		}
		for batch := x.batch(); len(batch) > 0; batch = x.batch() {
			if !x.due(ctx) {
				return
			}
			x.search(ctx, batch)
		}
	}
}

// due waits until the next search may begin.
func (x *searches) due(ctx context.Context) bool {
	x.mu.Lock()
	next := x.next
	x.mu.Unlock()
	return waitUntil(ctx, next)
}

// batch takes jobs that are searched with one copy. Those that no client waits for any more are left out.
func (x *searches) batch() (out []*search) {
	x.mu.Lock()
	defer x.mu.Unlock()
	rest := x.wanted[:0]
	for _, s := range x.wanted {
		switch {
		case s.ctx.Err() != nil:
		case len(out) < mostSearches:
			out = append(out, s)
		default:
			rest = append(rest, s)
		}
	}
	clear(x.wanted[len(rest):])
	x.wanted = rest
	return out
}

// search answers a batch, and then pauses for as long as that took many times.
func (x *searches) search(ctx context.Context, batch []*search) {
	x.l.background.copying <- struct{}{}
	defer func() { <-x.l.background.copying }()
	began := time.Now()
	var handed time.Duration
	panicked := crash.Handler(x.l.panicked).Recover("trying changes", func() { handed = x.try(ctx, batch) })
	pause := max(searchPace*time.Since(began), shares[readapi.Whole]*handed)
	if panicked != nil {
		pause = afterFailure
	}
	x.mu.Lock()
	x.next = time.Now().Add(pause)
	x.mu.Unlock()
	for _, s := range batch { // of those that were answered the place is taken
		select {
		case s.answer <- searched{err: noTime}:
		default:
		}
	}
}

// try makes a copy and searches. It returns how long the loop took to hand over what the copy is made of.
func (x *searches) try(ctx context.Context, batch []*search) (handed time.Duration) {
	batch = x.waiting(batch)
	if len(batch) == 0 {
		return 0 // an estimate took the time
	}
	var copies func() (*sched.Copy, error)
	var tried readapi.Tried
	reasons, jobs := map[ledger.JobKey]trace.Reason{}, map[ledger.JobKey]uint64{}
	err := x.l.background.questions.handOver(ctx, func(e *sched.Engine, m readapi.Moment) {
		began := time.Now()
		copies, tried.Moment = sched.CopiesOf(e), m
		for _, s := range batch {
			if j, there := e.Ledger().Jobs.Find(s.job); there {
				reasons[s.job], jobs[s.job] = e.JobReason(j).Clone(), readapi.Identity(e, s.job)
			}
		}
		handed = time.Since(began)
	})
	if err != nil {
		answerAll(batch, err)
		return handed
	}
	now := x.l.now()
	c, err := copies()
	if err != nil {
		answerAll(batch, err)
		return handed
	}
	with := whatif.New(c, now)
	done := map[ledger.JobKey]readapi.Tried{}
	for _, s := range batch {
		one, again := done[s.job]
		if !again {
			end := time.Now().Add(longestSearch)
			one = tried
			one.Reason, one.Job = reasons[s.job], jobs[s.job]
			one.WouldRun, _ = with.Job(s.job, whatif.Limits{
				Stop: func() bool { return ctx.Err() != nil || time.Now().After(end) }})
			done[s.job] = one
			x.remember(s.job, one)
		}
		s.answer <- searched{Tried: one}
	}
	return handed
}

// waiting are those that a client still waits for.
func (x *searches) waiting(batch []*search) (out []*search) {
	for _, s := range batch {
		if s.ctx.Err() == nil {
			out = append(out, s)
		}
	}
	return out
}

func answerAll(batch []*search, err error) {
	for _, s := range batch {
		s.answer <- searched{err: err}
	}
}

// remember notes what was found.
func (x *searches) remember(job ledger.JobKey, t readapi.Tried) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.known) >= mostKnown {
		clear(x.known)
	}
	x.known[job] = t
}
