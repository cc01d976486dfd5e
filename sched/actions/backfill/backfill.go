// Package backfill is the action that places best-effort tasks: those that ask for nothing but to be
// one of a node's pods. They can use whatever room is left, so they come after all other tasks; the
// queue has to be open all the same.
//
// Its arguments say for which jobs starts are planned (session.Backfill).
package backfill

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
)

// Name is the action's name in a configuration.
const Name = "backfill"

// Action implements session.Action. Its arguments say how starts are planned, which action allocate does when it
// refuses a job.
type Action struct{ Backfill session.Backfill }

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute places best-effort tasks queue by queue, job by job.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	rotation := s.Rotate(s.Pending.BestEffort(func(j ledger.JobID) bool {
		return !s.Blocked(j).Is() && !s.Policy.ValidateJob(j).Is()
	}))
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		if placed, why := search.Backfill(s, j); why.Is() && !s.Pending.Reason(j).Is() {
			s.Pending.Wait(j, why)
		} else if placed > 0 && s.L.Job(j).By[model.Pending] == 0 {
			s.Pending.Forget(j)
		}
		rotation.Return(q)
	}
}
