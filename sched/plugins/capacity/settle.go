package capacity

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Evictions to and fro. That a claim is owed one resource does not mean that it is owed all it
// asks for: its queue may come out above its part of another, and be claimed from in turn.
// Three rules keep room from going round. The first two bind only a claim that would be above
// its part of something.
//
//  1. A unit stays that could be claimed back from the claim itself: it gives something of which
//     its queue would be owed it again, and the claim's queue would be above its part of that.
//  2. So does one that could be claimed back by a detour: a third queue that waits is owed what
//     the claim has above its part, and would itself be above its part of what the unit gives.
//  3. Of several units each has to be above its queue's part with all the others gone, whichever
//     goes last: otherwise one of them is what its queue is owed, and is claimed back later.
//
// By rule 1 no two queues take from each other in turn: the move back has what the first one
// lacked, a queue within its part of what is claimed and another above it. Rings of more than
// two need each member to be above its part of what the next one claims, which is rule 2.
func (m *move) backAndForth() (r trace.Reason) {
	if r = m.comesBack(m.unit.Queue, m.returns(m.unit.Job, m.unit.Tasks)); r.Is() {
		return r
	}
	var before ledger.TaskID = ledger.NoTask
	m.l.Displaced(func(t ledger.TaskID) {
		task := m.l.Task(t)
		q := m.l.Job(task.Job).Queue
		if r.Is() || t == before || !m.known(q) || q == m.preemptor.Queue || m.together(q, m.unit.Queue) <= 0 && q != m.unit.Queue {
			return // what left no common part with the unit stands as it did
		}
		before = t
		back := m.returns(task.Job, []ledger.TaskID{t})
		if r = m.comesBack(q, back); !r.Is() && !m.belowMinimum(task.Job) && !m.surplus(q, back) {
			r = m.deserves(m.lacks)
		}
	})
	return r
}

// surplus says that with so much back, and all other victims gone, a queue would still be above
// its part of something that the claim is owed.
func (m *move) surplus(q ledger.QueueID, back func(resource.Dim) int64) bool {
	shared := m.together(q, m.preemptor.Queue)
	return m.any(func(d resource.Dim) bool {
		return m.preemptor.Want.Get(d) > 0 && m.offered(d) && back(d) > 0 && m.exceeded(q, shared, d, back(d)) &&
			m.entitled(m.preemptor.Queue, shared, d, m.preemptor.Want.Get(d), q, back(d))
	})
}

// comesBack is the reason why tasks of a queue could be claimed back once they left.
func (m *move) comesBack(q ledger.QueueID, back func(resource.Dim) int64) trace.Reason {
	shared := m.together(q, m.preemptor.Queue)
	returns := func(d resource.Dim) bool {
		return m.offered(d) && back(d) > 0 && m.within(q, shared, d, back(d)) && (m.overdrawn(d, shared) || m.chained(d))
	}
	if !m.any(returns) {
		return trace.Reason{}
	}
	return trace.Reason{Code: trace.VictimReturns, Queue: m.l.Queue(q).Name, Text: m.l.Queue(m.preemptor.Queue).Name,
		Shorts: policy.Shorts(m.l.Dims, returns, func(d resource.Dim) trace.Short {
			return trace.Short{Need: m.deserved(q, d), Have: m.held(q, d)}
		})}
}

// within says that a queue could claim so much from the claim's side once the claim has what
// it wants.
func (m *move) within(q ledger.QueueID, shared int32, d resource.Dim, amount int64) bool {
	return m.entitled(q, shared, d, amount, m.preemptor.Queue, m.preemptor.All(d))
}

// overdrawn says that the claim asks for a dimension of which its side would then hold more than
// its part, as seen from a queue with which it shares an ancestor at the depth given.
func (m *move) overdrawn(d resource.Dim, shared int32) bool {
	return m.preemptor.Want.Get(d) > 0 && m.exceeded(m.preemptor.Queue, shared, d, m.preemptor.All(d))
}

// returns is what of a job has to come back at least for it to run again: a member that it has
// to spare alone, of a gang below its minimum as many as that lacks.
func (m *move) returns(j ledger.JobID, tasks []ledger.TaskID) func(resource.Dim) int64 {
	job := m.l.Job(j)
	count := int64(1)
	if whole := m.unit.Job == j && m.unit.Whole; whole || m.belowMinimum(j) {
		count = int64(job.MinMember - job.Holding())
		if whole {
			count = int64(job.MinMember) - int64(job.Holding()) + int64(len(m.unit.Tasks))
			count = min(count, int64(len(m.unit.Tasks)))
		}
	}
	return func(d resource.Dim) int64 {
		least := int64(-1)
		for _, t := range tasks {
			if x := m.l.Class(m.l.Task(t).Class).Request.Get(d); least < 0 || x < least {
				least = x
			}
		}
		return times(max(0, least), max(1, count))
	}
}

// belowMinimum says that a job is left with fewer members than it needs: it went as a whole.
func (m *move) belowMinimum(j ledger.JobID) bool {
	job := m.l.Job(j)
	return job.Holding() < job.MinMember
}

// times is a × b, held at the edge of int64; neither is negative.
func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
