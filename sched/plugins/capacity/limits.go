package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// bounds computes what queues deserve and may hold.
type bounds struct {
	p *plugin

	placing fair.Tree // what queues may hold, the cluster at the root (seed 001 §3.2); flat: one level (§3.1)
	enqueue fair.Tree // … with only what a user's Queue root names at the root; flat: empty
	root    ledger.QueueID
	tree    bool // enableHierarchy
	dims    int
}

// update computes what follows from queues that changed, and from what nodes offer.
func (bo *bounds) update(queues []ledger.QueueID) {
	for d := range resource.Dim(bo.dims) {
		if d == resource.Pods {
			continue
		}
		top, named := bo.top(d)
		bo.placing.Put(int32(bo.root), int(d), top)
		if bo.tree {
			top.Capability = named
			bo.enqueue.Put(int32(bo.root), int(d), top)
		}
	}
	for _, q := range queues {
		if !bo.known(q) {
			continue
		}
		if !bo.p.rows[q].put {
			bo.p.rows[q].put = true
			bo.computeBounds(q)
			bo.count(q)
		}
		bo.p.guarantees.add(q)
	}
	bo.placing.Recompute()
	bo.enqueue.Recompute()
}

// computeBounds sets a queue's spec in the trees.
func (bo *bounds) computeBounds(q ledger.QueueID) {
	if q == bo.root {
		return
	}
	queue := bo.p.l.Queue(q)
	for d := range resource.Dim(bo.dims) {
		if d == resource.Pods {
			continue
		}
		b := fair.QueueNode{Deserved: queue.Deserved.Get(d), Guarantee: queue.Guarantee.Get(d), Capability: bound(queue, d)}
		bo.placing.Put(int32(q), int(d), b)
		if bo.tree {
			bo.enqueue.Put(int32(q), int(d), b)
		}
	}
}

// offered says that a dimension is shared: some node offers it. What waits for another dimension waits
// for nodes, not for its queue (decision 26).
func (bo *bounds) offered(d resource.Dim) bool { return d != resource.Pods && bo.p.total(d) > 0 }

// limitsOf is what a queue deserves and may hold of a dimension; zero for a queue that takes no part.
func (bo *bounds) limitsOf(q ledger.QueueID, d resource.Dim) *fair.QueueLimits {
	if d == resource.Pods || int(d) >= bo.dims || !bo.known(q) {
		return &fair.QueueLimits{}
	}
	return bo.placing.Limits(int32(q), int(d))
}

func (bo *bounds) real(q ledger.QueueID, d resource.Dim) int64     { return bo.limitsOf(q, d).Real.Value }
func (bo *bounds) deserved(q ledger.QueueID, d resource.Dim) int64 { return bo.limitsOf(q, d).Deserved }

// place is the limit for placing. A realCapability that is the whole cluster needs none: nodes are full
// before it is reached, and full nodes are the reason to show, since one more node would help (decision
// 26).
func (bo *bounds) place(q ledger.QueueID, d resource.Dim) fair.Limit {
	if !bo.offered(d) || int(d) >= bo.dims {
		return fair.Limit{}
	}
	real := bo.real(q, d)
	return fair.Limit{Value: real, Bounded: real < bo.p.total(d)}
}

// admit is the limit for enqueue. For flat queues it is realCapability, as for placing; in dimensions
// that no node offers it is the capability alone, so that a cluster can scale up from zero.
func (bo *bounds) admit(q ledger.QueueID, d resource.Dim) fair.Limit {
	switch {
	case d == resource.Pods || int(d) >= bo.dims:
		return fair.Limit{}
	case !bo.known(q):
		return fair.Limit{}
	case bo.tree:
		return bo.enqueue.Limits(int32(q), int(d)).Real
	case q == bo.root:
		_, named := bo.top(d)
		return named
	case bo.offered(d):
		return fair.Limit{Value: bo.real(q, d), Bounded: true}
	}
	return bound(bo.p.l.Queue(q), d)
}

// top is root in one dimension, and the limit that a user's Queue named root sets. Dimensions that this
// Queue does not name are limited by the cluster (decision 6).
func (bo *bounds) top(d resource.Dim) (fair.QueueNode, fair.Limit) {
	total := max(0, bo.p.total(d))
	b := fair.QueueNode{Up: -1, Deserved: total, Capability: fair.Limit{Value: total, Bounded: true}}
	queue := bo.p.l.Queue(bo.root)
	if queue.Fact == nil {
		return b, fair.Limit{}
	}
	if _, bad := queue.Fact.SetAside(); bad {
		return b, fair.Limit{}
	}
	named := bound(queue, d)
	b.Capability.Value = named.Clip(total)
	b.Guarantee = queue.Guarantee.Get(d)
	if _, says := queue.Fact.Deserved.Get(bo.p.l.Dims.Name(d)); says {
		b.Deserved = queue.Deserved.Get(d)
	}
	return b, named
}

func bound(queue *ledger.Queue, d resource.Dim) fair.Limit {
	x, bounded := queue.Capability.Bound(d)
	return fair.Limit{Value: x, Bounded: bounded}
}

// known says that a queue shares the cluster, and that its row is up to date.
func (bo *bounds) known(q ledger.QueueID) bool {
	return q >= 0 && int(q) < len(bo.p.rows) && bo.p.rows[q].shares
}

// takes says that tasks may be placed for a queue: one that shares, is open and is a leaf.
func (bo *bounds) takes(q ledger.QueueID) bool {
	return bo.known(q) && bo.p.l.Queue(q).State() == model.QueueOpen && bo.p.l.Queue(q).Leaf()
}
