package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Opener is called when a cycle begins. What it derives from the ledger then stays unchanged for the whole cycle.
type Opener interface {
	Open(rec *trace.Recorder)
}

// Clock is a plugin with answers that change by time alone. At is called with the time of the cycle, before Open, and
// returns the earliest time after it at which an answer may change without a new fact, 0 when there is none. Both are
// nanoseconds since the epoch.
type Clock interface {
	At(now int64) (next int64)
}

// Starter is a Clock with answers that depend on when a task starts. StartAt is called with a later time than the
// cycle's before it is asked where tasks would go that start then, and with the cycle's time afterwards. It returns the
// next time at which the answers of tasks that start then may be others, 0 for none.
type Starter interface {
	Clock
	StartAt(at int64) (next int64)
}

// Later is a Clock with answers that also depend on what the cycle itself decides: Later is called at the end of the
// cycle and returns the same kind of time as At. Both follow from facts and commitments alone, so that an engine
// restored from them wakes at the same time as this one.
type Later interface {
	Clock
	Later() (next int64)
}

// StartsDue is a Clock that knows jobs of which the start is planned whatever their queue says, since they have waited
// as long as they were to. Where action backfill plans no starts at all, it has no effect.
type StartsDue interface {
	Clock
	// StartDue says that a job is one of these, at the time of the cycle.
	StartDue(j ledger.JobID) bool
	// AnyStartDue says that some job may be.
	AnyStartDue() bool
}

// Budgeted is a plugin that has a budget for its answers, since some cost too much to be given all in one cycle. What
// it knows and has spent is part of what decides: its PluginState keeps it (ledger.Resumable).
type Budgeted interface {
	// Explain says whether the calls from now on decide nothing, but explain what was decided: these must neither use
	// up a budget nor change anything that a decision depends on.
	Explain(on bool)
	// Resume is when work that was put off in the last cycle may go on, 0 when none was.
	Resume() int64
}

// Part is a part of a cycle of which the time is measured.
type Part string

// The parts. They do not overlap.
const (
	PartPlugin Part = "plugin" // a plugin derives what stays unchanged for the cycle
	PartAction Part = "action" // an action, and making its statements commitments
)

// Stopwatch is called when parts of a cycle begin and end, with their names. The core has no clock, so a caller that
// measures time brings this. It returns nothing, so it changes no decision.
type Stopwatch interface {
	Begin(p Part, name string)
	End()
}

// NoStopwatch measures nothing.
type NoStopwatch struct{}

// Begin implements Stopwatch.
func (NoStopwatch) Begin(Part, string) {}

// End implements Stopwatch.
func (NoStopwatch) End() {}

// At sets the time of the cycle that begins, for every clock, before Open. It returns the earliest time at which any
// of their answers may change, 0 when there is none.
func (s *Set) At(now int64) (next int64) {
	for _, p := range s.clocks.all {
		next = model.Earlier(next, p.At(now))
	}
	return next
}

// StartAt has answers given as of tasks that start at a time. It returns the next time at which those may be others, 0
// for none.
func (s *Set) StartAt(at int64) (next int64) {
	for _, p := range s.clocks.starters {
		next = model.Earlier(next, p.StartAt(at))
	}
	return next
}

// Later is the earliest time that plugins wait for after what the cycle decided, 0 when there is none.
func (s *Set) Later() (next int64) {
	for _, p := range s.clocks.later {
		next = model.Earlier(next, p.Later())
	}
	return next
}

// StartDue says that the start of a job is to be planned whatever its queue says.
func (s *Set) StartDue(j ledger.JobID) bool {
	return slices.ContainsFunc(s.clocks.due, func(p StartsDue) bool { return p.StartDue(j) })
}

// AnyStartDue says that there may be such a job.
func (s *Set) AnyStartDue() bool { return slices.ContainsFunc(s.clocks.due, StartsDue.AnyStartDue) }

// Resume is the earliest time at which work that was put off may go on, 0 when none was put off.
func (s *Set) Resume() (next int64) {
	for _, p := range s.budgeted {
		next = model.Earlier(next, p.Resume())
	}
	return next
}

// Open begins a cycle.
func (s *Set) Open(rec *trace.Recorder, watch Stopwatch) {
	for i, tier := range s.openers.tiers {
		for at, p := range tier {
			watch.Begin(PartPlugin, s.openers.names[i][at])
			p.Open(rec)
			watch.End()
		}
	}
}

// Explain tells Budgeted plugins that the calls from now on explain (true), or decide again (false). Pairs may be
// nested.
func (s *Set) Explain(on bool) {
	if on {
		s.explaining++
	} else {
		s.explaining--
	}
	for _, p := range s.budgeted {
		p.Explain(s.explaining > 0)
	}
}
