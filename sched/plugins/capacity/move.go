package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// move is a preemptor that would take a unit, as the ledger stands: victims that were evicted for it
// before are gone, the unit is not. Its two sides are the queues from either leaf up to below their
// deepest common ancestor.
type move struct {
	*plugin
	preemptor *policy.Preemptor
	unit      *policy.Unit
	shared    int32 // the depth of that ancestor

	chain []bool // by dimension: see chained; nil: not computed yet
}

func (m *move) any(matters func(resource.Dim) bool) bool {
	for d := range resource.Dim(m.bounds.dims) {
		if matters(d) {
			return true
		}
	}
	return false
}

// lacks says that the preemptor lacks a dimension: on nodes, or because a queue on its path to root may
// hold no more of it.
func (m *move) lacks(d resource.Dim) bool {
	want := m.preemptor.Want.Get(d)
	if want <= 0 || !m.bounds.offered(d) {
		return false
	}
	if m.preemptor.Needs(d) {
		return true
	}
	for at := m.preemptor.Queue; at != ledger.NoQueue; at = m.rows[at].up {
		if place := m.bounds.place(at, d); place.Bounded && sum(m.holds(at, d), want) > place.Value {
			return true
		}
	}
	return false
}

// levels calls f for the lowest ancestorReclaimLevel+1 queues on a leaf's path to root, without root,
// until f returns false. own says that the queue is on the leaf's side of another queue with which it
// shares an ancestor at depth shared.
func (m *move) levels(leaf ledger.QueueID, shared int32, f func(q ledger.QueueID, own bool) bool) {
	for at, level := leaf, int64(0); level <= m.level && m.rows[at].depth > 0; at, level = m.rows[at].up, level+1 {
		if !f(at, m.rows[at].depth > shared) {
			return
		}
	}
}

// held is what a queue holds of a dimension once the unit is gone.
func (m *move) held(q ledger.QueueID, d resource.Dim) int64 {
	held := m.holds(q, d)
	if m.above(q) {
		held = room(held, m.plugin.reclaim.unit.Get(d))
	}
	return held
}

// above says that a queue is the unit's, or an ancestor of it.
func (m *move) above(q ledger.QueueID) bool {
	at := m.unit.Queue
	for m.rows[at].depth > m.rows[q].depth {
		at = m.rows[at].up
	}
	return at == q
}

// entitled says that a leaf may claim an amount from a queue with which it shares an ancestor at depth
// shared: with the amount, one of the queues on the leaf's side holds no more than it deserves. A
// common ancestor also counts, as long as the leaf's side would hold the smaller part of what it
// deserves; holds is what the other side has.
func (m *move) entitled(leaf ledger.QueueID, shared int32, d resource.Dim, amount int64, other ledger.QueueID,
	holds int64) (yes bool) {
	m.levels(leaf, shared, func(q ledger.QueueID, own bool) bool {
		within := sum(m.held(q, d), amount) <= m.bounds.deserved(q, d)
		if own {
			yes = within
		} else if within {
			mine, theirs := m.order.fork(leaf, other)
			yes = fair.Share(sum(m.held(mine, d), amount), m.bounds.deserved(mine, d)).Compare(
				fair.Share(sum(m.held(theirs, d), holds), m.bounds.deserved(theirs, d))) < 0
		}
		return !yes
	})
	return yes
}

// exceeded says that with this amount more, every queue on a leaf's side, as far as reclaiming looks,
// holds more than it deserves.
func (m *move) exceeded(leaf ledger.QueueID, shared int32, d resource.Dim, amount int64) bool {
	over := true
	m.levels(leaf, shared, func(q ledger.QueueID, own bool) bool {
		over = over && (!own || sum(m.held(q, d), amount) > m.bounds.deserved(q, d))
		return over && own
	})
	return over
}

// undue is the reason why the preemptor may not take the unit: in no dimension that the unit frees and
// the preemptor lacks does the unit's side hold more than it deserves while the preemptor's side is
// owed something.
func (m *move) undue() trace.Reason {
	gives := func(d resource.Dim) bool { return m.lacks(d) && m.reclaim.gives(d) }
	r := m.undueOf(m.unit.Queue, m.shared, gives, m.reclaim.together.Get)
	if r.Code == trace.VictimDeserved {
		r.Code = m.unit.WhyStays()
	}
	return r
}

// undueOf is the reason why the preemptor may not take this amount from a leaf with which it shares an ancestor at
// depth shared, once the unit and all victims before it are gone: in no dimension that matters would the leaf's side
// hold more with it than it deserves while the preemptor's side is owed something.
func (m *move) undueOf(leaf ledger.QueueID, shared int32, matters func(resource.Dim) bool,
	amount func(resource.Dim) int64) trace.Reason {
	surplus := func(d resource.Dim) bool { return matters(d) && m.exceeded(leaf, shared, d, amount(d)) }
	owed := func(d resource.Dim) bool {
		return surplus(d) && m.entitled(m.preemptor.Queue, shared, d, m.preemptor.Want.Get(d), leaf, amount(d))
	}
	switch {
	case m.any(owed):
		return trace.Reason{}
	case !m.any(surplus):
		return m.deserves(leaf, shared, matters, amount)
	}
	queue := m.l.Queue(m.preemptor.Queue)
	return trace.Reason{Code: trace.VictimNotOwed, Queue: queue.Name, Shorts: trace.ShortsOf(m.l.Dims, surplus,
		func(d resource.Dim) trace.Short {
			return trace.Short{Need: m.bounds.deserved(m.preemptor.Queue, d),
				Have: sum(m.holds(m.preemptor.Queue, d), m.preemptor.Want.Get(d))}
		})}
}

// deserves names the first queue on a leaf's side that holds, with this amount, no more than it deserves of any
// dimension that matters; where each holds more of some dimension, the first that holds no more of another, and which
// those are.
func (m *move) deserves(leaf ledger.QueueID, shared int32, matters func(resource.Dim) bool,
	amount func(resource.Dim) int64) trace.Reason {
	held := func(q ledger.QueueID, d resource.Dim) int64 { return sum(m.held(q, d), amount(d)) }
	within := func(q ledger.QueueID) func(resource.Dim) bool {
		return func(d resource.Dim) bool { return matters(d) && held(q, d) <= m.bounds.deserved(q, d) }
	}
	keeps, all := ledger.NoQueue, false
	m.levels(leaf, shared, func(q ledger.QueueID, own bool) bool {
		if !own || !m.any(within(q)) {
			return own
		}
		over := m.any(func(d resource.Dim) bool { return matters(d) && !within(q)(d) })
		if keeps == ledger.NoQueue || !over {
			keeps, all = q, !over
		}
		return !all
	})
	return trace.Reason{Code: trace.VictimDeserved, Queue: m.l.Queue(keeps).Name, Shorts: trace.ShortsOf(m.l.Dims,
		within(keeps), func(d resource.Dim) trace.Short {
			return trace.Short{Need: m.bounds.deserved(keeps, d), Have: held(keeps, d)}
		})}
}

// sum is a + b, limited to the range of int64.
func sum(a, b int64) int64 { return resource.Sum{}.Plus(a).Plus(b).Int64() }
