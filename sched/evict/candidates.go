package evict

import (
	"math"
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
)

// candidateIndex keeps which nodes may be worth a dry run, and in which order, between preemptors.
type candidateIndex struct {
	l         *ledger.Ledger
	nodeIndex *class.Index

	freeable freeable
	byKey    map[candidateKey]*candidateNodes
	lru      uint64
	columns  []column
	again    marks
	few      candidateNodes // the kind that bounds was called for last; it has no heap

	short, most, left []int64 // by dimension that the class asks for: see boundOf
}

// candidateKey is what the bounds of candidateNodes hold for: preemptors that ask for the same, from
// the same queue, with victims of the same kinds.
type candidateKey struct {
	class      ledger.ClassID
	born       uint64 // of the class
	scope      Scope
	queue      ledger.QueueID
	ceiling    int32 // no victim of a job of higher priority
	level      int32 // how far from the preemptor's queue victims may be
	wholeGangs bool
	blocked    bool // the queue may hold no more before a victim is evicted
}

// candidateNodes are all nodes on which room could be made for one kind of preemptor, in a heap ordered
// by a bound on the cost.
type candidateNodes struct {
	key     candidateKey
	used    uint64
	cursor  ledger.Cursor // of nodes: the bounds are fresh up to it
	queues  ledger.Cursor // of the specs of queues: bounds depend on them, too
	others  uint64        // freeable.others when built: the heap's order depends on nodes' names
	mayLose []bool        // by QueueID: its tasks may be victims
	bounds  []Cost
	pos     []int32 // by NodeID: position in the heap, -1 when it is not there
	heap    []ledger.NodeID
	failed  []uint64 // by NodeID: the stamp under which a dry run of the node failed
}

// mostBounds limits the bounds that all candidateNodes keep together: about 64 MB.
const mostBounds = 1 << 20

// keyOf is the kind of a preemptor.
func keyOf(p *preemptor, wholeGangs bool) candidateKey {
	return candidateKey{class: p.class, born: p.l.Class(p.class).Born, scope: p.o.Scope, queue: p.Queue,
		ceiling: p.ceiling(), level: int32(p.levels.at), wholeGangs: wholeGangs, blocked: !p.allocatable()}
}

// of returns the candidate nodes for a preemptor, brought up to date.
func (ci *candidateIndex) of(p *preemptor, wholeGangs bool) *candidateNodes {
	k := keyOf(p, wholeGangs)
	ci.lru++
	r := ci.byKey[k]
	if r == nil {
		ci.trim()
		r = &candidateNodes{key: k}
		ci.byKey[k] = r
	}
	r.used = ci.lru
	ci.freeable.follow()
	ci.again.begin(ci.l.Nodes.Len())
	ci.read(r)
	again := func(n ledger.NodeID) {
		if ci.again.first(n) {
			ci.rebound(r, n)
		}
	}
	changed, known := ci.l.Changes.QueueSpecs.Since(r.queues)
	covered := k.scope != OtherQueues || slices.Equal(r.mayLose, p.levels.mayLose)
	same := known && len(changed) == 0 && r.others == ci.freeable.others && covered
	if same && ci.l.Changes.Nodes.Each(r.cursor, again) {
		r.cursor = ci.l.Changes.Nodes.Now()
		return r
	}
	ci.build(r, p.levels.mayLose)
	return r
}

func (ci *candidateIndex) trim() {
	if len(ci.byKey)*ci.l.Nodes.Len() < mostBounds || len(ci.byKey) < 8 {
		return
	}
	var oldest *candidateNodes
	for _, r := range ci.byKey { // order-free: the one used longest ago
		if oldest == nil || r.used < oldest.used {
			oldest = r
		}
	}
	delete(ci.byKey, oldest.key)
}

// build computes all bounds of r anew.
func (ci *candidateIndex) build(r *candidateNodes, mayLose []bool) {
	r.queues = ci.l.Changes.QueueSpecs.Now()
	r.cursor, r.others = ci.l.Changes.Nodes.Now(), ci.freeable.others
	r.mayLose = append(r.mayLose[:0], mayLose...)
	nodes := ci.l.Nodes.Len()
	r.heap = r.heap[:0]
	r.widen(nodes)
	admits := ci.nodeIndex.Admitted(r.key.class)
	for n := range nodes {
		id := ledger.NodeID(n)
		r.pos[n], r.failed[n] = -1, 0
		if !admits[n] {
			continue
		}
		if b, ok := ci.bound(r, id); ok {
			r.bounds[n], r.pos[n] = b, int32(len(r.heap))
			r.heap = append(r.heap, id)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		ci.down(r, i)
	}
}

func (r *candidateNodes) widen(nodes int) {
	was := len(r.bounds)
	if was >= nodes {
		return
	}
	r.bounds = append(r.bounds, make([]Cost, nodes-was)...)
	r.pos = append(r.pos, make([]int32, nodes-was)...)
	r.failed = append(r.failed, make([]uint64, nodes-was)...)
	for i := was; i < nodes; i++ {
		r.pos[i] = -1
	}
}

// rebound computes the bound of one node again.
func (ci *candidateIndex) rebound(r *candidateNodes, n ledger.NodeID) {
	r.widen(ci.l.Nodes.Len())
	r.failed[n] = 0
	b, ok := Cost{}, false
	if ci.nodeIndex.Admitted(r.key.class)[n] {
		b, ok = ci.bound(r, n)
	}
	at := int(r.pos[n])
	switch {
	case !ok && at >= 0:
		ci.remove(r, at)
	case ok && at < 0:
		r.bounds[n] = b
		ci.push(r, n)
	case ok && b != r.bounds[n]:
		r.bounds[n] = b
		ci.down(r, ci.up(r, at))
	}
}

// bound is a cost that no set of victims on the node can be below, by amounts alone. It returns false
// when the node lacks room even with all possible victims gone.
func (ci *candidateIndex) bound(r *candidateNodes, n ledger.NodeID) (Cost, bool) {
	short := ci.short[:0]
	open := 0
	for i := range ci.columns {
		c := &ci.columns[i]
		lack := c.amount - (c.idle[n] + c.releasing[n] - c.pipelined[n])
		short = append(short, lack)
		if lack > 0 {
			open++
		}
	}
	ci.short = short
	if open == 0 && !r.key.blocked {
		return nothing, true
	}
	if len(ci.freeable.sums[n]) == 0 {
		return Cost{}, false
	}
	return ci.boundOf(r, ci.l.Class(r.key.class).Need, ci.freeable.sums[n], open)
}

// column holds the ledger's columns of one dimension that a class asks for: bound reads them for every
// node.
type column struct {
	amount                     int64
	idle, releasing, pipelined []int64
}

// read finds the columns for the class of r. They are valid until nodes are added.
func (ci *candidateIndex) read(r *candidateNodes) {
	ci.columns = ci.columns[:0]
	for _, need := range ci.l.Class(r.key.class).Need {
		ci.columns = append(ci.columns, column{need.Amount, ci.l.Nodes.Idle(need.Dim), ci.l.Nodes.Releasing(need.Dim),
			ci.l.Nodes.Pipelined(need.Dim)})
	}
}

// boundOf covers what ci.short lacks with the freeable sums of a node, the least important first.
func (ci *candidateIndex) boundOf(r *candidateNodes, needs []ledger.Need, cells []freeableSum, open int) (Cost, bool) {
	most := ci.most[:0]
	for range needs {
		most = append(most, 0)
	}
	ci.most = most
	left := append(ci.left[:0], ci.short...)
	ci.left = left
	c, any := Cost{Count: 1}, false
	for i := range cells {
		at := &cells[i]
		if !ci.counts(r, at) {
			continue
		}
		if any && open == 0 && at.priority > c.Highest {
			break
		}
		any, c.Highest = true, at.priority
		for k, need := range needs {
			most[k] = max(most[k], at.most[need.Dim])
			if left[k] > 0 {
				if left[k] -= at.free[need.Dim]; left[k] <= 0 {
					open--
				}
			}
		}
	}
	if !any || open > 0 {
		return Cost{}, false
	}
	for k, lack := range ci.short {
		if lack > 0 {
			c.Count = max(c.Count, int32(min((lack+most[k]-1)/most[k], 1<<30)))
		}
	}
	ci.price(r, cells, &c)
	return c, true
}

// price adds to a bound the least that its victims cost: one of the highest priority, the rest as cheap
// as there are. Where all tasks of that priority have to be evicted, the earliest start of them counts;
// otherwise it could be the latest.
func (ci *candidateIndex) price(r *candidateNodes, cells []freeableSum, c *Cost) {
	others, newest, oldest, top, below := c.Count-1, int64(math.MinInt64), int64(math.MaxInt64), int32(0), int32(0)
	for i := range cells {
		at := &cells[i]
		if !ci.counts(r, at) || at.priority > c.Highest {
			continue
		}
		n := min(others, at.count)
		others -= n
		c.Sum += int64(n) * raised(at.priority)
		if at.priority < c.Highest {
			below += at.count
			continue
		}
		newest, oldest, top = max(newest, at.newest), min(oldest, at.oldest), top+at.count
	}
	c.Sum += raised(c.Highest)
	if c.Start = newest; c.Count-below >= top {
		c.Start = oldest
	}
}

// counts says that the tasks of a freeable sum may be victims for r's kind of preemptor.
func (ci *candidateIndex) counts(r *candidateNodes, at *freeableSum) bool {
	switch {
	case at.priority > r.key.ceiling, !r.key.wholeGangs && at.surplus == 0:
		return false
	case r.key.scope == OtherQueues:
		return int(at.queue) < len(r.mayLose) && r.mayLose[at.queue]
	default:
		return at.queue == r.key.queue
	}
}

// before is the order of candidate nodes: by bound, then by name.
func (ci *candidateIndex) before(r *candidateNodes, a, b ledger.NodeID) bool {
	if c := r.bounds[a].Compare(r.bounds[b]); c != 0 {
		return c < 0 // names are elsewhere in memory, and rarely needed
	}
	return ci.l.Node(a).Name < ci.l.Node(b).Name
}

func (ci *candidateIndex) push(r *candidateNodes, n ledger.NodeID) {
	r.pos[n] = int32(len(r.heap))
	r.heap = append(r.heap, n)
	ci.up(r, len(r.heap)-1)
}

func (ci *candidateIndex) remove(r *candidateNodes, i int) {
	last := len(r.heap) - 1
	r.pos[r.heap[i]] = -1
	if i != last {
		r.heap[i] = r.heap[last]
		r.pos[r.heap[i]] = int32(i)
	}
	r.heap = r.heap[:last]
	if i != last {
		ci.down(r, ci.up(r, i))
	}
}

func (ci *candidateIndex) up(r *candidateNodes, i int) int {
	for i > 0 {
		p := (i - 1) / 2
		if !ci.before(r, r.heap[i], r.heap[p]) {
			break
		}
		r.swap(i, p)
		i = p
	}
	return i
}

func (ci *candidateIndex) down(r *candidateNodes, i int) {
	for {
		c := 2*i + 1
		if c >= len(r.heap) {
			return
		}
		if c+1 < len(r.heap) && ci.before(r, r.heap[c+1], r.heap[c]) {
			c++
		}
		if !ci.before(r, r.heap[c], r.heap[i]) {
			return
		}
		r.swap(i, c)
		i = c
	}
}

func (r *candidateNodes) swap(i, k int) {
	r.heap[i], r.heap[k] = r.heap[k], r.heap[i]
	r.pos[r.heap[i]], r.pos[r.heap[k]] = int32(i), int32(k)
}

// bounds returns a function that says whether room could be made on a node, and the least that it costs. It is
// for few nodes: none of it is kept. Between members of the task's own job the order of the pods counts, which the
// sums do not know: each of their nodes is tried.
func (ci *candidateIndex) bounds(p *preemptor, wholeGangs bool) func(ledger.NodeID) (Cost, bool) {
	r := &ci.few
	r.key, r.mayLose = keyOf(p, wholeGangs), p.levels.mayLose
	ci.freeable.follow()
	ci.read(r)
	admits, own := ci.nodeIndex.Admitted(p.class), p.o.Scope == SameJob
	return func(n ledger.NodeID) (Cost, bool) {
		if int(n) >= len(admits) || !admits[n] {
			return Cost{}, false
		}
		if own {
			return nothing, true
		}
		return ci.bound(r, n)
	}
}
