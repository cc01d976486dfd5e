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
// sibling alone; that all of them together leave it free is keep.go's rule.
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

	rows   []row            // by QueueID
	order  []ledger.QueueID // the queues that share, root first, the deepest last
	divs   []division       // by dimension
	shape  uint64           // of the ledger, when all this was worked out
	mark   uint64           // of ledger.Granted then
	rounds uint64           // the times that it was
	guards resource.Vec     // zero in what no queue is guaranteed

	unit, last resource.Vec // scratch of Reclaimable
}

// row is what is known of a queue beside its figures.
type row struct {
	shares bool           // root, and the sound queues (flat: the leaves among them)
	up     ledger.QueueID // the queue that bounds it too: its parent; flat: root
	depth  int32          // below root
	seat   int32          // in order, and in every tree
	counts []resource.Dim // what its share is over; none: best effort

	share              fair.Ratio
	sharedAt, sharedIn uint64 // the queue's Moved, and rounds, when share was found

	assured        bool             // it has a guarantee
	guarded        []ledger.QueueID // those below it that have a guarantee
	kept           []int64          // what they may still ask for, by dimension
	keptAt, keptIn uint64           // the queue's Moved, and rounds, when kept was found
}

// Open works out what every queue deserves and may hold, if queues or nodes changed.
func (p *plugin) Open(rec *trace.Recorder) {
	p.refresh()
	p.tell(rec)
}

// refresh puts right what changed since the last time: all of it after the tree has
// changed, otherwise what follows from the queues and dimensions that did.
func (p *plugin) refresh() {
	dims := p.l.Dims.Len()
	if p.shape == p.l.Shape() && len(p.divs) == dims && len(p.order) > 0 {
		return
	}
	p.shape = p.l.Shape()
	queues, mark, known := p.l.Granted(p.mark)
	p.mark = mark
	if !known || len(p.divs) != dims || len(p.order) == 0 {
		p.gather()
		queues = p.order
	}
	for d := range resource.Dim(dims) {
		if d != resource.Pods {
			p.settle(d, queues)
		}
	}
	for _, q := range queues {
		if p.known(q) {
			p.count(q)
		}
	}
	p.guard(queues)
	p.rounds++
}

// gather lists root and the queues that share below it.
func (p *plugin) gather() {
	for len(p.rows) < p.l.NumQueues() {
		p.rows = append(p.rows, row{})
	}
	for i := range p.rows {
		p.rows[i].shares, p.rows[i].assured, p.rows[i].guarded = false, false, p.rows[i].guarded[:0]
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
	}
	for len(p.divs) < p.l.Dims.Len() {
		p.divs = append(p.divs, division{})
	}
	for d := range p.divs {
		p.divs[d].placing.Clear()
		p.divs[d].enqueue.Clear()
	}
}

// count finds the dimensions that a queue's share is over: those that its spec.deserved
// names (decision 3), for root all of them. A queue that names none, or nothing but
// zeros, is best effort (seed 001 §4.1).
func (p *plugin) count(q ledger.QueueID) {
	r, queue := &p.rows[q], p.l.Queue(q)
	r.counts = r.counts[:0]
	for d := range resource.Dim(len(p.divs)) {
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
