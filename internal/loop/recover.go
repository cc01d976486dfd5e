package loop

import (
	"errors"
	"time"

	"k8s.io/klog/v2"

	"ashlar.sh/internal/crash"
	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// rebuilds makes a new engine after a panic or a finding, without what caused it.
type rebuilds struct {
	l *loop

	leftOut leftOut
	blind   bool // after a panic the engine does not know all objects: nothing is decided
	panics  int  // in a row: since a round of what follows cycles went through
}

// mostRest is the longest pause after panics for which no single job was found to be the cause.
const mostRest = 30 * time.Second

// panicked counts a panic, of any goroutine.
func (l *loop) panicked(string) { l.metrics.panics.Inc() }

// withoutPanic runs a step. A panic affects only the step itself; it returns true if there was none.
func (l *loop) withoutPanic(step string, do func()) bool {
	return crash.Handler(l.panicked).Recover(step, do) == nil
}

// runOrRebuild runs a step and returns true if it did not panic. A panic is logged, the state that led to it is
// saved, and the step has no effect: the engine is made anew from what is known, without the job that
// makes it panic, if there is one.
func (re *rebuilds) runOrRebuild(step string, do func()) bool {
	if re.l.withoutPanic(step, do) {
		return true
	}
	re.panics++
	re.blind = true // until the engine is whole again
	re.l.input.recorder.broken("panic")
	re.l.withoutPanic("setting things right after a panic", re.recoverFrom)
	return false
}

// recoverFrom makes the engine anew after a panic, from the objects that are seen now and from the
// decisions up to the last cycle with a plan that was given to the executor. A cycle that panicked has no
// effect; receipts that were taken from the executor and did not reach the engine are applied again.
func (re *rebuilds) recoverFrom() {
	state, ok := re.l.state()
	if !ok {
		return
	}
	re.l.withoutPanic("saving what led to a panic", func() {
		if path, err := recording.Save(re.l.input.recorder.dir(), "panic", state); err != nil {
			klog.ErrorS(err, "What led to it could not be saved")
		} else {
			klog.InfoS("What led to it was saved; ashlar replay has the same cycle again", "file", path)
		}
	})
	blame := ledger.JobKey{}
	found := false
	re.l.withoutPanic("looking for what makes it panic", func() { blame, found = re.leftOut.blame(state, re.fresh) })
	if found {
		klog.InfoS("A job is set aside until this scheduler is started again: deciding about it panics", "job", blame)
	} else if re.panics > 1 {
		re.pause()
	}
	re.remake(state)
}

// pause keeps the loop from deciding for a while: the more panics in a row, the longer.
func (re *rebuilds) pause() {
	re.l.rest = time.Now().Add(min(time.Second<<min(re.panics, 6), mostRest))
}

// state is what an engine is made anew from; false when that cannot be determined.
func (l *loop) state() (s recording.State, ok bool) {
	ok = l.withoutPanic("reading what is known", func() {
		s = recording.State{Version: l.o.Version, Now: l.now(), Period: l.o.Period,
			Facts: append(l.observer.All(), l.refusals.memory.facts()...), Commitments: l.engine.LastCheckpoint(),
			Configuration: l.conf.inEffect(), UTCOffset: l.conf.offset}
		l.order(s.Facts)
	})
	return s, ok
}

// fresh is an engine of the configuration that holds, without any facts. To find a job to blame takes some twenty of
// them, each with a cycle of the whole cluster: the loop is not stuck meanwhile.
func (re *rebuilds) fresh() *sched.Engine {
	re.l.health.beat()
	e, err := re.l.conf.engine(re.l.o)
	if err != nil {
		panic(err) // it was made of the same profile before
	}
	return e
}

// remake makes the engine anew. While that fails, nothing is decided: an engine that knows only some
// objects would count room as free that is not. It is tried again after a pause.
func (re *rebuilds) remake(s recording.State) {
	next, ok := re.made(s, re.l.input.receipts)
	if !ok && len(re.l.input.receipts) > 0 { // the receipts may be the cause of the panic
		s.Commitments = without(s.Commitments, re.l.input.receipts)
		next, ok = re.made(s, nil)
	}
	re.blind = !ok
	if !ok {
		re.panics++
		re.pause()
		klog.ErrorS(errors.New("the engine cannot be made of what is known"), "Nothing is decided until it can", "nextTry",
			time.Until(re.l.rest))
		return
	}
	answered := re.l.input.receipts
	re.l.engine, re.l.input.receipts, re.l.next = next, nil, re.l.now()
	re.l.background.plans.noteState()
	re.l.input.recorder.remade()
	if !re.l.withoutPanic("following what became of bindings", func() {
		re.l.origins.follow(answered)
		re.l.reports.evictions.follow(answered, &re.l.reports.queues)
		re.l.refusals.inheritBackoffs(s.Facts)
	}) {
		re.blind = true // the engine may know only some of the backoffs
		re.l.origins.forget()
	}
}

// forget leaves it in doubt of every gang whether it ever had its minimum.
func (og *gangOrigins) forget() {
	for _, t := range og.l.reported.jobs {
		t.origin.mine, t.origin.leaving = nil, nil
	}
}

// made is an engine that has a state and to which receipts were applied; false when that panics.
func (re *rebuilds) made(s recording.State, receipts []sched.Receipt) (e *sched.Engine, ok bool) {
	ok = re.l.withoutPanic("making the engine anew", func() {
		e = re.fresh()
		re.leftOut.feed(e, s)
		e.Receive(receipts...)
		e.Checkpoint()
	})
	return e, ok
}

// without is commitments less those that receipts deny.
func without(c sched.Commitments, receipts []sched.Receipt) sched.Commitments {
	denied := map[uint64]bool{}
	for _, r := range receipts {
		if r.Outcome != sched.Done && r.Item.ID != 0 {
			denied[r.Item.ID] = true
		}
	}
	tasks, phases := c.Tasks, c.Phases
	c.Tasks, c.Phases = nil, nil
	for _, t := range tasks {
		if !denied[t.Item] {
			c.Tasks = append(c.Tasks, t)
		}
	}
	for _, p := range phases {
		if !denied[p.Item] {
			c.Phases = append(c.Phases, p)
		}
	}
	return c
}

// survives runs do and returns true if it did not panic.
func survives(do func()) (fine bool) {
	defer func() {
		if recover() != nil {
			fine = false
		}
	}()
	do()
	return true
}
