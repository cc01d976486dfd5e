package sim

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// World is nodes that obey, a clock and an engine. It is not safe for concurrent use.
type World struct {
	engine *sched.Engine
}

// Cycle is one cycle that ran.
type Cycle struct {
	Number int           // At / Period + 1: cycle k is at (k-1) periods, and those skipped have numbers too
	At     time.Duration // virtual time
	Plan   sched.Plan    // a copy
	Events []trace.Event // a copy
	Audit  []string      // what the recount found wrong; nil: nothing, or not asked for
}

// New makes a world for a profile.
func New(p policy.Profile, items []Item, o Options) (*World, error) {
	e, err := sched.New(p, o.Engine...)
	if err != nil {
		return nil, err
	}
	return &World{engine: e}, nil
}

// Step runs the next cycle that can matter.
func (w *World) Step() (Cycle, bool) { return Cycle{}, false }

// Run runs cycles up to a virtual time.
func (w *World) Run(until time.Duration) {}

// Now is the virtual time of the last cycle.
func (w *World) Now() time.Duration { return 0 }

// Engine is the engine.
func (w *World) Engine() *sched.Engine { return w.engine }

// Submit adds items.
func (w *World) Submit(items ...Item) {}

// Delete deletes an object.
func (w *World) Delete(ref model.Ref) {}

// Finish ends a pod.
func (w *World) Finish(key ledger.Key, failed bool) {}

// Apply tells a raw fact.
func (w *World) Apply(f model.Fact) {}

// Summary counts.
func (w *World) Summary() Summary { return Summary{} }

// Evictions lists.
func (w *World) Evictions() []Eviction { return nil }
