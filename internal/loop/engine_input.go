package loop

import (
	"slices"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// engineInput is the way by which the engine gets facts, receipts and the time: the recorder keeps all of it, so that
// it can be decided again. What only reads asks loop.engine.
type engineInput struct {
	l        *loop
	recorder recorder
	receipts []sched.Receipt // taken from the executor, and not in the engine yet
}

// apply gives the engine facts.
func (in *engineInput) apply(facts ...model.Fact) {
	for _, f := range facts {
		in.recorder.ring.Fact(in.l.engine.Ledger(), f)
		in.l.engine.Apply(f)
	}
}

// receive gives the engine receipts.
func (in *engineInput) receive(receipts []sched.Receipt) {
	in.recorder.ring.Receipts(receipts)
	in.l.engine.Receive(receipts...)
}

// decide has the engine decide. The checkpoint is taken last: the plan of a cycle that panics after it would count as
// being carried out, and would not be. A plan that cannot be recorded is carried out all the same.
func (in *engineInput) decide() (sched.Plan, []trace.Event, int64) {
	now := in.l.now()
	in.recorder.ring.Begin(in.l.engine, now, in.recorder.about())
	plan, events, next := in.l.engine.Decide(now)
	if !in.l.withoutPanic("recording a cycle", func() { in.recorder.ring.End(plan.Items, next) }) {
		in.recorder.ring.Forget() // it may end within an item
	}
	if slices.ContainsFunc(plan.Items, func(i sched.Item) bool { return i.Kind == sched.EvictPod }) {
		in.recorder.incident("eviction")
	}
	in.l.engine.Checkpoint()
	return plan, events, next
}
