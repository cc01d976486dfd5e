package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Action is one step of a cycle, by its configured name.
type Action interface {
	Name() string
	Execute(s *Session)
}

// ActiveJobs are the active jobs for which may and include return true, by name. may only reads; include may admit a
// job, or note why it is left out, and is called in the order of names.
func (s *Session) ActiveJobs(may, include func(ledger.JobID) bool) []ledger.JobID {
	// Admitting a job takes it off the active list: collect the jobs first, then call include.
	var out []ledger.JobID
	for _, j := range s.L.Jobs.Active() {
		if may(j) {
			out = append(out, j)
		}
	}
	return s.Pending.InOrder(out, include)
}

// Enter and Leave mark the beginning and the end of an action in the trace (seed 003 §2.2).
func (s *Session) Enter(action string) {
	s.Trace.Add(trace.Event{Kind: trace.EnterAction, Action: action})
}

// Leave ends what Enter began.
func (s *Session) Leave(action string) {
	s.Trace.Add(trace.Event{Kind: trace.LeaveAction, Action: action})
}
