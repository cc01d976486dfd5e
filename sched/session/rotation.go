package session

import "ashlar.sh/sched/ledger"

// Rotation serves jobs queue by queue: the queue that is most in need gives one job,
// then goes back to the others (seed 003 §3).
type Rotation struct {
	turns *turns
	jobs  []*Heap[ledger.JobID] // by QueueID
}

// Rotate makes a rotation of jobs; the order in which they are given does not matter.
func (s *Session) Rotate(jobs []ledger.JobID) *Rotation {
	r := &Rotation{jobs: make([]*Heap[ledger.JobID], s.L.NumQueues())}
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
	r.turns = takeTurns(s, queues)
	return r
}

// Queues is the number of queues in the rotation.
func (r *Rotation) Queues() int { return r.turns.in }

// Next takes the next queue out and its first job; false when the rotation is empty.
// Give it back with Return, with or without the job.
func (r *Rotation) Next() (ledger.QueueID, ledger.JobID, bool) {
	for r.turns.in > 0 {
		q := r.turns.pop()
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
		r.turns.push(q)
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
