package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// offered says that a dimension is shared at all: some node offers it. What waits for
// another waits for nodes, not for its queue (decision 26).
func (p *plugin) offered(d resource.Dim) bool { return d != resource.Pods && p.l.Total(d) > 0 }

// held is the limit that placing is held to for a realCapability. One that is the whole
// cluster needs none: nodes are full before it is reached, and that they are is the
// reason to show, which a node more would cure (decision 26).
func (p *plugin) held(d resource.Dim, real int64) fair.Limit {
	return fair.Limit{Value: real, Bounded: p.offered(d) && real < p.l.Total(d)}
}

// top is root in one dimension, and what a user's Queue named root itself is limited
// to. What that Queue names limits; in what it leaves out the cluster does (decision 6).
func (p *plugin) top(d resource.Dim) (fair.Branch, fair.Limit) {
	total := max(0, p.l.Total(d))
	b := fair.Branch{Up: -1, Deserved: total, Capability: fair.Limit{Value: total, Bounded: true}}
	queue := p.l.Queue(p.order[0])
	if queue.Fact == nil {
		return b, fair.Limit{}
	}
	if _, bad := queue.Fact.SetAside(); bad {
		return b, fair.Limit{}
	}
	named := bound(queue, d)
	b.Capability.Value = named.Clip(total)
	b.Guarantee = queue.Guarantee.Get(d)
	if _, says := queue.Fact.Deserved.Get(p.l.Dims.Name(d)); says {
		b.Deserved = queue.Deserved.Get(d)
	}
	return b, named
}

func bound(queue *ledger.Queue, d resource.Dim) fair.Limit {
	x, bounded := queue.Capability.Bound(d)
	return fair.Limit{Value: x, Bounded: bounded}
}

// divide works out flat queues in one dimension (seed 001 §3.1). Enqueue is held to
// realCapability as placing is; in what no node offers to the capability alone, so that
// a cluster can scale up from zero.
func (p *plugin) divide(d resource.Dim) {
	top, named := p.top(d)
	total := top.Capability.Value
	root := &p.rows[p.order[0]]
	root.real[d], root.deserved[d] = total, min(top.Deserved, total)
	root.place[d], root.admit[d] = p.held(d, total), named
	var promised resource.Sum
	for _, q := range p.order[1:] {
		promised = promised.Plus(p.l.Queue(q).Guarantee.Get(d))
	}
	offered := p.offered(d)
	for _, q := range p.order[1:] {
		queue, r := p.l.Queue(q), &p.rows[q]
		guarantee, capability := queue.Guarantee.Get(d), bound(queue, d)
		r.real[d] = fair.RealCapability(total, promised.Int64(), guarantee, capability)
		r.deserved[d] = max(min(queue.Deserved.Get(d), r.real[d]), guarantee)
		r.place[d], r.admit[d] = p.held(d, r.real[d]), capability
		if offered {
			r.admit[d] = fair.Limit{Value: r.real[d], Bounded: true}
		}
	}
}

// grow works out the tree in one dimension (seed 001 §3.2): for placing with the
// cluster at its top, for enqueue with what a user's root names alone.
func (p *plugin) grow(d resource.Dim) {
	top, named := p.top(d)
	p.branches, p.boughs = append(p.branches[:0], top), append(p.boughs[:0], fair.Bough{})
	for _, q := range p.order[1:] {
		queue := p.l.Queue(q)
		p.branches = append(p.branches, fair.Branch{Up: p.rows[p.rows[q].up].seat, Deserved: queue.Deserved.Get(d),
			Guarantee: queue.Guarantee.Get(d), Capability: bound(queue, d)})
		p.boughs = append(p.boughs, fair.Bough{})
	}
	p.forest.Settle(p.branches, p.boughs)
	for i, q := range p.order {
		r, b := &p.rows[q], &p.boughs[i]
		r.real[d], r.deserved[d], r.place[d] = b.Real.Value, b.Deserved, p.held(d, b.Real.Value)
	}
	p.branches[0].Capability = named
	p.forest.Settle(p.branches, p.boughs)
	for i, q := range p.order {
		p.rows[q].admit[d] = p.boughs[i].Real
	}
}

// known says that a queue shares the cluster, and its row is its own.
func (p *plugin) known(q ledger.QueueID) bool {
	return q >= 0 && int(q) < len(p.rows) && p.rows[q].shares
}

// takes says that tasks may be placed for a queue: one that shares, is open and is a
// leaf.
func (p *plugin) takes(q ledger.QueueID) bool {
	return p.known(q) && p.l.Queue(q).State() == model.QueueOpen && p.l.Queue(q).Leaf()
}
