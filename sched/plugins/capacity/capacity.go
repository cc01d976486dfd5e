// Package capacity is the plugin that shares the cluster by what each queue's spec says it deserves,
// among flat queues or in a tree of them (seed 001).
//
// What a queue deserves is spec.deserved, at most what it can ever hold and at least its guarantee
// (decision 1). What it can ever hold, realCapability, is what its siblings' guarantees leave of its
// parent's, within its own capability. Queues are served by priority and share. A task is placed while
// its queue and every ancestor stay within realCapability, so a queue may borrow what no queue uses,
// and reclaim takes that back. No queue is ever overused.
//
// In the tree, root is the cluster (decision 6). The plugin keeps no sums: what a queue and all queues
// below it hold, ask for and keep is read from the ledger, as it stands now. Limits and deserved stay
// unchanged for a cycle, and change only with queues and nodes.
//
// The dimension pods takes no part (decision 24), nor does one that no node offers: what waits for it
// waits for nodes. A queue with no sound position in the tree takes no part either, and no other queue
// is affected (decision 8). realCapability keeps a guarantee free against each sibling alone; guarantees.go
// keeps it free against all of them together.
package capacity

import (
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin's entry in the list of plugins.
func Definition() policy.Definition {
	return policy.Define(Name, Meaning, func(a Arguments, l *ledger.Ledger) (*plugin, error) {
		return build(a, l), a.Memory.Remember(l)
	})
}

// Name and Meaning are the plugin's in a configuration.
const (
	Name    = "capacity"
	Meaning = "queues share the cluster by spec.deserved, flat or as a tree"
)

// Arguments are the plugin's. Devices and Consumed are for a host that counts devices.
type Arguments struct {
	Tree              bool
	level             int64
	Devices, Consumed bool
	Memory            policy.Memory
}

// AddArguments implements the constraint of policy.Define.
func (a *Arguments) AddArguments(s *policy.ArgumentSet) {
	s.Hierarchy(&a.Tree)
	s.Int(&a.level, "ancestorReclaimLevel", 0, "how far up the tree reclaiming looks; 0: not above the leaf").AtLeast(0)
	s.Bool(&a.Devices, "capacity.DynamicResourceAllocationEnable", true,
		"a queue's capability bounds devices of resource claims")
	s.Bool(&a.Consumed, "capacity.DRAConsumableCapacityEnable", false, "and what is consumed of their capacity")
	a.Memory.AddArguments(s)
}

func build(a Arguments, l *ledger.Ledger) *plugin {
	return (&plugin{l: l, bounds: bounds{tree: a.Tree}, level: a.level, memory: a.Memory}).wire()
}

type plugin struct {
	l      *ledger.Ledger
	level  int64 // ancestorReclaimLevel
	memory policy.Memory

	devices Devices // nil: none are counted

	rows     []row            // by QueueID
	changed  []ledger.QueueID // scratch of refresh
	shape    uint64           // Changes.SpecEpoch when all this was computed
	specSeen ledger.Cursor    // of the specs of queues then
	treeSeen ledger.Cursor    // … and of the tree of queues
	rounds   uint64           // how often it was computed
	stocked  uint64           // the Stock of devices then

	links      links
	guarantees guarantees
	bounds     bounds
	order      order
	report     reports
	reclaim    reclaimRule
}

// row is what is known of a queue besides its figures.
type row struct {
	shares bool           // root, and the sound queues (flat: the leaves among them)
	put    bool           // its spec is in the trees, and in counts
	listed bool           // it has a guarantee
	up     ledger.QueueID // the queue that bounds it, too: its parent; flat: root
	depth  int32          // below root
	counts []resource.Dim // the dimensions of its share; none: best effort

	share                fair.Ratio
	sharedAt, sharedIn   uint64 // the queue's Moved, and rounds, when share was computed
	sharedOf, unfilledOf uint64 // the Moved of devices when share, and unfilled, were computed
	remembered           uint64 // the version of the memory when share was

	withGuarantee          []ledger.QueueID // the queues below it that have a guarantee
	unfilled               []int64          // what these may still ask for, by dimension
	unfilledAt, unfilledIn uint64           // the queue's Moved, and rounds, when unfilled was computed
}

// Open computes what every queue deserves and may hold, if queues or nodes changed.
func (p *plugin) Open(rec *trace.Recorder) {
	p.refresh()
	p.report.traceFigures(rec)
}

// refresh updates what changed since the last time: what follows from queues that changed, or moved in
// the tree, and from dimensions that changed; everything, when the changes are unknown.
func (p *plugin) refresh() {
	if p.shape == p.l.Changes.SpecEpoch() && p.bounds.dims == p.l.Dims.Len() && p.rounds > 0 && p.stocked == p.stock() {
		return
	}
	p.stocked = p.stock()
	specs, all := p.l.Changes.QueueSpecs.Follow(&p.specSeen)
	moved, known := p.l.Changes.QueueTree.Follow(&p.treeSeen)
	p.shape = p.l.Changes.SpecEpoch()
	p.changed = p.changed[:0]
	if !all || !known || p.bounds.dims != p.l.Dims.Len() {
		p.begin()
		p.l.Queues.Each(func(q ledger.QueueID) bool {
			p.changed = append(p.changed, q)
			return true
		})
		specs, moved = nil, p.changed
	} else {
		p.changed = append(append(p.changed, specs...), moved...)
	}
	for len(p.rows) < p.l.Queues.Len() {
		p.rows = append(p.rows, row{up: ledger.NoQueue})
	}
	for _, q := range specs {
		p.rows[q].put = false
	}
	for _, q := range moved {
		p.attach(q)
	}
	p.bounds.update(p.changed)
	p.rounds++
}

// begin drops everything that was computed.
func (p *plugin) begin() {
	p.bounds.root, _ = p.l.Queues.Find(model.RootQueue)
	p.order.deep, p.bounds.dims = 0, p.l.Dims.Len()
	for i := range p.rows {
		r := &p.rows[i]
		*r = row{up: ledger.NoQueue, counts: r.counts, withGuarantee: r.withGuarantee[:0], unfilled: r.unfilled}
	}
	p.bounds.placing.Clear(p.bounds.dims)
	p.bounds.enqueue.Clear(p.bounds.dims)
}

// attach finds whether a queue takes part, and its parent (flat: root). bounds.update computes its limits.
func (p *plugin) attach(q ledger.QueueID) {
	r, queue := &p.rows[q], p.l.Queue(q)
	if r.depth > 1 {
		p.order.deep--
	}
	shares, up, depth := queue.Place == ledger.Sound, p.bounds.root, int32(1)
	switch {
	case q == p.bounds.root:
		up, depth = ledger.NoQueue, 0
	case p.bounds.tree:
		up, depth = p.l.Queues.Parent(q), queue.Depth
	default:
		shares = shares && queue.Leaf()
	}
	if !shares {
		up, depth = ledger.NoQueue, 0
	}
	if r.up != up {
		p.guarantees.remove(q)
	}
	r.shares, r.up, r.depth = shares, up, depth
	if depth > 1 {
		p.order.deep++
	}
	p.bounds.joinTree(q)
}

// joinTree adds a queue to the trees, or removes it. A queue that takes no part only because its parent
// takes none keeps its place: mostly it comes back together with the rest below that parent.
func (bo *bounds) joinTree(q ledger.QueueID) {
	up := int32(bo.p.rows[q].up)
	switch {
	case bo.p.rows[q].shares:
		bo.placing.Attach(int32(q), up)
		if bo.tree {
			bo.enqueue.Attach(int32(q), up)
		}
	case bo.p.l.Queue(q).Place == ledger.Orphaned && bo.placing.Up(int32(q)) == int32(bo.p.l.Queues.Above(q)):
		bo.placing.Detach(int32(q))
		bo.enqueue.Detach(int32(q))
	default:
		bo.placing.Remove(int32(q))
		bo.enqueue.Remove(int32(q))
	}
}

// count finds the dimensions of a queue's share: those that its spec.deserved names (decision 3), for
// root all of them. A queue that names none, or only zeros, is best effort (seed 001 §4.1).
func (bo *bounds) count(q ledger.QueueID) {
	r, queue := &bo.p.rows[q], bo.p.l.Queue(q)
	r.counts = r.counts[:0]
	for d := range resource.Dim(bo.dims) {
		if d != resource.Pods && (queue.Deserved.Get(d) > 0 || queue.Name == model.RootQueue) {
			r.counts = append(r.counts, d)
		}
	}
	if queue.Fact == nil || len(r.counts) == 0 || len(r.counts) >= len(queue.Fact.Deserved) {
		return
	}
	for _, a := range queue.Fact.Deserved { // zeros that the spec states
		if d, ok := bo.p.l.Dims.Lookup(a.Name); ok && d != resource.Pods && !slices.Contains(r.counts, d) {
			r.counts = append(r.counts, d)
		}
	}
}

// wire tells the parts what they are parts of.
func (p *plugin) wire() *plugin {
	p.guarantees.p = p
	p.bounds.p = p
	p.order.p = p
	p.report.p = p
	p.reclaim.p = p
	return p
}
