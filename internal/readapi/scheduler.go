package readapi

import (
	"context"
	"io"
	"time"

	"ashlar.sh/internal/recording"
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// Scheduler is what is read. Any goroutine may call it.
type Scheduler interface {
	// Ask runs f in the goroutine that owns the engine, between two cycles, and returns when it has run. f must
	// not keep what belongs to the engine. Without a run the error is an *Unready, or ctx's.
	Ask(ctx context.Context, size Size, f func(*sched.Engine, Moment)) error
	// Ready returns nil if questions can be answered now. It does not wait.
	Ready() *Unready
	// State describes the scheduler. It does not wait.
	State() State
	// WouldRun returns what would make a waiting job run: what was found lately, if that still holds, or what is found
	// now. Without time for it the error is an *Unready.
	WouldRun(ctx context.Context, job ledger.JobKey, still func(Tried) bool) (Tried, error)
	// Plan tries jobs, given as the facts of their objects, on a copy of what is known, and calls see after each cycle
	// that may start some of them. see must not keep what belongs to the engine, and has returned for the last time when
	// Plan returns. Without time for it the error is an *Unready. What it returns finds out more of the jobs, of the same
	// moment.
	Plan(ctx context.Context, jobs []model.Fact, see func(e *sched.Engine, c PlannedCycle)) (Foresee, error)
	// Dump writes what SIGUSR2 saves: the state on which `ashlar replay` decides again.
	Dump(ctx context.Context, to io.Writer) error
	// Recording writes what came in and was decided lately, as SIGUSR2 does; ErrNoRecording: nothing is kept.
	Recording(ctx context.Context, to io.Writer) error
}

// Size says how much of the engine a question reads, and so which share of the loop's time pays for it.
type Size int

// The sizes.
const (
	Brief   Size = iota // one job or pod
	Whole               // everything
	Reasons             // why each job waits
)

// Moment is the state that an answer is about.
type Moment struct {
	Cycle uint64    `json:"cycle"` // the last one, counted from the start of the process
	At    time.Time `json:"at"`    // when the engine was read
	// Age is how long ago that was when a copy of the engine was asked, by a clock that nothing sets; 0: nothing has
	// changed since, or the engine itself was asked.
	Age time.Duration `json:"-"`
	// Starts are when jobs start, as was estimated last; nil: it was not.
	Starts *estimate.Starts `json:"-"`
	// Recorder has what was done lately; nil: nothing is kept. It may be asked while the question runs.
	Recorder Recorder `json:"-"`
}

// Recorder is what a scheduler remembers of its own past.
type Recorder interface {
	// Lately returns what was done with the engine; false: nothing is kept.
	Lately() (recording.Lately, bool)
	// Reasons returns which reasons a job was told, the oldest first.
	Reasons(namespace, name string) []ReportedReason
}

// ReportedReason is a reason that a job was told.
type ReportedReason struct {
	At    int64  // nanoseconds since the epoch
	Cycle uint64 // the last one before
	Why   string
}

// Tried is what would make a job run, as the engine has tried it on a copy of its state at a moment, and why the job
// waited then.
type Tried struct {
	Moment
	trace.WouldRun
	Reason trace.Reason
	Job    uint64 // its Identity then
}

// PlannedCycle is a cycle in which jobs are tried.
type PlannedCycle struct {
	Moment      // of the copy
	Number  int // from 1
	Plan    sched.Plan
	Applied *whatif.Applied // what became of the objects when the jobs were applied
}

// Foresee finds out more of jobs that were planned. It ends with ctx, and with what was found until then. Without time
// for it the error is an *Unready.
type Foresee func(ctx context.Context, wanted Foresight) (Foreseen, error)

// Foresight is what is wanted of planned jobs that do not start at once.
type Foresight struct {
	Jobs     []ledger.JobKey
	Starts   bool          // when they start
	WouldRun time.Duration // for how long to look for what would make them run, together; 0: not at all
	// See is called after each cycle in which the engine is run forward, as by estimate.Options.
	See func(guess bool, e *sched.Engine, at int64, plan sched.Plan)
}

// Foreseen is what was found of them.
type Foreseen struct {
	Made     int64            // the time of the moment, as starts are told
	Starts   *estimate.Starts // nil: they are not wanted
	WouldRun map[ledger.JobKey]trace.WouldRun
}

// State is the answer of /v1/state.
type State struct {
	Version  string    `json:"version,omitempty"`
	Leader   string    `json:"leader,omitempty"` // the identity in the Lease; "": there is no election
	Cycle    uint64    `json:"cycle"`
	Decided  time.Time `json:"decidedAt"` // when the last cycle ended
	Age      string    `json:"age"`       // of that, as Go writes a duration
	Started  time.Time `json:"startedAt"`
	Watchers int       `json:"watchers"` // clients that read a stream
}

// Unready is why a scheduler does not answer.
type Unready struct {
	Reason  Unreadiness
	Message string
	Leader  string // the identity in the Lease, where another scheduler acts
}

// Error is the message.
func (u *Unready) Error() string { return u.Message }

// Unreadiness is a code of Unready.
type Unreadiness string

// Why a scheduler does not answer.
const (
	NotLeader Unreadiness = "NotLeader" // another one acts, or none does
	Starting  Unreadiness = "Starting"  // it has not decided yet, or makes its engine anew
	Busy      Unreadiness = "Busy"      // the time for answers is used up, or a cycle is long
	Failed    Unreadiness = "Failed"    // a question made it panic: it answers none for a while
	Ending    Unreadiness = "Ending"
)
