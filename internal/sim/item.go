package sim

import (
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Item is one object of the world, before the clock starts or as it is submitted
// later. Its content must not change once it is handed over.
type Item struct {
	// Fact is the object. Version is set by the world, and so is an empty UID; the
	// content's own name, namespace and uid are made to agree with the Fact's.
	Fact model.Fact
	// SubmitAt is the virtual time at which it appears: in the first cycle at or after.
	SubmitAt time.Duration
	// Duration is how long a pod runs, from the cycle in which it is Running; only with
	// HasDuration. Without it a pod runs for ever.
	Duration    time.Duration
	HasDuration bool
	// Owned: a controller replaces the pod when it is evicted or deleted.
	Owned bool
	// Where is the file:line it was read from, for messages.
	Where string
}

// Options are how a world runs.
type Options struct {
	Period    time.Duration  // from cycle to cycle; 1 s when 0
	Verbosity int            // of what a cycle's Events hold, as for sched.Engine.Record
	Audit     bool           // recount the engine's figures after every cycle into Cycle.Audit
	Engine    []sched.Option // plugins and actions beyond the built-in ones
}

// Summary counts over the whole run.
type Summary struct {
	Cycles      int           // that ran
	VirtualTime time.Duration // of the last of them
	Bound       int           // binds carried out
	Pending     int           // pods of ours that wait at the end
	Evicted     int           // evictions carried out
}

// Eviction is one pod's eviction, as it was carried out.
type Eviction struct {
	Cycle  int
	Time   time.Duration
	Pod    ledger.Key
	Job    string // of the pod, without its namespace
	Queue  string // of that job
	Action string // that evicted: preempt, reclaim …
	For    string // namespace/name of the job that is to have the room; "" when it is not known
	Reason string // one line for people
}
