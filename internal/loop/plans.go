package loop

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/readapi"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/whatif"
)

// plans find what would become of jobs if they were submitted, on a copy of the engine and in a goroutine of their own.
// To make a copy of a large cluster takes a second, and to try jobs on it milliseconds: so one copy is kept, and a new
// one is made in its place beside the answers. Where a copy takes longer than a client should wait it is kept and
// renewed without a question, too; else it is gone when it has become too old. No decision knows of them.
type plans struct {
	l     *loop
	asked chan *planned
	next  chan fresh     // a copy that is made
	made  fresh          // the copy that is kept
	under bool           // a copy is being made
	begun bool           // one was made without a question, to see how long that takes
	from  time.Time      // no answer before, but for a burst
	slot  chan time.Time // has a place for the one that looks ahead; the value: no sooner than

	state atomic.Pointer[state] // of the engine that decides, after its last cycle
}

// state is what a copy is made of.
type state struct {
	engine *sched.Engine // another one with another configuration
	epoch  uint64
}

// planned is a question, until it was answered.
type planned struct {
	ctx    context.Context
	jobs   []model.Fact
	see    func(*sched.Engine, readapi.PlannedCycle)
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
	read   time.Time // when the engine was
	of     state
	made   time.Time
	took   time.Duration // to make it
	holds  time.Duration // when it is that old another one is made when it is asked
	rests  time.Duration // … and when it is that old without a question; 0: it is not renewed then
	most   time.Duration // … and it is too old for an answer
	err    error
}

const (
	copyHolds = time.Second // at least
	copyPace  = 10          // copies are made for at most this part of the time
	planPace  = 4           // and jobs are tried for at most this part

	cheapCopy = 50 * time.Millisecond // what takes longer to make is kept without a question
	quickCopy = 2 * cheapCopy         // what takes no longer is waited for by a client, where something has changed
	quickWait = 3 * quickCopy         // … but for no longer than this
	idleHolds = 30 * time.Second      // for so long a copy rests at least without a question
	idlePace  = 20                    // … and such copies are made for at most this part of the time
	idleLook  = 5 * time.Second
)

var errPlanning = errors.New("a bug in ashlar: its log says more")

func (x *plans) wire(l *loop) {
	x.l, x.asked, x.next = l, make(chan *planned), make(chan fresh, 1)
	x.slot = make(chan time.Time, 1)
	x.slot <- time.Time{}
}

// Plan implements readapi.Scheduler.
func (q *questions) Plan(ctx context.Context, jobs []model.Fact, see func(*sched.Engine, readapi.PlannedCycle)) (
	readapi.Foresee, error) {
	if unready := q.Ready(); unready != nil {
		return nil, unready
	}
	p := &planned{ctx: ctx, jobs: jobs, see: see, answer: make(chan tried, 1)}
	select {
	case q.l.background.plans.asked <- p:
	case <-q.over:
		return nil, q.Ready()
	case <-ctx.Done():
		return nil, noTime
	}
	a := <-p.answer // it is being answered: see may still write to what ctx's owner has
	if unready := q.Ready(); unready != nil && !errors.Is(a.err, errPlanning) {
		return nil, unready // what another one that acts by now knows is newer
	}
	return a.ahead, a.err
}

// run answers, one question at a time, until ctx ends.
func (x *plans) run(ctx context.Context) {
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-x.asked:
			ahead, err := x.reply(ctx, p)
			p.answer <- tried{ahead, err}
		case made := <-x.next:
			x.take(made)
		case <-look.C:
		}
		x.idle(ctx)
		wait := idleLook
		if x.made.copy != nil && x.made.rests == 0 {
			wait = max(copyHolds, x.made.most-x.age())
		}
		look.Reset(wait)
	}
}

// idle drops a copy that is too old, and renews one that is costly to make, so that the first client that asks need not
// wait for it. The first copy is made without a question, to see what it costs.
func (x *plans) idle(ctx context.Context) {
	if x.l.background.questions.Ready() != nil {
		x.made, x.begun = fresh{}, false
		return
	}
	renew := x.made.rests > 0 && (x.replaced() || x.age() > x.made.rests && !x.current())
	if x.made.copy != nil && x.tooOld() {
		x.made = fresh{rests: x.made.rests}
	}
	if renew || !x.begun {
		x.begun = true
		x.begin(ctx)
	}
}

func (x *plans) age() time.Duration { return time.Since(x.made.made) }

// noteState notes the state of the engine that decides, in the loop's goroutine.
func (x *plans) noteState() {
	now := state{x.l.engine, x.l.engine.Ledger().Changes.StateEpoch()}
	if was := x.state.Load(); was == nil || *was != now {
		x.state.Store(&now)
	}
}

// current says that nothing has changed since the copy was made.
func (x *plans) current() bool {
	now := x.state.Load()
	return now != nil && *now == x.made.of && x.age() <= x.made.most
}

// replaced says that another engine decides than the one that the copy was made of, as after a new configuration.
func (x *plans) replaced() bool {
	now := x.state.Load()
	return now != nil && x.made.copy != nil && now.engine != x.made.of.engine
}

func (x *plans) usable() bool { return x.made.copy != nil && !x.tooOld() }

func (x *plans) tooOld() bool { return x.age() > x.made.most || x.replaced() }

func (x *plans) take(made fresh) {
	if x.under = false; made.err == nil {
		x.made = made
	}
}

// reply tries jobs on the copy that there is, or on the next one. Jobs of a client that has gone are not tried.
func (x *plans) reply(ctx context.Context, p *planned) (ahead readapi.Foresee, err error) {
	if err := x.l.background.questions.wait(p.ctx, x.from); err != nil {
		return nil, err
	}
	if x.made.copy == nil || x.replaced() || x.age() > x.made.holds && !x.current() {
		x.begin(ctx)
	}
	var enough <-chan time.Time
	if x.under && x.made.copy != nil && x.made.took <= quickCopy {
		wait := time.NewTimer(quickWait)
		defer wait.Stop()
		enough = wait.C
	}
	for !x.usable() || enough != nil {
		x.begin(ctx) // what is being made may be of the engine before
		select {
		case made := <-x.next:
			if x.take(made); made.err != nil && !x.usable() {
				return nil, made.err
			}
			enough = nil
		case <-enough:
			enough = nil
		case <-x.l.background.questions.over:
			return nil, x.l.background.questions.Ready()
		case <-p.ctx.Done():
			return nil, noTime
		}
	}
	if p.ctx.Err() != nil {
		return nil, noTime
	}
	began := time.Now()
	if crash.Handler(x.l.panicked).Recover("planning", func() {
		c, moment := x.made.copy, x.made.moment
		if moment.Age = time.Since(x.made.read); x.current() {
			moment.Age = 0
		}
		applied := whatif.Apply(whatif.ClusterOf(c.Engine().Ledger()), p.jobs)
		ahead = x.ahead(c.With(applied.Facts), x.made.now)
		whatif.Submit(c, x.made.now, applied, func(e *sched.Engine, cycle int, plan sched.Plan) bool {
			p.see(e, readapi.PlannedCycle{Moment: moment, Number: cycle, Plan: plan, Applied: &applied})
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

// copied makes a copy, beside those that others make: no plan waits for an estimate.
func (x *plans) copied(ctx context.Context) (out fresh) {
	began := time.Now()
	var copies func() (*sched.Copy, error)
	var handed time.Duration
	if out.err = x.l.background.questions.handOver(ctx, func(e *sched.Engine, m readapi.Moment) {
		at := time.Now()
		copies, out.moment, out.now, out.read = sched.CopiesOf(e), m, x.l.now(), at
		out.of = state{e, e.Ledger().Changes.StateEpoch()}
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
	took := time.Since(began)
	out.took, out.holds = took, max(copyHolds, copyPace*took, shares[readapi.Whole]*handed)
	if out.most = 2 * out.holds; took > cheapCopy {
		out.rests = max(idleHolds, idlePace*took, shares[readapi.Whole]*handed)
		out.most = out.rests + out.holds
	}
	return out
}
