package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// A queue with dequeueStrategy fifo serves its jobs strictly in job order, as far as they compete: a job is held back
// while one that goes before it waits for its minimum and
//
//   - some node could hold pods of both, were it empty; or
//   - with the later job placed, the queue would have no room for the earlier one, or has none now in a dimension that
//     the later one asks for.
//
// Only a job that could start if there were room holds others back: one that is blocked, gated, not valid, lacks pods,
// or that by amounts the nodes or its queue could never hold, does not. Other queues are never held back.

// fifoJobs are the jobs of fifo queues that wait for their minimum, as long as no fact and no commitment changes.
type fifoJobs struct {
	at, used uint64 // the StateEpoch at which they were collected, plus one; the version of Usage
	of       map[ledger.QueueID][]*classQueue
}

// classQueue is the waiting jobs of a queue that have pods of one class, the first in job order on top. A job of which
// the minimum was placed meanwhile is removed when it becomes the first.
type classQueue struct {
	class ledger.ClassID
	jobs  *Heap[ledger.JobID]
	able  ledger.JobID // the first one, of which it is known that it could start
}

// FIFO says that a queue serves its jobs strictly in their order.
func (s *Session) FIFO(q ledger.QueueID) bool {
	fact := s.L.Queue(q).Fact
	return fact != nil && fact.FIFO
}

// Detail says how much a reason is to say. To find amounts and nodes costs time.
type Detail bool

// The details.
const (
	CodeOnly    Detail = false // whether there is a reason, and its code
	WithAmounts Detail = true  // amounts and nodes, too
)

// Behind returns why a job is held back by one before it in its queue; the zero Reason when it is not. With
// CodeOnly it leaves out amounts and nodes. It must not be called inside a try.
func (s *Session) Behind(j ledger.JobID, detail Detail) trace.Reason {
	job := s.L.Job(j)
	if !s.FIFO(job.Queue) || job.Ready() > 0 && !job.Met((*ledger.Count).Ready) || job.By[model.Pipelined] > 0 {
		return trace.Reason{} // it has begun and lost a member, or has pipelined members: it does not wait in order
	}
	ahead, why := ledger.NoJob, trace.Reason{}
	asks := s.classesOf(j)
	start, _ := s.L.KeptRoom.Start(j)
	for _, l := range s.classQueues(job.Queue) {
		h, ok := s.first(l)
		if ok && start != 0 && s.L.Job(h).Priority <= job.Priority {
			continue // its start was planned when it came first: that stands
		}
		if !ok || h == j || s.Policy.CompareJobs(h, j) >= 0 || ahead != ledger.NoJob && s.Policy.CompareJobs(ahead, h) <= 0 {
			continue
		}
		if s.NodeIndex.Shared([]ledger.ClassID{l.class}, asks).Any {
			ahead, why = h, trace.Reason{}
		} else if r := s.crowds(h, j); r.Is() {
			ahead, why = h, r
		}
	}
	if ahead == ledger.NoJob {
		return trace.Reason{}
	}
	r := trace.Reason{Code: trace.BehindJob, Text: s.L.Jobs.CalledTo(j, ahead), Queue: why.Queue, Shorts: why.Shorts}
	if r.Queue == "" {
		r.Queue = s.L.Queue(job.Queue).Name
	}
	if nodes := s.NodeIndex.Shared(s.classesOf(ahead), asks); detail == WithAmounts && nodes.Any {
		r.Nodes, r.Shorts = []trace.NodeCount{{Count: nodes.Count(), Example: nodes.First()}}, nil
	}
	return r
}

// classQueues are those of a queue.
func (s *Session) classQueues(q ledger.QueueID) []*classQueue {
	if at, used := s.L.Changes.StateEpoch()+1, s.L.Usage.Version(); s.waiting.at != at || s.waiting.used != used {
		s.waiting = fifoJobs{at: at, used: used, of: map[ledger.QueueID][]*classQueue{}}
		for _, j := range s.L.Jobs.Active() { // order-free: heaps by a total order, each looked at by itself
			if queue := s.L.Job(j).Queue; queue != ledger.NoQueue && s.FIFO(queue) && s.lacks(j) {
				for _, class := range s.classesOf(j) {
					s.enqueueByClass(queue, class, j)
				}
			}
		}
	}
	return s.waiting.of[q]
}

// enqueueByClass adds a job to the class queue of a class.
func (s *Session) enqueueByClass(q ledger.QueueID, class ledger.ClassID, j ledger.JobID) {
	for _, l := range s.waiting.of[q] {
		if l.class == class {
			l.jobs.Push(j)
			return
		}
	}
	l := &classQueue{class, NewHeap(s.Policy.CompareJobs), ledger.NoJob}
	l.jobs.Push(j)
	s.waiting.of[q] = append(s.waiting.of[q], l)
}

// first is the first job of a class queue that holds others back; false when there is none.
func (s *Session) first(l *classQueue) (ledger.JobID, bool) {
	for l.jobs.Len() > 0 {
		if j := l.jobs.First(); s.lacks(j) && (j == l.able || s.couldStartOnEmptyNodes(j)) {
			l.able = j
			return j, true
		}
		l.jobs.Pop()
	}
	return ledger.NoJob, false
}

// lacks says that a job waits in order: it is admitted and lacks its minimum, and has enough pods for it.
func (s *Session) lacks(j ledger.JobID) bool {
	job := s.L.Job(j)
	if !job.Admitted() || job.Invalid > 0 || job.Met((*ledger.Count).ReadyOrPipelined) ||
		job.Valid()-job.Gated < job.MinMember {
		return false
	}
	for i := range job.Roles {
		if r := &job.Roles[i]; r.Valid() < r.Min {
			return false
		}
	}
	return true
}

// classesOf lists the classes of a job's pods that ask for something and wait for a node.
func (s *Session) classesOf(j ledger.JobID) (out []ledger.ClassID) {
	s.L.Jobs.Tasks(j, model.Pending, func(t ledger.TaskID) bool {
		task := s.L.Task(t)
		known := s.L.Class(task.Class).BestEffort || !task.Placeable()
		for i := 0; !known && i < len(out); i++ {
			known = out[i] == task.Class
		}
		if !known {
			out = append(out, task.Class)
		}
		return true
	})
	return out
}

// crowds returns how a job would take room of the queue that one before it needs; the zero Reason when it would not.
func (s *Session) crowds(h, j ledger.JobID) trace.Reason {
	why := s.quotaLacks(h, ledger.NoJob)
	if !why.Is() {
		return s.quotaLacks(h, j)
	}
	for _, class := range s.classesOf(j) {
		for _, need := range s.L.Class(class).Need {
			for _, short := range why.Shorts {
				if short.Dim == s.L.Dims.Name(need.Dim) {
					return why
				}
			}
		}
	}
	return trace.Reason{}
}

// QueueLacks returns what the queue of a job lacks for its minimum; the zero Reason when it lacks nothing.
func (s *Session) QueueLacks(j ledger.JobID) trace.Reason { return s.quotaLacks(j, ledger.NoJob) }

// quotaLacks returns what the queue of a job lacks for its minimum, with the minimum of another job placed beside it;
// the zero Reason when it lacks nothing.
func (s *Session) quotaLacks(h, beside ledger.JobID) (why trace.Reason) {
	s.L.Try(func(tx *ledger.Tx) bool {
		if beside != ledger.NoJob {
			for _, t := range s.minimum(beside) {
				tx.Suppose(t)
			}
		}
		q := s.L.Job(h).Queue
		for _, t := range s.minimum(h) {
			if class := s.L.Task(t).Class; s.Policy.Allocatable(q, class, 1) < 1 {
				why = s.Policy.WhyNotAllocatable(q, class)
				break
			}
			tx.Suppose(t)
		}
		return false
	})
	return why
}

// minimum are the pods that a job lacks of its minimum, or the next one above it, in the order to place them.
func (s *Session) minimum(j ledger.JobID) (out []ledger.TaskID) {
	out = s.pendingOf(j)
	slices.SortFunc(out, s.Policy.CompareTasks)
	return out[:min(len(out), s.L.Job(j).LeastToPlace())]
}
