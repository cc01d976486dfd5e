// Package session is what actions see: the ledger, the index of nodes by class, the profile's plugins, the trace, and
// what is remembered of jobs that wait.
//
// Why jobs wait is in the index of pending jobs (sched/pending).
package session

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Session is what actions work on. An engine has one, for all its cycles: Open begins a cycle.
type Session struct {
	L         *ledger.Ledger
	NodeIndex *class.Index
	Policy    *policy.Set
	Profile   *policy.Profile
	Trace     *trace.Recorder
	// Pending is the index of the jobs that wait.
	Pending *pending.Index
	Now     int64 // nanoseconds since the epoch
	// Admit puts a job into phase Inqueue, by a plan item where the API stores phases.
	Admit func(ledger.JobID)
	// KeptRoomCheckedAt is when it was last checked for which jobs room is to be kept (backfill.KeepRoom).
	KeptRoomCheckedAt int64
	// KeptRoomChecks is how often that was checked, so that each job has its turn whatever the times of cycles are.
	KeptRoomChecks uint64
	// PlansLookedAt is when it was last looked whether the start of a job can be planned for which that costs too much to
	// do it in each cycle.
	PlansLookedAt int64
	// Backfill is how starts are planned.
	Backfill Backfill
	// NextPlanAt is the earliest time at which a job has waited long enough for its start to be planned; 0: none waits.
	NextPlanAt int64
	// PlanAgainAt is the earliest time at which it is looked again whether the start of a job can be planned for which
	// that costs too much to do it in each cycle; 0: there is none.
	PlanAgainAt int64
	// Unplannable are jobs of which no start could be planned in this cycle, and to look for it again costs too much.
	Unplannable []ledger.JobID
	// WokenUntil is up to when planned starts that were reached have woken jobs.
	WokenUntil int64
	// Surplus is when members above their gangs' minimums are placed.
	Surplus Surplus

	idle pending.Answers[string, struct{}] // by action: no job was left to make room for

	waiting fifoJobs
	fifos   struct { // whether there is a fifo queue, by the facts of queues
		at  ledger.Cursor
		any bool
	}
	ends Ends
}

// Open begins a cycle at a time. What was noted of jobs in earlier cycles no longer counts, except refusals; when
// things were last looked at stays.
func (s *Session) Open(now int64) {
	s.Now, s.Unplannable = now, s.Unplannable[:0]
	s.Pending.Open()
	s.arrive()
}

// Quiet is a session for a question: nothing that is done with it is traced.
func Quiet(s *Session) *Session {
	quiet := *s
	quiet.Trace = &trace.Recorder{}
	return &quiet
}

// TryAdmit returns whether a job is admitted. Where no enqueue action is configured to decide that, it
// admits the job (seed 003 §4.1).
func (s *Session) TryAdmit(j ledger.JobID) bool {
	if s.L.Job(j).Admitted() {
		return true
	}
	if s.Profile.HasAction("enqueue") {
		return false
	}
	s.Admit(j)
	return true
}

// RememberIdle notes that an action has run as things stand now: to run it again is of no use until something changes,
// such as by what it decided itself.
func (s *Session) RememberIdle(action string) { s.idle.Remember(s.Pending, action, struct{}{}) }

// IsIdle says that nothing has changed since RememberIdle: the action need not run at all.
func (s *Session) IsIdle(action string) bool {
	_, known := s.idle.Recall(s.Pending, action)
	return known && !s.Trace.On(trace.NoPreemptors)
}
