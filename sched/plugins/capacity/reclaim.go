package capacity

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Preemptive lets a queue reclaim while what it would hold is within what it deserves in
// at least one of the dimensions the claim is short of (all it asks for, when it is
// short of none), and within realCapability, its own and that of every queue above, in
// all (decision 15). With ancestorReclaimLevel N it is enough that one of the N queues
// above, root left out, stays within what that queue deserves: then a team's part is
// the team's to take.
func (p *plugin) Preemptive(c policy.Claim) (trace.Reason, bool) {
	if r, ok := p.closed(c.Queue); ok {
		return r, false
	}
	if r := p.above(c.Queue, c.Want); r.Is() {
		return r, false
	}
	at := c.Queue
	for level := int64(0); level <= p.level && p.rows[at].depth > 0; level++ {
		if p.deserves(at, c) {
			return trace.Reason{}, true
		}
		at = p.rows[at].up
	}
	return p.undeserved(c), false
}

// deserves says that a queue with the claim stays within what it deserves in one of the
// dimensions that matter. A dimension that nobody asks for never does.
func (p *plugin) deserves(q ledger.QueueID, c policy.Claim) bool {
	held := p.l.Queue(q).Allocated
	for d := range c.Want {
		d := resource.Dim(d)
		if c.Want.Get(d) > 0 && short(c, d) && room(p.deserved(q, d), held.Get(d)) >= c.Want.Get(d) {
			return true
		}
	}
	return false
}

func short(c policy.Claim, d resource.Dim) bool {
	return d != resource.Pods && (len(c.Short) == 0 || slices.Contains(c.Short, d))
}

func (p *plugin) undeserved(c policy.Claim) trace.Reason {
	queue := p.l.Queue(c.Queue)
	return trace.Reason{Code: trace.QueueDeserved, Queue: queue.Name, Shorts: policy.Shorts(p.l.Dims,
		func(d resource.Dim) bool { return c.Want.Get(d) > 0 && short(c, d) },
		func(d resource.Dim) trace.Short {
			future := resource.Sum{}.Plus(queue.Allocated.Get(d)).Plus(c.Want.Get(d)).Int64()
			return trace.Short{Need: future, Have: p.deserved(c.Queue, d)}
		})}
}

// Reclaimable permits a unit when it gives something that the claim asks for, when no
// queue is left with less than its guarantee, and when its queue holds more than it
// deserves of something the unit gives, or deserves nothing of it (seed 001 §5.1). All
// refusals are guards.
//
// Guarantees are looked at from the unit's queue up to below the deepest ancestor it
// shares with the claim's: what that one and those above hold comes back with the
// claim's tasks. A whole gang may go as long as its queue is above what it deserves
// before the last of its members goes (decision 12). With ancestorReclaimLevel N the N
// queues above, below the shared one, must hold more than they deserve too. Nothing is
// moved that could be moved back (settle.go).
func (p *plugin) Reclaimable(c policy.Claim, u policy.Unit) policy.Opinion {
	if !p.known(u.Queue) || !p.known(c.Queue) || u.Queue == c.Queue {
		return refuse(trace.Reason{Code: trace.VictimOutside, Queue: p.l.Queue(u.Queue).Name})
	}
	p.weigh(u)
	if !p.meets(c.Want) {
		return refuse(trace.Reason{Code: trace.VictimOfNoUse, Queue: p.l.Queue(u.Queue).Name})
	}
	shared := p.together(u.Queue, c.Queue)
	for at, level := u.Queue, int64(0); p.rows[at].depth > shared; at, level = p.rows[at].up, level+1 {
		if r := p.guaranteed(at); r.Is() {
			return refuse(r)
		}
		if level <= p.level {
			if r := p.within(at); r.Is() {
				return refuse(r)
			}
		}
	}
	if r := p.backAndForth(c, u); r.Is() {
		return refuse(r)
	}
	return policy.Opinion{Vote: policy.Permit}
}

func refuse(r trace.Reason) policy.Opinion {
	return policy.Opinion{Vote: policy.Reject, Guard: true, Reason: r}
}

// weigh adds up what a unit gives, and what the last of its tasks does.
func (p *plugin) weigh(u policy.Unit) {
	p.unit, p.last = p.unit[:0], p.last[:0]
	for i, t := range u.Tasks {
		request := p.l.Class(p.l.Task(t).Class).Request
		p.unit = p.unit.Add(request)
		if i == len(u.Tasks)-1 {
			p.last = p.last.CopyFrom(request)
		}
	}
}

// gives says that the unit gives something in a dimension that is shared.
func (p *plugin) gives(d resource.Dim) bool { return p.unit.Get(d) > 0 && p.offered(d) }

func (p *plugin) meets(want resource.Vec) bool {
	for d := range p.unit {
		if d := resource.Dim(d); p.gives(d) && want.Get(d) > 0 {
			return true
		}
	}
	return false
}

// guaranteed is the reason why a queue must not lose the unit: it would be left with
// less than its guarantee (seed 001 §5.1, the second check).
func (p *plugin) guaranteed(q ledger.QueueID) trace.Reason {
	queue := p.l.Queue(q)
	left := func(d resource.Dim) int64 { return room(queue.Allocated.Get(d), p.unit.Get(d)) }
	broken := func(d resource.Dim) bool { return p.gives(d) && left(d) < queue.Guarantee.Get(d) }
	for d := range p.unit {
		if broken(resource.Dim(d)) {
			return trace.Reason{Code: trace.VictimGuaranteed, Queue: queue.Name, Shorts: policy.Shorts(p.l.Dims, broken,
				func(d resource.Dim) trace.Short { return trace.Short{Need: queue.Guarantee.Get(d), Have: left(d)} })}
		}
	}
	return trace.Reason{}
}

// within is the reason why a queue keeps the unit: it deserves something of what the
// unit gives, and holds no more than that in any such dimension when only the last of
// the unit's tasks is left (seed 001 §5.1, the third check).
func (p *plugin) within(q ledger.QueueID) trace.Reason {
	queue := p.l.Queue(q)
	held := func(d resource.Dim) int64 { return room(queue.Allocated.Get(d), p.unit.Get(d)-p.last.Get(d)) }
	speaks := func(d resource.Dim) bool { return p.gives(d) && p.grants(q, d) }
	any := false
	for d := range p.unit {
		if d := resource.Dim(d); speaks(d) {
			any = true
			if held(d) > p.deserved(q, d) {
				return trace.Reason{}
			}
		}
	}
	if !any {
		return trace.Reason{}
	}
	return trace.Reason{Code: trace.VictimDeserved, Queue: queue.Name, Shorts: policy.Shorts(p.l.Dims, speaks,
		func(d resource.Dim) trace.Short { return trace.Short{Need: p.deserved(q, d), Have: held(d)} })}
}

// grants says that a queue's deserved speaks of a dimension, be it to say zero.
func (p *plugin) grants(q ledger.QueueID, d resource.Dim) bool {
	return p.deserved(q, d) > 0 || slices.Contains(p.rows[q].counts, d)
}
