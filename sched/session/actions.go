package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Action is one step of a cycle, by its configured name.
type Action interface {
	Name() string
	Execute(s *Session)
}

// Rotation serves jobs queue by queue: the queue that is most in need gives one job,
// then goes back to the others (seed 003 §3).
type Rotation struct {
	s      *Session
	kin    bool // serving one queue may move others: see policy.KinOrder
	queues *Heap[ledger.QueueID]
	jobs   map[ledger.QueueID]*Heap[ledger.JobID]
}

// Rotate makes a rotation of jobs; the order in which they are given does not matter.
func (s *Session) Rotate(jobs []ledger.JobID) *Rotation {
	r := &Rotation{s: s, queues: NewHeap(s.Policy.CompareQueues), jobs: map[ledger.QueueID]*Heap[ledger.JobID]{}}
	var queues []ledger.QueueID
	for _, j := range jobs {
		q := s.L.Job(j).Queue
		h := r.jobs[q]
		if h == nil {
			h = NewHeap(s.Policy.CompareJobs)
			r.jobs[q] = h
			queues = append(queues, q)
		}
		h.Push(j)
	}
	for _, q := range queues {
		r.queues.Push(q)
	}
	r.kin = s.Policy.ServingMovesOthers()
	return r
}

// Queues is the number of queues in the rotation.
func (r *Rotation) Queues() int { return r.queues.Len() }

// Next takes the next queue out and its first job; false when the rotation is empty.
// Give it back with Return, with or without the job.
func (r *Rotation) Next() (ledger.QueueID, ledger.JobID, bool) {
	if r.kin {
		r.queues.Reorder()
	}
	for r.queues.Len() > 0 {
		q := r.queues.Pop()
		if h := r.jobs[q]; h.Len() > 0 {
			return q, h.Pop(), true
		}
	}
	return ledger.NoQueue, ledger.NoJob, false
}

// Again puts a job back into its queue.
func (r *Rotation) Again(q ledger.QueueID, j ledger.JobID) { r.jobs[q].Push(j) }

// Return puts a queue back, to be compared by what it holds now.
func (r *Rotation) Return(q ledger.QueueID) {
	if r.jobs[q].Len() > 0 {
		r.queues.Push(q)
	}
}

// Drain removes a queue's remaining jobs, first to last: the queue is served no more.
func (r *Rotation) Drain(q ledger.QueueID) []ledger.JobID {
	var out []ledger.JobID
	for h := r.jobs[q]; h.Len() > 0; {
		out = append(out, h.Pop())
	}
	return out
}

// Candidates are the active jobs that are worth a look and that keep admits, by name.
// worth only asks; keep may admit a job or note why it is left out, and is asked in the
// order of names.
func (s *Session) Candidates(worth, keep func(ledger.JobID) bool) []ledger.JobID {
	// Admitting a job takes it off the active list: pick first, then ask.
	var out []ledger.JobID
	for _, j := range s.L.Active() {
		if worth(j) {
			out = append(out, j)
		}
	}
	return s.inOrder(out, keep)
}

func (s *Session) inOrder(jobs []ledger.JobID, keep func(ledger.JobID) bool) []ledger.JobID {
	slices.SortFunc(jobs, s.byName)
	return slices.DeleteFunc(jobs, func(j ledger.JobID) bool { return !keep(j) })
}

func (s *Session) byName(a, b ledger.JobID) int {
	switch {
	case a == b:
		return 0
	case s.L.Job(a).Key.Less(s.L.Job(b).Key):
		return -1
	default:
		return 1
	}
}

// Enter and Leave frame an action in the trace (seed 003 §2.2).
func (s *Session) Enter(action string) {
	s.Trace.Add(trace.Event{Kind: trace.EnterAction, Action: action})
}

// Leave ends what Enter began.
func (s *Session) Leave(action string) {
	s.Trace.Add(trace.Event{Kind: trace.LeaveAction, Action: action})
}
