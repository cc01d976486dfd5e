package capacity

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// reclaimRule says which pods may be evicted for a queue that is owed room.
type reclaimRule struct {
	p *plugin

	unit, together resource.Vec // scratch of Reclaimable: what the unit frees, and what of it can only go together
}

// Preemptive lets a queue reclaim while what it would hold is within what it deserves in at least one
// of the dimensions that the preemptor is short of (all it asks for, when it is short of none), and
// within realCapability, its own and that of every ancestor, in all (decision 15). With
// ancestorReclaimLevel N, it is enough that one of the N nearest ancestors, without root, stays within
// what that ancestor deserves: then the queue may take its team's part.
func (p *plugin) Preemptive(c policy.Preemptor) (trace.Reason, bool) {
	if r, ok := p.closed(c.Queue); ok {
		return r, false
	}
	c = p.claims(c)
	if r := p.above(c.Queue, c.Want); r.Is() {
		return r, false
	}
	at := c.Queue
	for level := int64(0); level <= p.level && p.rows[at].depth > 0; level++ {
		if p.reclaim.deserves(at, c) {
			return trace.Reason{}, true
		}
		at = p.rows[at].up
	}
	return p.reclaim.undeserved(c), false
}

// deserves says that with the preemptor, a queue stays within what it deserves in one of the dimensions
// that matter. A dimension that the preemptor does not ask for does not matter.
func (rr *reclaimRule) deserves(q ledger.QueueID, c policy.Preemptor) bool {
	for d := range c.Want {
		d := resource.Dim(d)
		if c.Want.Get(d) > 0 && rr.p.short(c, d) && room(rr.p.bounds.deserved(q, d), rr.p.holds(q, d)) >= c.Want.Get(d) {
			return true
		}
	}
	return false
}

// short says that a preemptor may lack a dimension on all nodes. Of devices that is not known before a node is
// asked: then ShortOnNode says it, and Reclaimable heeds that.
func (p *plugin) short(c policy.Preemptor, d resource.Dim) bool {
	return d != resource.Pods && (len(c.ShortOnAll) == 0 || slices.Contains(c.ShortOnAll, d) || p.counted(d))
}

func (rr *reclaimRule) undeserved(c policy.Preemptor) trace.Reason {
	queue := rr.p.l.Queue(c.Queue)
	return trace.Reason{Code: trace.QueueDeserved, Queue: queue.Name, Shorts: trace.ShortsOf(rr.p.l.Dims,
		func(d resource.Dim) bool { return c.Want.Get(d) > 0 && rr.p.short(c, d) },
		func(d resource.Dim) trace.Short {
			future := resource.Sum{}.Plus(rr.p.holds(c.Queue, d)).Plus(c.Want.Get(d)).Int64()
			return trace.Short{Need: future, Have: rr.p.bounds.deserved(c.Queue, d)}
		})}
}

// Reclaimable permits a unit by dimension and level. In at least one dimension that the preemptor lacks
// and the unit frees, the preemptor's queue must stay within what it deserves, and the unit's queue
// must hold more than it deserves, whatever either holds of other dimensions. This is checked for the
// queues on both sides below their deepest common ancestor: on the preemptor's side, one of the
// ancestorReclaimLevel+1 lowest has to be within; on the unit's side, all of as many have to be above.
// What the common ancestor and those above it lose comes back with the preemptor's tasks.
//
// No queue on the unit's side is left with less than its guarantee (seed 001 §5.1). What can only go together is judged
// as one, as a pod of that size would be (decision 12). What could be claimed back stays (back_and_forth.go). All
// refusals are Guards.
func (p *plugin) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if !p.bounds.known(u.Queue) || !p.bounds.known(c.Queue) || u.Queue == c.Queue {
		return policy.GuardAgainst(trace.Reason{Code: trace.VictimOutside, Queue: p.l.Queue(u.Queue).Name})
	}
	p.reclaim.weigh(u)
	c = p.claims(c)
	m := move{plugin: p, preemptor: &c, unit: &u, shared: p.order.together(u.Queue, c.Queue)}
	if !m.any(func(d resource.Dim) bool { return m.lacks(d) && p.reclaim.gives(d) }) {
		return policy.GuardAgainst(trace.Reason{Code: trace.VictimOfNoUse, Queue: p.l.Queue(u.Queue).Name})
	}
	for at := u.Queue; p.rows[at].depth > m.shared; at = p.rows[at].up {
		if r := p.reclaim.guaranteed(at); r.Is() {
			return policy.GuardAgainst(r)
		}
	}
	if r := m.undue(); r.Is() {
		return policy.GuardAgainst(r)
	}
	if r := m.backAndForth(); r.Is() {
		return policy.GuardAgainst(r)
	}
	return policy.Opinion{Vote: policy.Permit, Guard: true}
}

// weigh adds up what a unit frees, and what of it can only go together.
func (rr *reclaimRule) weigh(u policy.Unit) {
	rr.unit, rr.together = rr.unit[:0], rr.together[:0]
	for _, t := range u.Together() {
		rr.together = rr.together.Add(rr.p.l.Request(t))
	}
	rr.unit = rr.unit.CopyFrom(rr.together)
	for _, t := range u.Tasks[:u.Surplus] {
		rr.unit = rr.unit.Add(rr.p.l.Request(t))
	}
	if rr.p.devices == nil {
		return
	}
	freed, spare := rr.p.devices.Frees(u.Tasks), rr.p.devices.Frees(u.Tasks[:u.Surplus])
	rr.unit = rr.unit.Add(freed)
	for d := range freed {
		if more := freed.Get(resource.Dim(d)) - spare.Get(resource.Dim(d)); more > 0 {
			rr.together = rr.together.Set(resource.Dim(d), rr.together.Get(resource.Dim(d))+more)
		}
	}
}

// gives says that the unit frees something of a dimension that is shared.
func (rr *reclaimRule) gives(d resource.Dim) bool {
	return rr.unit.Get(d) > 0 && rr.p.bounds.offered(d)
}

// guaranteed is the reason why a queue must not lose the unit: it would be left with less than its
// guarantee (seed 001 §5.1, the second check).
func (rr *reclaimRule) guaranteed(q ledger.QueueID) trace.Reason {
	queue := rr.p.l.Queue(q)
	left := func(d resource.Dim) int64 { return room(rr.p.holds(q, d), rr.unit.Get(d)) }
	broken := func(d resource.Dim) bool { return rr.gives(d) && left(d) < queue.Guarantee.Get(d) }
	for d := range rr.unit {
		if broken(resource.Dim(d)) {
			return trace.Reason{Code: trace.VictimGuaranteed, Queue: queue.Name, Shorts: trace.ShortsOf(rr.p.l.Dims, broken,
				func(d resource.Dim) trace.Short { return trace.Short{Need: queue.Guarantee.Get(d), Have: left(d)} })}
		}
	}
	return trace.Reason{}
}
