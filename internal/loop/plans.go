package loop

import (
	"context"
	"errors"
	"time"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/whatif"
)

// plans find what would become of jobs if they were submitted, on a copy of the engine and in a goroutine of their own.
// To make a copy of a large cluster takes a second, and to try jobs on it milliseconds: so one copy is kept while
// somebody asks, and a new one is made in its place beside the answers. No decision knows of them.
type plans struct {
	l     *loop
	asked chan *planned
	next  chan fresh     // a copy that is made
	made  fresh          // the copy that is kept
	under bool           // a copy is being made
	from  time.Time      // no answer before, but for a burst
	turn  chan time.Time // has a place for the one that looks ahead; the value: no sooner than
}

// planned is a question, until it was answered.
type planned struct {
	ctx    context.Context
	jobs   []model.Fact
	see    func(*sched.Engine, readapi.Moment, int, sched.Plan)
	answer chan tried // has a place for it
}

// tried is its answer.
type tried struct {
	ahead readapi.Foresee
	err   error
}

// fresh is a copy of the engine, of a moment.
type fresh struct {
	copy   *sched.Copy
	moment readapi.Moment
	now    int64
	made   time.Time
	holds  time.Duration // from then on it is time for another one; after twice that it is too old
	err    error
}

const (
	copyHolds = time.Second // at least
	copyPace  = 10          // copies are made for at most this part of the time
	planPace  = 4           // and jobs are tried for at most this part
)

var errPlanning = errors.New("a bug in ashlar: its log says more")

func (x *plans) wire(l *loop) {
	x.l, x.asked, x.next = l, make(chan *planned), make(chan fresh, 1)
	x.turn = make(chan time.Time, 1)
	x.turn <- time.Time{}
}

// Plan implements readapi.Scheduler.
func (q *questions) Plan(ctx context.Context, jobs []model.Fact,
	see func(*sched.Engine, readapi.Moment, int, sched.Plan)) (readapi.Foresee, error) {
	if unready := q.Ready(); unready != nil {
		return nil, unready
	}
	p := &planned{ctx: ctx, jobs: jobs, see: see, answer: make(chan tried, 1)}
	select {
	case q.l.background.plans.asked <- p:
	case <-ctx.Done():
		return nil, noTime
	}
	a := <-p.answer // it is being answered: see may still write to what ctx's owner has
	return a.ahead, a.err
}

// follow answers, one question at a time, until ctx ends.
func (x *plans) follow(ctx context.Context) {
	old := time.NewTimer(0)
	defer old.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-x.asked:
			ahead, err := x.reply(ctx, p)
			p.answer <- tried{ahead, err}
		case made := <-x.next:
			x.take(made)
		case <-old.C:
		}
		if x.made.copy != nil && x.tooOld() {
			x.made = fresh{} // no client asks
		}
		old.Reset(max(copyHolds, 2*x.made.holds-time.Since(x.made.made)))
	}
}

func (x *plans) tooOld() bool { return time.Since(x.made.made) > 2*x.made.holds }

func (x *plans) take(made fresh) {
	if x.under = false; made.err == nil {
		x.made = made
	}
}

// reply tries jobs on the copy that there is, or on the next one. Jobs of a client that has gone are not tried.
func (x *plans) reply(ctx context.Context, p *planned) (ahead readapi.Foresee, err error) {
	if !waitUntil(p.ctx, x.from) {
		return nil, noTime
	}
	if age := time.Since(x.made.made); x.made.copy == nil || age > x.made.holds {
		x.begin(ctx)
	}
	for x.made.copy == nil || x.tooOld() {
		select {
		case made := <-x.next:
			if x.take(made); made.err != nil {
				return nil, made.err
			}
		case <-p.ctx.Done():
			return nil, noTime
		}
	}
	if p.ctx.Err() != nil {
		return nil, noTime
	}
	began := time.Now()
	if crash.Handler(x.l.panicked).Guard("planning", func() {
		c := x.made.copy
		ahead = x.ahead(c.With(whatif.Coming(c.Engine().Ledger(), p.jobs)), x.made.now)
		whatif.Submit(c, x.made.now, p.jobs, func(e *sched.Engine, cycle int, plan sched.Plan) bool {
			p.see(e, x.made.moment, cycle, plan)
			return p.ctx.Err() == nil
		})
	}) != nil {
		x.made, x.from = fresh{}, time.Now().Add(afterFailure)
		return nil, errPlanning
	}
	if earliest := time.Now().Add(-burst); x.from.Before(earliest) {
		x.from = earliest
	}
	x.from = x.from.Add(planPace * time.Since(began))
	return ahead, nil
}

// begin has a copy made, unless one is being made.
func (x *plans) begin(ctx context.Context) {
	if x.under {
		return
	}
	x.under = true
	crash.Handler(x.l.panicked).Go("copying the engine to plan on", func() {
		made := fresh{err: errPlanning} // where it panics
		defer func() { x.next <- made }()
		made = x.copied(ctx)
	})
}

// copied makes a copy. It waits for those that others make: see background.copying.
func (x *plans) copied(ctx context.Context) (out fresh) {
	select {
	case x.l.background.copying <- struct{}{}:
	case <-ctx.Done():
		return fresh{err: noTime}
	}
	defer func() { <-x.l.background.copying }()
	began := time.Now()
	var copies func() (*sched.Copy, error)
	var handed time.Duration
	if out.err = x.l.background.questions.handOver(ctx, func(e *sched.Engine, m readapi.Moment) {
		at := time.Now()
		copies, out.moment, out.now = sched.CopiesOf(e), m, x.l.now()
		handed = time.Since(at)
	}); out.err != nil {
		return out
	}
	if out.copy, out.err = copies(); out.err != nil {
		return out
	}
	out.copy.Decide(out.now) // in the first cycle an engine finds what it remembers from then on
	out.copy.Revert()
	out.made = time.Now()
	out.holds = max(copyHolds, copyPace*time.Since(began), shares[readapi.Whole]*handed)
	return out
}
