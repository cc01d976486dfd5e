// Package capacity is the plugin that shares the cluster by what each queue's spec says
// it deserves, among flat queues or down a tree of them (seed 001).
//
// What a queue deserves is spec.deserved, clipped to what it can ever hold and raised
// to its guarantee (decision 1); what it can ever hold, realCapability, is what its
// siblings' guarantees leave of its parent's, within its capability. Queues are served
// by priority and share; a task is placed while its queue and every queue above stay
// within realCapability, so a queue may borrow what nobody uses, and reclaim gives it
// back. No queue is ever overused.
//
// In the tree root is the cluster (decision 6). The plugin keeps no sums: what a queue
// and all below it hold, ask for and keep is read from the ledger, as it stands now.
// Limits and deserved stand still for a cycle and change only with queues and nodes.
//
// The dimension pods takes no part (decision 24), nor does one that no node offers:
// what waits for it waits for nodes. A queue out of place takes no part either, and
// nobody else notices (decision 8). realCapability keeps a guarantee against each
// sibling alone; two that borrow at once can hold part of it until it is reclaimed.
package capacity

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin's entry in the list of plugins. Its argument
// ancestorReclaimLevel is how many levels above a leaf reclaiming looks at (0: none).
func Definition() policy.Definition {
	return policy.Definition{Name: "capacity", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		level, err := c.Arguments.Int("ancestorReclaimLevel", 0)
		if err == nil && level < 0 {
			err = fmt.Errorf("argument ancestorReclaimLevel: %d is below 0, the leaf's own level", level)
		}
		if err != nil {
			return nil, err
		}
		return &plugin{l: l, tree: c.Hierarchy, level: level}, nil
	}}
}

type plugin struct {
	l     *ledger.Ledger
	tree  bool  // enableHierarchy
	level int64 // ancestorReclaimLevel

	rows  []row            // by QueueID
	order []ledger.QueueID // the queues that share, root first, the deepest last
	shape uint64           // of the ledger, and its dimensions, when rows were worked out
	dims  int

	forest   fair.Tree
	branches []fair.Branch // of order, in one dimension
	boughs   []fair.Bough

	unit, last resource.Vec // scratch of Reclaimable
}

// row is what a queue deserves and may hold, by dimension where it is a list.
type row struct {
	shares   bool           // root, and the sound queues (flat: the leaves among them)
	up       ledger.QueueID // the queue that bounds it too: its parent; flat: root
	depth    int32          // below root
	seat     int32          // in order
	counts   []resource.Dim // what its share is over; none: best effort
	deserved resource.Vec
	real     resource.Vec
	place    []fair.Limit // what placing holds it to
	admit    []fair.Limit // what enqueue holds it to
}

// Open works out what every queue deserves and may hold, if queues or nodes changed.
func (p *plugin) Open(rec *trace.Recorder) {
	p.refresh()
	p.tell(rec)
}

func (p *plugin) refresh() {
	if len(p.order) > 0 && p.dims == p.l.Dims.Len() && p.shape == p.l.Shape() {
		return
	}
	p.shape, p.dims = p.l.Shape(), p.l.Dims.Len()
	p.gather()
	for d := range resource.Dim(p.dims) {
		switch {
		case d == resource.Pods:
		case p.tree:
			p.grow(d)
		default:
			p.divide(d)
		}
	}
}

// gather lists root and the queues that share below it.
func (p *plugin) gather() {
	for len(p.rows) < p.l.NumQueues() {
		p.rows = append(p.rows, row{})
	}
	for i := range p.rows {
		p.rows[i].shares = false
	}
	root, _ := p.l.FindQueue(model.RootQueue)
	p.order = append(p.order[:0], root)
	p.l.Queues(func(q ledger.QueueID) bool {
		queue := p.l.Queue(q)
		if q != root && queue.Place == ledger.Sound && (p.tree || queue.Leaf()) {
			p.order = append(p.order, q)
		}
		return true
	})
	if p.tree {
		slices.SortFunc(p.order, func(a, b ledger.QueueID) int { return cmp.Compare(p.l.Queue(a).Depth, p.l.Queue(b).Depth) })
	}
	for i, q := range p.order {
		r := &p.rows[q]
		r.shares, r.seat, r.up, r.depth = true, int32(i), root, 1
		if q == root || p.tree {
			r.up, r.depth = p.l.Parent(q), p.l.Queue(q).Depth
		}
		r.widen(p.dims)
		p.count(q)
	}
}

func (r *row) widen(n int) {
	for len(r.real) < n {
		r.deserved, r.real = append(r.deserved, 0), append(r.real, 0)
		r.place, r.admit = append(r.place, fair.Limit{}), append(r.admit, fair.Limit{})
	}
}

// count finds the dimensions that a queue's share is over: those that its spec.deserved
// names (decision 3), for root all of them. A queue that names none, or nothing but
// zeros, is best effort (seed 001 §4.1).
func (p *plugin) count(q ledger.QueueID) {
	r, queue := &p.rows[q], p.l.Queue(q)
	r.counts = r.counts[:0]
	for d := range resource.Dim(p.dims) {
		if d != resource.Pods && (queue.Deserved.Get(d) > 0 || queue.Name == model.RootQueue) {
			r.counts = append(r.counts, d)
		}
	}
	if queue.Fact == nil || len(r.counts) == 0 || len(r.counts) >= len(queue.Fact.Deserved) {
		return
	}
	for _, a := range queue.Fact.Deserved { // zeros that are meant
		if d, ok := p.l.Dims.Lookup(a.Name); ok && d != resource.Pods && !slices.Contains(r.counts, d) {
			r.counts = append(r.counts, d)
		}
	}
}
