package allocate

import (
	"slices"

	"ashlar.sh/sched/backfill"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/pending"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// round gives every job that may be served its turns. It ends early when a turn gives room back: then
// jobs that were refused before, or are parked, may have a place, and the next round asks them, too.
// Nothing depends on how many jobs have a turn that would be refused: most of these are parked.
type round struct {
	s         *session.Session
	pending   map[ledger.JobID]*search.PendingTasks
	room      uint64         // the RoomEpoch in which the round began
	pipelined []ledger.JobID // jobs that would have their minimum with pipelined members: they have no more turns
	minimums  []ledger.JobID // jobs that lacked their minimum when the round began; without some that cannot have it
	later     []ledger.JobID // jobs with surplus that came lately: they wait until every minimum had its turn
	held      []ledger.JobID // those of them that have surplus which is held back
	widened   bool           // surplus that came lately has its turns
	borrowed  bool           // the jobs that start in lent room had their turns

	heads *backfill.QueueHeads // nil where no starts are planned
}

// begin makes a round, and lists the jobs that may be served.
func begin(s *session.Session, pipelined []ledger.JobID) (*round, []ledger.JobID) {
	r := &round{s: s, pending: map[ledger.JobID]*search.PendingTasks{}, room: s.L.Changes.RoomEpoch(),
		pipelined: pipelined}
	return r, s.Pending.Unparked(func(j ledger.JobID) bool {
		if slices.Contains(pipelined, j) {
			return false
		}
		w := pendingTasks(s, j)
		if w != nil {
			r.pending[j] = w
		}
		return w != nil
	})
}

// serve gives jobs their turns, until no room is left. It returns false if a turn gave room back.
func (r *round) serve(jobs []ledger.JobID) bool {
	first := jobs[:0]
	for _, j := range jobs {
		switch {
		case r.above(j):
			r.later = append(r.later, j)
			continue
		case !r.begun(j):
			r.minimums = append(r.minimums, j)
		}
		first = append(first, j)
	}
	rotation := r.s.Rotate(first)
	if len(first) > 0 && r.s.PlansAny() {
		r.heads = backfill.HeadsOf(r.s)
	}
	for r.s.L.Changes.RoomEpoch() == r.room {
		q, j, ok := rotation.Next()
		switch {
		case ok && r.begun(j) && r.anyWaits() && !r.startable():
			rotation.Again(q, j)
			rotation.Return(q)
			rotation = r.join(rotation)
		case ok:
			r.turn(rotation, q, j)
		case r.anyWaits():
			rotation = r.join(rotation)
		default:
			return true
		}
	}
	return false
}

// anyWaits says that some jobs wait until every minimum had its turn.
func (r *round) anyWaits() bool { return len(r.later) > 0 || !r.borrowed && r.mayBorrow() }

// startable says that some job which lacks its minimum would get it if this were its turn. Within a
// round, a job for which that is false stays so. It is false for parked jobs.
func (r *round) startable() bool {
	for ; len(r.minimums) > 0; r.minimums = r.minimums[1:] {
		j := r.minimums[0]
		if r.begun(j) || slices.Contains(r.pipelined, j) || r.s.Pending.Parked(j) {
			continue
		}
		if _, over := r.s.Policy.Overused(r.s.L.Job(j).Queue); !over &&
			!search.Behind(r.s, j, session.CodeOnly).Is() && search.Would(r.s, j) {
			return true
		}
	}
	return false
}

// join adds the jobs that waited to the rest of a rotation, if it is time for them.
func (r *round) join(rotation *session.Rotation) *session.Rotation {
	if !r.borrowed {
		r.borrow()
	}
	if len(r.later) == 0 {
		return rotation
	}
	later := append(r.held, r.later...)
	r.held, r.later = nil, nil
	if r.widened = r.s.MayPlaceSurplus(later); r.widened {
		return r.s.Rotate(append(rotation.Remaining(), later...))
	}
	for _, j := range later {
		r.s.Pending.Wait(j, trace.Reason{Code: trace.MinimumsFirst})
	}
	r.held = later
	return rotation
}

// begun says that a job has its minimum and at least one pod.
func (r *round) begun(j ledger.JobID) bool {
	job := r.s.L.Job(j)
	return job.Ready() > 0 && job.Met((*ledger.Count).Ready)
}

// above says that a job is to be served after the minimums: pods came to it lately, and the next ones
// are above its minimum. A nomination is excepted, since it counts for the job already.
func (r *round) above(j ledger.JobID) bool {
	return r.s.L.Job(j).Recent && r.begun(j) && !r.pending[j].NextIsNominated(r.s)
}

// turn serves one job of a queue.
func (r *round) turn(rotation *session.Rotation, q ledger.QueueID, j ledger.JobID) {
	s := r.s
	if why, over := s.Policy.Overused(q); over {
		skip(s, q, append([]ledger.JobID{j}, rotation.Drain(q)...), r.pending, why)
		return
	}
	w := r.pending[j]
	if s.Trace.On(trace.NodesForJob) {
		nodes := s.NodeIndex.Feasible(s.L.Task(w.Tasks[0]).Class)
		s.Trace.Add(trace.Event{Kind: trace.NodesForJob, Job: s.L.Jobs.Called(j), Count: nodes})
	}
	if r.heads != nil {
		r.heads.PlanBefore(j)
	}
	if why := search.Behind(s, j, session.CodeOnly); why.Is() {
		s.Pending.Park(j, pending.Refusal{Reason: why, Order: true})
		rotation.Return(q)
		return
	}
	outcome := search.Attempt(s, w)
	if outcome == search.Provisional {
		r.pipelined = append(r.pipelined, j)
	}
	switch {
	case r.heads == nil:
	case outcome == search.Refused:
		r.heads.Refused(j)
	default:
		r.heads.Placed(j)
	}
	served := outcome == search.Committed
	again := served && !w.Empty()
	switch {
	case again && r.above(j) && !r.widened:
		r.later = append(r.later, j)
	case again:
		rotation.Again(q, j)
	case served && !s.Pending.Reason(j).Is():
		s.Pending.Wait(j, nothingToPlace(s, j))
	}
	rotation.Return(q)
}
