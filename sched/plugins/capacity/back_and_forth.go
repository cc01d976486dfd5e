package capacity

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Evictions back and forth. A preemptor that is owed one resource need not be owed all that it
// asks for: its queue may end up above its part of another, and lose that in turn.
// Three rules prevent such cycles. The first two only bind a preemptor that would be above
// its part of something.
//
//  1. A unit stays if it could be reclaimed from the preemptor itself: it frees something of which
//     its queue would then be owed, and the preemptor's queue would be above its part of that.
//  2. A unit stays if it could be reclaimed by a detour: a third queue that waits is owed what
//     the preemptor has above its part, and would itself be above its part of what the unit frees.
//  3. Each of several units has to be above its queue's part with all the others gone, whichever
//     is the last: otherwise one of them is what its queue is owed, and is reclaimed later.
//
// By rule 1, no two queues take from each other in turn: the move back has what the first one
// lacked, a queue within its part of what is reclaimed and another above it. In a cycle of more than
// two, each queue has to be above its part of what the next one reclaims, which rule 2 prevents.
func (m *move) backAndForth() (r trace.Reason) {
	if r = m.comesBack(m.unit.Queue, m.returns(m.unit.Tasks)); r.Is() {
		return r
	}
	var before ledger.TaskID = ledger.NoTask
	m.l.Statements.Displaced(func(t ledger.TaskID) {
		task := m.l.Task(t)
		q := m.l.Job(task.Job).Queue
		if r.Is() || t == before || !m.bounds.known(q) || q == m.preemptor.Queue || m.order.together(q,
			m.unit.Queue) <= 0 && q != m.unit.Queue {
			return // a victim without a common dimension with the unit changes nothing
		}
		before = t
		back := m.returns([]ledger.TaskID{t})
		if r = m.comesBack(q, back); !r.Is() && !m.belowMinimum(task.Job) {
			r = m.lastOf(q, back)
		}
	})
	return r
}

// lastOf is the reason why a victim with this amount would have to stay if it were the last to go. One that was taken
// for another member of the gang frees nothing that this one asks for: of such a victim counts what the unit frees,
// too.
func (m *move) lastOf(q ledger.QueueID, back func(resource.Dim) int64) trace.Reason {
	frees := func(d resource.Dim) bool { return m.bounds.offered(d) && back(d) > 0 }
	matters := func(d resource.Dim) bool { return frees(d) && m.preemptor.Want.Get(d) > 0 }
	if !m.any(matters) {
		matters = func(d resource.Dim) bool { return frees(d) && m.reclaim.unit.Get(d) > 0 }
	}
	if !m.any(matters) {
		return trace.Reason{}
	}
	return m.undueOf(q, m.order.together(q, m.preemptor.Queue), matters, back)
}

// comesBack is the reason why tasks of a queue could be reclaimed once they are evicted; the zero
// Reason when they could not.
func (m *move) comesBack(q ledger.QueueID, back func(resource.Dim) int64) trace.Reason {
	shared := m.order.together(q, m.preemptor.Queue)
	returns := func(d resource.Dim) bool {
		return m.bounds.offered(d) && back(d) > 0 && m.within(q, shared, d,
			back(d)) && (m.overdrawn(d, shared) || m.chained(d))
	}
	if !m.any(returns) {
		return trace.Reason{}
	}
	return trace.Reason{Code: trace.VictimReturns, Queue: m.l.Queue(q).Name, Text: m.l.Queue(m.preemptor.Queue).Name,
		Shorts: trace.ShortsOf(m.l.Dims, returns, func(d resource.Dim) trace.Short {
			return trace.Short{Need: m.bounds.deserved(q, d), Have: m.held(q, d)}
		})}
}

// within says that a queue could reclaim this amount from the preemptor's side once the preemptor has
// what it asks for.
func (m *move) within(q ledger.QueueID, shared int32, d resource.Dim, amount int64) bool {
	return m.entitled(q, shared, d, amount, m.preemptor.Queue, m.preemptor.All(d))
}

// overdrawn says that the preemptor asks for a dimension of which its side would then hold more than
// its part, as seen from a queue with which it shares an ancestor at depth shared.
func (m *move) overdrawn(d resource.Dim, shared int32) bool {
	return m.preemptor.Want.Get(d) > 0 && m.exceeded(m.preemptor.Queue, shared, d, m.preemptor.All(d))
}

// returns is the least for which tasks may reclaim: what one of them asks for. A gang may find room for its other
// members elsewhere, and reclaim for a single one.
func (m *move) returns(tasks []ledger.TaskID) func(resource.Dim) int64 {
	return func(d resource.Dim) int64 {
		least := m.asks(tasks[0], d)
		for _, t := range tasks[1:] {
			least = min(least, m.asks(t, d))
		}
		return max(0, least)
	}
}

// asks is what a task asks for.
func (m *move) asks(t ledger.TaskID, d resource.Dim) int64 {
	if m.counted(d) {
		return m.devices.Returns(t, d)
	}
	return m.l.Request(t).Get(d)
}

// belowMinimum says that a job is left with fewer members than it needs: it was evicted as a whole.
func (m *move) belowMinimum(j ledger.JobID) bool {
	job := m.l.Job(j)
	return job.Holding() < job.RetainedMin()
}
