package allocate

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// borrow admits and places jobs for which their queues have room only with what other jobs lend: jobs
// that start at once, and no others.
func (r *round) borrow() {
	r.borrowed = true
	if !r.mayBorrow() {
		return
	}
	s := r.s
	placed := false
	rotation := s.Rotate(s.Pending.AwaitingAdmission(func(j ledger.JobID) bool {
		return s.L.Job(j).HasMin && !s.Blocked(j).Is() && !s.Policy.ValidateJob(j).Is() && s.Policy.Loanable(j)
	}))
	for {
		q, j, ok := rotation.Next()
		if !ok {
			break
		}
		if _, over := s.Policy.Overused(q); over {
			rotation.Drain(q)
			continue
		}
		w := search.PendingTasksOf(s, j)
		if r.heads != nil {
			r.heads.PlanBefore(j)
		}
		if search.Behind(s, j, session.CodeOnly).Is() {
			rotation.Drain(q)
			continue
		}
		if s.Policy.Loanable(j) && !w.Empty() && suffices(s, w) && search.Borrow(s, w) {
			placed = true
			s.Admit(j)
			if r.heads != nil {
				r.heads.Placed(j)
			}
			s.Trace.Add(trace.Event{Kind: trace.Enqueued, Job: s.L.Jobs.Called(j), Queue: s.L.Queue(q).Name})
		}
		rotation.Return(q)
	}
	if !placed {
		s.RememberIdle(borrowing)
	}
}

// mayBorrow says that there is room to borrow, and some job may start in it.
func (r *round) mayBorrow() bool {
	s := r.s
	return s.L.WaitingJobs.LenderCount() > 0 && lent(s) && s.Profile.HasAction("enqueue") && !s.IsIdle(borrowing)
}

// lent says that some job lends room of its queue.
func lent(s *session.Session) bool {
	root, _ := s.L.Queues.Find(model.RootQueue)
	return slices.ContainsFunc(s.L.Queue(root).Lent, func(lent resource.Sum) bool { return lent.Int64() > 0 })
}

// borrowing is the name under which borrow remembers that it is idle.
const borrowing = "borrowing"
