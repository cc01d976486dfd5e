package fair

import (
	"math/bits"

	"ashlar.sh/sched/resource"
)

// QueueNode is a queue in one dimension of a tree of queues, as its owner wrote it. No
// amount is negative.
type QueueNode struct {
	Up         int32 // row of the queue above, which stands before this one; -1 for a top
	Deserved   int64
	Guarantee  int64
	Capability Limit // what it names; of a top: what bounds the whole tree
}

// QueueLimits is what follows for a QueueNode from those above and beside it.
type QueueLimits struct {
	Capability Limit // what it names, else its parent's
	Real       Limit // the most it can ever hold; never above its parent's
	Guarantee  int64 // within its capability and what its parent can hold
	Deserved   int64 // within Real, at least Guarantee
}

// Tree keeps a tree of queues up to date (seed 001, §3.2), in several dimensions, while its rows change, come, go and
// are attached below others: it works out only the rows that changed, those beside them when a guarantee did, and those
// below a row that may hold otherwise than before. The zero Tree has neither rows nor dimensions.
//
// A top's Real is its Capability. Below it, level by level, realCapability is what no sibling's guarantee keeps of the
// parent's and the queue's own guarantee, within its capability; where nothing bounds the parent, its capability alone.
// No queue is guaranteed, deserves or may hold more than its parent can hold, whatever its owner wrote: a guarantee
// that cannot be kept affects no queue outside the parent that gives it.
//
// The tree is one for all dimensions, and so is the walk down it. What is known of a row in
// all of them lies side by side.
type Tree struct {
	dims    int
	rows    []treeNode
	cells   []cell        // so many for each row as there are dimensions
	limits  []QueueLimits // likewise
	changed []int32
}

// treeNode is a row's place in the tree.
type treeNode struct {
	up, kid, next, prev int32 // the row above it, its first child, and its siblings; -1: none
	attached            bool  // it is among the children of the row above it, or a top
	there               bool
	listed              bool // among those that changed
	due                 bool // something of it, or of those below it, is to be worked out
}

// cell is a row in one dimension, as its owner wrote it.
type cell struct {
	QueueNode                   // but for Up
	guaranteed     resource.Sum // what its children are guaranteed, whether they are there or not
	self, children bool         // it is worked out anew; those below it are
}

// Clear forgets all rows; those to come have so many dimensions.
func (t *Tree) Clear(dims int) {
	t.dims = dims
	t.rows, t.cells, t.limits, t.changed = t.rows[:0], t.cells[:0], t.limits[:0], t.changed[:0]
}

// Attach puts row i below another, -1 for none: a row that is new, was taken away, or attached
// elsewhere. What is below it comes with it. Until the tree is recomputed, rows may be attached below
// some that are not there yet.
func (t *Tree) Attach(i, up int32) {
	t.reach(max(i, up))
	at := &t.rows[i]
	if at.there && at.up == up {
		return
	}
	if at.attached && at.up != up {
		t.cut(i)
	}
	if !at.attached {
		t.tie(i, up)
		t.renew(i)
	}
	at.there = true
	if at.due {
		t.mark(i)
	}
}

// renew says that all about a row has to be worked out.
func (t *Tree) renew(i int32) {
	for d := range t.of(i) {
		t.of(i)[d].self = true
	}
	t.rows[i].due = true
}

// Put says what row i is in one dimension; b.Up is not read.
func (t *Tree) Put(i int32, d int, b QueueNode) {
	c := &t.of(i)[d]
	b.Up = c.Up
	if c.QueueNode == b {
		return
	}
	if at := &t.rows[i]; at.attached && c.Guarantee != b.Guarantee {
		t.guarantee(at.up, d, c.Guarantee, -1)
		t.guarantee(at.up, d, b.Guarantee, 1)
	}
	c.QueueNode, c.self = b, true
	t.mark(i)
}

// Remove takes row i away. Those below it go too, or are attached elsewhere, before the tree
// is recomputed.
func (t *Tree) Remove(i int32) {
	if int(i) < len(t.rows) {
		t.rows[i].there = false
		if t.rows[i].attached {
			t.cut(i)
		}
	}
}

// Detach takes row i away because the row above it is: it keeps its place there until it is
// attached elsewhere or removed. Where nothing else changed, a whole tree of rows that rested
// comes again with its top, and nothing of it has to be worked out.
func (t *Tree) Detach(i int32) {
	if int(i) >= len(t.rows) {
		return
	}
	if up := t.Up(i); up < 0 || t.rows[up].there {
		t.Remove(i)
	}
	t.rows[i].there = false
}

// Up is the row that row i is attached below, -1 for none.
func (t *Tree) Up(i int32) int32 {
	if int(i) >= len(t.rows) || !t.rows[i].attached {
		return -1
	}
	return t.rows[i].up
}

// of are a row's cells.
func (t *Tree) of(i int32) []cell { return t.cells[int(i)*t.dims : (int(i)+1)*t.dims] }

// reach makes rows up to i.
func (t *Tree) reach(i int32) {
	for int(i) >= len(t.rows) {
		t.rows = append(t.rows, treeNode{up: -1, kid: -1, next: -1, prev: -1})
		for range t.dims {
			t.cells, t.limits = append(t.cells, cell{}), append(t.limits, QueueLimits{})
		}
	}
}

// mark notes that something about a row has to be worked out.
func (t *Tree) mark(i int32) {
	at := &t.rows[i]
	at.due = true
	if !at.listed {
		at.listed = true
		t.changed = append(t.changed, i)
	}
}

// guarantee counts a child's guarantee among those of a row's children, or no longer.
func (t *Tree) guarantee(up int32, d int, amount, sign int64) {
	if up >= 0 && amount != 0 {
		c := &t.of(up)[d]
		c.guaranteed, c.children = c.guaranteed.PlusSum(resource.Sum{}.Plus(amount), sign), true
		t.mark(up)
	}
}

// tie puts a row among the children of another.
func (t *Tree) tie(i, up int32) {
	at := &t.rows[i]
	at.up, at.prev, at.next, at.attached = up, -1, -1, true
	if up < 0 {
		return
	}
	if at.next = t.rows[up].kid; at.next >= 0 {
		t.rows[at.next].prev = i
	}
	t.rows[up].kid = i
	for d := range t.dims {
		t.guarantee(up, d, t.of(i)[d].Guarantee, 1)
	}
}

func (t *Tree) cut(i int32) {
	at := &t.rows[i]
	switch {
	case at.up < 0:
	case at.prev >= 0:
		t.rows[at.prev].next = at.next
	default:
		t.rows[at.up].kid = at.next
	}
	if at.next >= 0 {
		t.rows[at.next].prev = at.prev
	}
	at.attached = false
	for d := range t.dims {
		t.guarantee(at.up, d, t.of(i)[d].Guarantee, -1)
	}
}

// Recompute works out what follows from the rows as they are now.
func (t *Tree) Recompute() {
	for _, i := range t.changed {
		t.rows[i].listed = false
		if t.rows[i].there {
			t.rows[i].due = false
			t.recompute(i)
		}
	}
	t.changed = t.changed[:0]
}

// recompute works out a row, where it has to be, and those below it, where they have to. A row
// that was worked out before one above it is worked out again if that makes a difference.
func (t *Tree) recompute(i int32) {
	for from := 0; from < t.dims; from += 64 {
		deeper := uint64(0)
		for d := from; d < min(from+64, t.dims); d++ {
			if t.recomputeDim(i, d) {
				deeper |= 1 << (d - from)
			}
		}
		if deeper != 0 {
			t.below(i, from, deeper)
		}
	}
}

// recomputeDim works out a row in one dimension, and says whether those below it have to be.
func (t *Tree) recomputeDim(i int32, d int) bool {
	c, b := &t.of(i)[d], t.Limits(i, d)
	children := c.children
	switch up := t.rows[i].up; {
	case !c.self:
	case up < 0:
		children = c.over(b) || children
	default:
		children = c.below(t.Limits(up, d), t.ChildGuarantees(up, d), b) || children
	}
	c.self, c.children = false, false
	return children
}

// below works out all children of a row, and those below them where they have to be, in
// dimensions that are bits, counted from one of them.
func (t *Tree) below(up int32, from int, dims uint64) {
	own, above := t.of(up)[from:], t.limits[int(up)*t.dims+from:]
	for k := t.rows[up].kid; k >= 0; {
		at, first := &t.rows[k], int(k)*t.dims+from
		if !at.there {
			t.renew(k) // when it comes again
			k = at.next
			continue
		}
		deeper := uint64(0)
		for left := dims; left != 0; left &= left - 1 {
			d := bits.TrailingZeros64(left)
			c := &t.cells[first+d]
			if c.below(&above[d], own[d].guaranteed.Int64(), &t.limits[first+d]) || c.children {
				deeper |= left & -left
			}
			c.self, c.children = false, false
		}
		if at.kid >= 0 && deeper != 0 {
			t.below(k, from, deeper)
		}
		k = at.next
	}
}

// over is below for a row that is below none.
func (c *cell) over(b *QueueLimits) bool {
	was := *b
	*b = c.top()
	return b.Real != was.Real || b.Capability != was.Capability
}

// QueueLimits is what followed for row i in a dimension when the tree was recomputed last; of one
// that is not there, what followed when it was, or nothing.
func (t *Tree) Limits(i int32, d int) *QueueLimits {
	if int(i) >= len(t.rows) {
		return &QueueLimits{}
	}
	return &t.limits[int(i)*t.dims+d]
}

// ChildGuarantees is what the children of row i are guaranteed together in a dimension, as their
// owners wrote it.
func (t *Tree) ChildGuarantees(i int32, d int) int64 {
	return t.cells[int(i)*t.dims+d].guaranteed.Int64()
}

// top is what follows for a row that is below no other.
func (r *QueueNode) top() QueueLimits {
	b := QueueLimits{Capability: r.Capability, Real: r.Capability}
	b.Guarantee = b.Real.Clip(r.Guarantee)
	b.Deserved = max(b.Real.Clip(r.Deserved), b.Guarantee)
	return b
}

// below puts into b what follows for a row from its parent, and from what the parent's
// children are guaranteed together; it says whether that is something else to those below
// the row than what was there: what it deserves is nothing to them.
func (r *QueueNode) below(up *QueueLimits, siblings int64, b *QueueLimits) (matters bool) {
	capability := r.Capability
	if !capability.Bounded {
		capability = up.Capability
	}
	guarantee, real := capability.Clip(r.Guarantee), capability
	if up.Real.Bounded {
		guarantee = min(guarantee, up.Real.Value)
		most := RealCapability(up.Real.Value, siblings, guarantee, capability)
		real = Limit{Value: min(most, up.Real.Value), Bounded: true}
	}
	matters = real != b.Real || capability != b.Capability
	b.Capability, b.Real, b.Guarantee = capability, real, guarantee
	b.Deserved = max(real.Clip(r.Deserved), guarantee)
	return matters
}
