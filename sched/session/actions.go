package session

import "ashlar.sh/sched/trace"

// Action is one step of a cycle, by its configured name.
type Action interface {
	Name() string
	Execute(s *Session)
}

// Enter and Leave mark the beginning and the end of an action in the trace (seed 003 §2.2).
func (s *Session) Enter(action string) {
	s.Trace.Add(trace.Event{Kind: trace.EnterAction, Action: action})
}

// Leave ends what Enter began.
func (s *Session) Leave(action string) {
	s.Trace.Add(trace.Event{Kind: trace.LeaveAction, Action: action})
}
