package victims

import (
	"math"
	"slices"

	"ashlar.sh/sched/ledger"
)

// kind is what the bounds of a row hold for: claims that ask for the same, from the same
// queue, of victims of the same kinds.
type kind struct {
	class   ledger.ClassID
	born    uint64 // of the class
	scope   Scope
	queue   ledger.QueueID
	ceiling int32 // no victim of a job of higher priority
	ring    int32 // how far from the claim's queue victims may be
	wholes  bool
	blocked bool // the queue takes no more before somebody leaves
}

// row is every node that could be made room on for one kind of claim, in a heap by a
// bound on its cost.
type row struct {
	kind   kind
	used   uint64
	cursor uint64 // the journal up to which bounds are fresh
	queues uint64 // mark of ledger.Granted: they rest on queues' facts, too
	others uint64 // … and their order on names: as cells has it
	gives  []bool // by QueueID: whose tasks count
	bounds []Cost
	pos    []int32 // in the heap, -1: not there
	heap   []ledger.NodeID
	failed []uint64 // the stamp under which a trial of the node failed
}

// mostBounds limits the bounds that all rows keep together: about 64 MB.
const mostBounds = 1 << 20

// rowFor returns the row of the claim's kind, brought up to date.
func (h *Hunt) rowFor(k kind) *row {
	h.lru++
	r := h.rows[k]
	if r == nil {
		h.trimRows()
		r = &row{kind: k}
		h.rows[k] = r
	}
	r.used = h.lru
	h.cells.follow()
	h.again.begin(h.l.NumNodes())
	h.read(r)
	again := func(n ledger.NodeID) {
		if h.again.first(n) {
			h.rebound(r, n)
		}
	}
	changed, _, known := h.l.Granted(r.queues)
	if known && len(changed) == 0 && r.others == h.cells.others && h.covered(r) && h.l.Since(r.cursor, again) {
		r.cursor = h.l.Now()
		return r
	}
	h.build(r)
	return r
}

// covered says that the queues that give are those that did when the row was made.
func (h *Hunt) covered(r *row) bool {
	return r.kind.scope != OtherQueues || slices.Equal(r.gives, h.gives)
}

func (h *Hunt) trimRows() {
	if len(h.rows)*h.l.NumNodes() < mostBounds || len(h.rows) < 8 {
		return
	}
	var oldest *row
	for _, r := range h.rows { // order-free: the one used longest ago
		if oldest == nil || r.used < oldest.used {
			oldest = r
		}
	}
	delete(h.rows, oldest.kind)
}

// build makes all bounds of a row anew.
func (h *Hunt) build(r *row) {
	_, r.queues, _ = h.l.Granted(0)
	r.cursor, r.others = h.l.Now(), h.cells.others
	r.gives = append(r.gives[:0], h.gives...)
	nodes := h.l.NumNodes()
	r.heap = r.heap[:0]
	r.widen(nodes)
	admits := h.nodes.Admitted(r.kind.class)
	for n := range nodes {
		id := ledger.NodeID(n)
		r.pos[n], r.failed[n] = -1, 0
		if !admits[n] {
			continue
		}
		if b, ok := h.bound(r, id); ok {
			r.bounds[n], r.pos[n] = b, int32(len(r.heap))
			r.heap = append(r.heap, id)
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		h.down(r, i)
	}
}

func (r *row) widen(nodes int) {
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

// rebound looks at one node again.
func (h *Hunt) rebound(r *row, n ledger.NodeID) {
	r.widen(h.l.NumNodes())
	r.failed[n] = 0
	b, ok := Cost{}, false
	if h.nodes.Admitted(r.kind.class)[n] {
		b, ok = h.bound(r, n)
	}
	at := int(r.pos[n])
	switch {
	case !ok && at >= 0:
		h.remove(r, at)
	case ok && at < 0:
		r.bounds[n] = b
		h.push(r, n)
	case ok && b != r.bounds[n]:
		r.bounds[n] = b
		h.down(r, h.up(r, at))
	}
}

// bound is a cost that no set of victims on the node can be below, by amounts alone; false
// when the node is short even with all of them gone.
func (h *Hunt) bound(r *row, n ledger.NodeID) (Cost, bool) {
	short := h.short[:0]
	open := 0
	for i := range h.columns {
		c := &h.columns[i]
		lack := c.amount - (c.idle[n] + c.releasing[n] - c.pipelined[n])
		short = append(short, lack)
		if lack > 0 {
			open++
		}
	}
	h.short = short
	if open == 0 && !r.kind.blocked {
		return nothing, true
	}
	if len(h.cells.nodes[n]) == 0 {
		return Cost{}, false
	}
	return h.boundOf(r, h.l.Class(r.kind.class).Need, h.cells.nodes[n], open)
}

// column is the ledger's columns of one dimension that a class asks for: bound reads them
// for every node.
type column struct {
	amount                     int64
	idle, releasing, pipelined []int64
}

// read finds the columns for a row's class. They are good until nodes come.
func (h *Hunt) read(r *row) {
	h.columns = h.columns[:0]
	for _, need := range h.l.Class(r.kind.class).Need {
		h.columns = append(h.columns, column{need.Amount, h.l.Idle(need.Dim), h.l.Releasing(need.Dim), h.l.Pipelined(need.Dim)})
	}
}

// boundOf takes what h.short lacks from the cells, the least important first.
func (h *Hunt) boundOf(r *row, needs []ledger.Need, cells []cell, open int) (Cost, bool) {
	most := h.most[:0]
	for range needs {
		most = append(most, 0)
	}
	h.most = most
	left := append(h.left[:0], h.short...)
	h.left = left
	c, any := Cost{Count: 1}, false
	for i := range cells {
		at := &cells[i]
		if !h.counts(r, at) {
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
	for k, lack := range h.short {
		if lack > 0 {
			c.Count = max(c.Count, int32(min((lack+most[k]-1)/most[k], 1<<30)))
		}
	}
	h.price(r, cells, &c)
	return c, true
}

// price adds to a bound what its victims cost at least: one of the highest priority, the
// others as cheap as there are. Where all of that priority have to go, the earliest start
// of them all counts; otherwise it could be the latest.
func (h *Hunt) price(r *row, cells []cell, c *Cost) {
	others, newest, oldest, top, below := c.Count-1, int64(math.MinInt64), int64(math.MaxInt64), int32(0), int32(0)
	for i := range cells {
		at := &cells[i]
		if !h.counts(r, at) || at.priority > c.Highest {
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

// counts says that a cell's tasks may be victims of the row's claims.
func (h *Hunt) counts(r *row, at *cell) bool {
	switch {
	case at.priority > r.kind.ceiling, !r.kind.wholes && at.spare == 0:
		return false
	case r.kind.scope == OtherQueues:
		return int(at.queue) < len(r.gives) && r.gives[at.queue]
	default:
		return at.queue == r.kind.queue
	}
}

// before is the order of nodes in a row: by bound, then by name.
func (h *Hunt) before(r *row, a, b ledger.NodeID) bool {
	if c := r.bounds[a].Compare(r.bounds[b]); c != 0 {
		return c < 0 // names are far away, and rarely wanted
	}
	return h.l.Node(a).Name < h.l.Node(b).Name
}

func (h *Hunt) push(r *row, n ledger.NodeID) {
	r.pos[n] = int32(len(r.heap))
	r.heap = append(r.heap, n)
	h.up(r, len(r.heap)-1)
}

func (h *Hunt) remove(r *row, i int) {
	last := len(r.heap) - 1
	r.pos[r.heap[i]] = -1
	if i != last {
		r.heap[i] = r.heap[last]
		r.pos[r.heap[i]] = int32(i)
	}
	r.heap = r.heap[:last]
	if i != last {
		h.down(r, h.up(r, i))
	}
}

func (h *Hunt) up(r *row, i int) int {
	for i > 0 {
		p := (i - 1) / 2
		if !h.before(r, r.heap[i], r.heap[p]) {
			break
		}
		r.swap(i, p)
		i = p
	}
	return i
}

func (h *Hunt) down(r *row, i int) {
	for {
		c := 2*i + 1
		if c >= len(r.heap) {
			return
		}
		if c+1 < len(r.heap) && h.before(r, r.heap[c+1], r.heap[c]) {
			c++
		}
		if !h.before(r, r.heap[c], r.heap[i]) {
			return
		}
		r.swap(i, c)
		i = c
	}
}

func (r *row) swap(i, k int) {
	r.heap[i], r.heap[k] = r.heap[k], r.heap[i]
	r.pos[r.heap[i]], r.pos[r.heap[k]] = int32(i), int32(k)
}

// Forget drops the bounds that are kept between claims; they are found again when asked
// for.
func (h *Hunt) Forget() { clear(h.rows) }
