package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// settle computes what follows from queues that changed, and from what nodes offer.
func (p *plugin) settle(queues []ledger.QueueID) {
	for d := range resource.Dim(p.dims) {
		if d == resource.Pods {
			continue
		}
		top, named := p.top(d)
		p.placing.Put(int32(p.root), int(d), top)
		if p.tree {
			top.Capability = named
			p.enqueue.Put(int32(p.root), int(d), top)
		}
	}
	for _, q := range queues {
		if !p.known(q) {
			continue
		}
		if !p.rows[q].put {
			p.rows[q].put = true
			p.put(q)
			p.count(q)
		}
		p.guard(q)
	}
	p.placing.Settle()
	p.enqueue.Settle()
}

// put sets a queue's spec in the trees.
func (p *plugin) put(q ledger.QueueID) {
	if q == p.root {
		return
	}
	queue := p.l.Queue(q)
	for d := range resource.Dim(p.dims) {
		if d == resource.Pods {
			continue
		}
		b := fair.QueueNode{Deserved: queue.Deserved.Get(d), Guarantee: queue.Guarantee.Get(d), Capability: bound(queue, d)}
		p.placing.Put(int32(q), int(d), b)
		if p.tree {
			p.enqueue.Put(int32(q), int(d), b)
		}
	}
}

// offered says that a dimension is shared: some node offers it. What waits for another dimension waits
// for nodes, not for its queue (decision 26).
func (p *plugin) offered(d resource.Dim) bool { return d != resource.Pods && p.total(d) > 0 }

// limitsOf is what a queue deserves and may hold of a dimension; zero for a queue that takes no part.
func (p *plugin) limitsOf(q ledger.QueueID, d resource.Dim) *fair.QueueLimits {
	if d == resource.Pods || int(d) >= p.dims || !p.known(q) {
		return &fair.QueueLimits{}
	}
	return p.placing.Limits(int32(q), int(d))
}

func (p *plugin) real(q ledger.QueueID, d resource.Dim) int64     { return p.limitsOf(q, d).Real.Value }
func (p *plugin) deserved(q ledger.QueueID, d resource.Dim) int64 { return p.limitsOf(q, d).Deserved }

// place is the limit for placing. A realCapability that is the whole cluster needs none: nodes are full
// before it is reached, and full nodes are the reason to show, since one more node would help (decision
// 26).
func (p *plugin) place(q ledger.QueueID, d resource.Dim) fair.Limit {
	if !p.offered(d) || int(d) >= p.dims {
		return fair.Limit{}
	}
	real := p.real(q, d)
	return fair.Limit{Value: real, Bounded: real < p.total(d)}
}

// admit is the limit for enqueue. For flat queues it is realCapability, as for placing; in dimensions
// that no node offers it is the capability alone, so that a cluster can scale up from zero.
func (p *plugin) admit(q ledger.QueueID, d resource.Dim) fair.Limit {
	switch {
	case d == resource.Pods || int(d) >= p.dims:
		return fair.Limit{}
	case !p.known(q):
		return fair.Limit{}
	case p.tree:
		return p.enqueue.Limits(int32(q), int(d)).Real
	case q == p.root:
		_, named := p.top(d)
		return named
	case p.offered(d):
		return fair.Limit{Value: p.real(q, d), Bounded: true}
	}
	return bound(p.l.Queue(q), d)
}

// top is root in one dimension, and the limit that a user's Queue named root sets. Dimensions that this
// Queue does not name are limited by the cluster (decision 6).
func (p *plugin) top(d resource.Dim) (fair.QueueNode, fair.Limit) {
	total := max(0, p.total(d))
	b := fair.QueueNode{Up: -1, Deserved: total, Capability: fair.Limit{Value: total, Bounded: true}}
	queue := p.l.Queue(p.root)
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

// known says that a queue shares the cluster, and that its row is up to date.
func (p *plugin) known(q ledger.QueueID) bool {
	return q >= 0 && int(q) < len(p.rows) && p.rows[q].shares
}

// takes says that tasks may be placed for a queue: one that shares, is open and is a leaf.
func (p *plugin) takes(q ledger.QueueID) bool {
	return p.known(q) && p.l.Queue(q).State() == model.QueueOpen && p.l.Queue(q).Leaf()
}
