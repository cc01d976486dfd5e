// Package enqueue is the action that admits jobs: a job in phase Pending becomes Inqueue when every
// voter of JobEnqueueable permits it (seed 000 §9). Operators create pods only after that, so a job may
// be admitted before it has pods.
//
// A job without minResources is admitted without a vote, but never into a queue that is not open
// (decision 10). A job that is refused is skipped for this cycle, and jobs after it are still tried.
package enqueue

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Name is the action's name in a configuration.
const Name = "enqueue"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute admits the jobs that may be admitted.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	rotation := s.Rotate(s.Pending.AwaitingAdmission(func(j ledger.JobID) bool {
		r := s.Blocked(j)
		if r.Is() {
			s.Pending.Wait(j, r)
		}
		return !r.Is()
	}))
	ahead, early := line{}, admittedWaiting{}
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		admit(s, j, ahead, early)
		rotation.Return(q)
	}
}

func admit(s *session.Session, j ledger.JobID, ahead line, early admittedWaiting) {
	job := s.L.Job(j)
	event := trace.Event{Kind: trace.Enqueued, Job: s.L.Jobs.Called(j), Queue: s.L.Queue(job.Queue).Name}
	if job.HasMin {
		r, ok := s.Policy.Enqueueable(j)
		if s.FIFO(job.Queue) {
			r, ok = ahead.inOrder(s, j, r, ok)
		}
		ok = ok || early.may(s, j, r)
		if !ok {
			event.Kind, event.Reason = trace.NotEnqueued, r
			s.Trace.Add(event)
			s.Pending.Wait(j, r)
			return
		}
	}
	s.Admit(j)
	s.Pending.Forget(j)
	s.Trace.Add(event)
}
