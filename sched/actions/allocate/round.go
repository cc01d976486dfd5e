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

// round is one execution of the action.
type round struct {
	s        *session.Session
	pending  map[ledger.JobID]*search.PendingTasks
	later    []ledger.JobID // jobs that wait until every minimum had its turn
	minimums int            // jobs that lack their minimum and had no turn yet
	widened  bool           // every minimum had its turn
	borrowed bool           // the jobs that start in lent room had their turn
}

// serve gives jobs their turns, until no room is left.
func (r *round) serve(jobs []ledger.JobID) {
	first := jobs[:0]
	for _, j := range jobs {
		switch {
		case r.above(j):
			r.later = append(r.later, j)
			continue
		case !r.begun(j):
			r.minimums++
		}
		first = append(first, j)
	}
	rotation := r.s.Rotate(first)
	for {
		if r.minimums == 0 && !r.borrowed {
			r.borrowed = true
			r.borrow()
		}
		if r.minimums == 0 && len(r.later) > 0 {
			rotation = r.join(rotation)
		}
		q, j, ok := rotation.Next()
		if !ok && len(r.later) == 0 {
			return
		}
		if ok {
			r.turn(rotation, q, j)
		}
	}
}

// join adds the jobs that waited to the rest of a rotation, if it is time for them.
func (r *round) join(rotation *session.Rotation) *session.Rotation {
	later := r.later
	r.later = nil
	if r.widened = r.s.MayPlaceSurplus(later); r.widened {
		return r.s.Rotate(append(rotation.Remaining(), later...))
	}
	for _, j := range later {
		r.s.Waits(j, trace.Reason{Code: trace.MinimumsFirst})
	}
	return rotation
}

// begun says that a job has its minimum and at least one pod.
func (r *round) begun(j ledger.JobID) bool {
	job := r.s.L.Job(j)
	return job.Ready() > 0 && job.Met((*ledger.Count).Ready)
}

// above says that a job is to be served after the minimums: pods came to it lately, and the next ones
// are above its minimum. A reservation is excepted, since it counts for the job already.
func (r *round) above(j ledger.JobID) bool {
	return r.s.L.Job(j).Recent && r.begun(j) && !r.pending[j].Promising(r.s)
}

// turn serves one job of a queue.
func (r *round) turn(rotation *session.Rotation, q ledger.QueueID, j ledger.JobID) {
	s := r.s
	if why, over := s.Policy.Overused(q); over {
		jobs := append([]ledger.JobID{j}, rotation.Drain(q)...)
		for _, j := range jobs {
			r.hadTurn(r.begun(j))
		}
		skip(s, q, jobs, r.pending, why)
		return
	}
	w := r.pending[j]
	if s.Trace.On(trace.NodesForJob) {
		nodes := s.Nodes.Feasible(s.L.Task(w.Tasks[0]).Class)
		s.Trace.Add(trace.Event{Kind: trace.NodesForJob, Job: s.L.Called(j), Count: nodes})
	}
	began := r.begun(j)
	served := search.Attempt(s, w) == search.Committed
	again := served && !w.Empty()
	if !again || r.begun(j) {
		r.hadTurn(began)
	}
	switch {
	case again && r.above(j) && !r.widened:
		r.later = append(r.later, j)
	case again:
		rotation.Again(q, j)
	case served && !s.WaitRecord(j).Reason.Is():
		s.Waits(j, idle(s, j))
	}
	rotation.Return(q)
}

// hadTurn notes that a job was served, or will not be; began says that it had its minimum before.
func (r *round) hadTurn(began bool) {
	if !began {
		r.minimums--
	}
}

// borrow admits and places jobs for which their queues have room only with what other jobs lend: jobs
// that start at once, and no others.
func (r *round) borrow() {
	s := r.s
	if s.L.Lenders() == 0 || !lent(s) || !s.Profile.HasAction("enqueue") || s.IsIdle(borrowing) {
		return
	}
	placed := false
	rotation := s.Rotate(s.Pending(func(j ledger.JobID) bool {
		return s.L.Job(j).HasMin && !s.Gate(j).Is() && !s.Policy.ValidateJob(j).Is() && s.Policy.Loanable(j)
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
		if s.Policy.Loanable(j) && !w.Empty() && suffices(s, w) && search.Borrow(s, w) {
			placed = true
			s.Admit(j)
			s.Trace.Add(trace.Event{Kind: trace.Enqueued, Job: s.L.Called(j), Queue: s.L.Queue(q).Name})
		}
		rotation.Return(q)
	}
	if !placed {
		s.RememberIdle(borrowing)
	}
}

// lent says that some job lends room of its queue.
func lent(s *session.Session) bool {
	root, _ := s.L.FindQueue(model.RootQueue)
	return slices.ContainsFunc(s.L.Queue(root).Lent, func(lent resource.Sum) bool { return lent.Int64() > 0 })
}

// borrowing is the name under which borrow remembers that it is idle.
const borrowing = "borrowing"
