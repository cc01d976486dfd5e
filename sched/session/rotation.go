package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Rotation serves jobs queue by queue: the first queue by QueueOrder gives one job, and then takes
// part again.
type Rotation struct {
	s       *Session
	queues  *queueHeap
	waiting []waitingJobs // of the queues that take part
	at      []int32       // by QueueID: the index of its jobs in waiting, plus one; 0: it takes no part
}

// waitingJobs is a queue's jobs that wait for their turn, in job order, or those of one tenant in it.
type waitingJobs struct {
	jobs []ledger.JobID
	back *Heap[ledger.JobID] // the jobs that were put back; nil when there are none

	tenants *byTenant // where serving one job moves others; then the rest is empty
	at      int       // of a tenant: its index in the heap; -1: it has no jobs there
}

func (l *waitingJobs) empty() bool {
	if l.tenants != nil {
		return l.tenants.heap.Len() == 0
	}
	return len(l.jobs) == 0 && (l.back == nil || l.back.Len() == 0)
}

// first is the first job; there must be one, and no tenants.
func (l *waitingJobs) first() ledger.JobID {
	if l.back != nil && l.back.Len() > 0 && (len(l.jobs) == 0 || l.back.compare(l.back.items[0], l.jobs[0]) < 0) {
		return l.back.items[0]
	}
	return l.jobs[0]
}

// pop takes the first job out; there must be one.
func (l *waitingJobs) pop() ledger.JobID {
	if l.tenants != nil {
		return l.tenants.pop()
	}
	if l.back != nil && l.back.Len() > 0 && (len(l.jobs) == 0 || l.back.compare(l.back.items[0], l.jobs[0]) < 0) {
		return l.back.Pop()
	}
	j := l.jobs[0]
	l.jobs = l.jobs[1:]
	return j
}

// Rotate makes a rotation of jobs. The order of the list does not matter, but sorting costs least when
// it is nearly job order.
func (s *Session) Rotate(jobs []ledger.JobID) *Rotation {
	if len(jobs) == 0 {
		return &Rotation{s: s, queues: &queueHeap{}}
	}
	r := &Rotation{s: s, at: make([]int32, s.L.Queues.Len())}
	in := 0
	for _, j := range jobs {
		q := s.L.Job(j).Queue
		if r.at[q] == 0 {
			in++
		}
		r.at[q]++
	}
	queues, all := make([]ledger.QueueID, 0, in), make([]ledger.JobID, len(jobs))
	r.waiting = make([]waitingJobs, 0, in)
	for q, n := range r.at { // by QueueID, which is the order in memory
		if n > 0 {
			queues = append(queues, ledger.QueueID(q))
			r.waiting, all = append(r.waiting, waitingJobs{jobs: all[:0:n]}), all[n:]
			r.at[q] = int32(len(r.waiting))
		}
	}
	for _, j := range jobs {
		l := r.waitingIn(s.L.Job(j).Queue)
		l.jobs = append(l.jobs, j)
	}
	for i := range r.waiting {
		if len(r.waiting[i].jobs) > 1 {
			slices.SortFunc(r.waiting[i].jobs, s.Policy.CompareJobs)
			r.waiting[i].split(s)
		}
	}
	r.queues = newQueueHeap(s, queues)
	return r
}

func (r *Rotation) waitingIn(q ledger.QueueID) *waitingJobs { return &r.waiting[r.at[q]-1] }

// Queues is the number of queues in the rotation.
func (r *Rotation) Queues() int { return r.queues.in }

// Next takes the next queue out, and its first job; false when the rotation is empty. Return puts the
// queue back, Again the job.
func (r *Rotation) Next() (ledger.QueueID, ledger.JobID, bool) {
	for r.queues.in > 0 {
		q := r.queues.pop()
		if l := r.waitingIn(q); !l.empty() {
			return q, l.pop(), true
		}
	}
	return ledger.NoQueue, ledger.NoJob, false
}

// Again puts a job back into its queue.
func (r *Rotation) Again(q ledger.QueueID, j ledger.JobID) {
	if l := r.waitingIn(q); l.tenants != nil {
		l.tenants.again(j)
	} else {
		l.again(r.s, j)
	}
}

func (l *waitingJobs) again(s *Session, j ledger.JobID) {
	if l.back == nil {
		l.back = NewHeap(s.Policy.CompareJobs)
	}
	l.back.Push(j)
}

// Return puts a queue back, to be compared by what it holds now.
func (r *Rotation) Return(q ledger.QueueID) {
	if !r.waitingIn(q).empty() {
		r.queues.push(q)
	}
}

// Remaining removes all jobs that are left, in no order that may decide anything.
func (r *Rotation) Remaining() (out []ledger.JobID) {
	for r.queues.in > 0 {
		out = append(out, r.Drain(r.queues.pop())...)
	}
	return out
}

// Drain removes a queue's remaining jobs, first to last: the queue is served no more.
func (r *Rotation) Drain(q ledger.QueueID) []ledger.JobID {
	var out []ledger.JobID
	for l := r.waitingIn(q); !l.empty(); {
		out = append(out, l.pop())
	}
	return out
}
