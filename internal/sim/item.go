package sim

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Item is one object of the world, as it is before the clock starts or as it is
// submitted later. Its content must not change once it is handed over.
//
// An object that is already there when an item of its name appears is changed by it
// and keeps its uid, and a PodGroup its phase; a pod is another pod. Of two items of
// one name and one SubmitAt the last holds and says so in its faults (decision 34).
// An item without content deletes, as World.Delete does, when its time has come.
type Item struct {
	// Fact is the object. The world sets its Version, a UID where it has none, and
	// Created where that is 0: to SubmitAt by the world's clock, so that the order of creation is that of
	// submission.
	Fact model.Fact
	// SubmitAt is the virtual time at which it appears: in the first cycle at or after.
	SubmitAt time.Duration
	// Duration is how long a pod runs, from the cycle in which it is Running (decision
	// 35); only with HasDuration, without it a pod runs for ever.
	Duration    time.Duration
	HasDuration bool
	// Owned: a controller replaces the pod when it is evicted or deleted before it has
	// finished. The replacement has its name, waits, and starts its duration again.
	Owned bool
	// Resumes: an eviction costs a pod its place and nothing it has done. The replacement
	// runs, and says that it lasts, for what was left when the pod was gone.
	Resumes bool
	// Final, of an item without content: a pod is deleted for good, and no controller replaces it.
	Final bool
	// Where is the file:line it was read from, for messages; "" when there is none.
	Where string
}

// DefaultPeriod is how often the scheduler looks, as Volcano does (--schedule-period).
const DefaultPeriod = time.Second

// Options are how a world runs.
type Options struct {
	Period    time.Duration  // from cycle to cycle; DefaultPeriod when it is 0 or less
	Verbosity int            // of what a Cycle's Events hold, as for sched.Engine.Record
	Audit     bool           // recount the engine's figures after every cycle into Cycle.Audit
	Came      bool           // tell in Cycle.Came what the engine was told
	Engine    []sched.Option // plugins and actions beyond those built in
	// Begin is the time of the first cycle, virtual time 0, in nanoseconds since the epoch.
	Begin int64
	// Written is what facts follow from what a book chose for a pod that is bound, with the
	// content of opaque objects as they are. nil: none do.
	Written func(bind sched.Item, see func(model.Ref) any) []model.Fact
	// Freed is the facts that follow from the end of a pod: what only this pod used is
	// given back. nil: none follow.
	Freed func(pod *model.Pod, see func(model.Ref) any) []model.Fact
}

// Cycle is one cycle that ran. It shares no memory with the engine.
type Cycle struct {
	Number int           // At / Period + 1: cycle k is at (k-1) periods, and those skipped have numbers too
	At     time.Duration // virtual time
	Plan   sched.Plan
	Events []trace.Event
	Audit  []string      // what the recount found wrong; nil: nothing, or it was not asked for
	Came   []Came        // what the engine was told before it decided; nil: nothing, or it was not asked for
	Took   time.Duration // for which it was decided, where that was recorded; 0: that is not known
}

// Came is an object as the engine was told of it, and as it knew it before; without an Object where there was none.
type Came struct{ Is, Was model.Fact }

// CameTo are facts with what an engine knows of these objects before it is told.
func CameTo(e *sched.Engine, facts []model.Fact) []Came {
	out := make([]Came, len(facts))
	for i, f := range facts {
		was, _ := e.Ledger().Fact(f.Ref)
		out[i] = Came{f, was}
	}
	return out
}
