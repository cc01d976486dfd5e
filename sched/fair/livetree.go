package fair

import "ashlar.sh/sched/resource"

// LiveTree keeps a tree of queues settled in one dimension while its rows change, come, go
// and are hung below others: it works out only the rows that changed, those beside them
// when a guarantee did, and those below a row that may hold otherwise than before. It says
// what Tree says of the same rows, but in any order. The zero LiveTree has no rows.
type LiveTree struct {
	rows    []limb
	changed []int32
}

// limb is all about a row, side by side: a change at the top reads every row.
type limb struct {
	Branch
	bough           Bough
	promised        resource.Sum // to its children
	kid, next, prev int32        // its first child, and its brothers; -1: none
	there           bool
	listed          bool // among those that changed
	self, children  bool // it is worked out anew; those below it are
}

// Clear forgets all rows.
func (t *LiveTree) Clear() { t.rows, t.changed = t.rows[:0], t.changed[:0] }

// Put adds row i, or replaces it, below the same row or another. Until the tree is
// settled, rows may hang below some that are not there yet.
func (t *LiveTree) Put(i int32, b Branch) {
	t.reach(max(i, b.Up))
	at := &t.rows[i]
	was, fresh := at.Branch, !at.there
	if was == b && !fresh {
		return
	}
	at.there, at.Branch = true, b
	t.mark(i).self = true
	if fresh {
		at.children = true
		t.hang(i)
		t.promise(b.Up, b.Guarantee, 1)
		return
	}
	if was.Up != b.Up {
		t.cut(i, was.Up)
		t.hang(i)
	}
	if was.Up != b.Up || was.Guarantee != b.Guarantee {
		t.promise(was.Up, was.Guarantee, -1)
		t.promise(b.Up, b.Guarantee, 1)
	}
}

// Remove takes row i away. Those below it go too, or are hung elsewhere, before the tree
// is settled.
func (t *LiveTree) Remove(i int32) {
	if int(i) >= len(t.rows) || !t.rows[i].there {
		return
	}
	at := &t.rows[i]
	t.cut(i, at.Up)
	t.promise(at.Up, at.Guarantee, -1)
	at.there, at.Branch, at.bough = false, Branch{Up: -1}, Bough{}
}

// reach makes rows up to i.
func (t *LiveTree) reach(i int32) {
	for int(i) >= len(t.rows) {
		t.rows = append(t.rows, limb{Branch: Branch{Up: -1}, kid: -1, next: -1, prev: -1})
	}
}

// mark notes that a row makes something necessary, which the caller says.
func (t *LiveTree) mark(i int32) *limb {
	at := &t.rows[i]
	if !at.listed {
		at.listed = true
		t.changed = append(t.changed, i)
	}
	return at
}

// promise counts a child's guarantee among those of a row's children, or no longer.
func (t *LiveTree) promise(up int32, guarantee, sign int64) {
	if up >= 0 && guarantee != 0 {
		t.rows[up].promised = t.rows[up].promised.PlusSum(resource.Sum{}.Plus(guarantee), sign)
		t.mark(up).children = true
	}
}

// hang puts a row among the children of the row above it.
func (t *LiveTree) hang(i int32) {
	at, up := &t.rows[i], t.rows[i].Up
	at.prev, at.next = -1, -1
	if up < 0 {
		return
	}
	if at.next = t.rows[up].kid; at.next >= 0 {
		t.rows[at.next].prev = i
	}
	t.rows[up].kid = i
}

func (t *LiveTree) cut(i, up int32) {
	at := &t.rows[i]
	switch {
	case up < 0:
	case at.prev >= 0:
		t.rows[at.prev].next = at.next
	default:
		t.rows[up].kid = at.next
	}
	if at.next >= 0 {
		t.rows[at.next].prev = at.prev
	}
}

// Settle works out what follows from the rows as they are now.
func (t *LiveTree) Settle() {
	for _, i := range t.changed {
		t.rows[i].listed = false
		t.settle(i)
	}
	t.changed = t.changed[:0]
}

// settle works out a row, where it has to be, and those below it, where they have to. A row
// that was worked out before one above it is worked out again if that makes a difference.
func (t *LiveTree) settle(i int32) {
	at := &t.rows[i]
	if at.self && at.there {
		if at.Up < 0 {
			at.children = at.stands(at.top()) || at.children
		} else {
			up := &t.rows[at.Up]
			at.children = at.under(up, up.promised.Int64()) || at.children
		}
	}
	children := at.children && at.there
	at.self, at.children = false, false
	if children {
		t.below(at)
	}
}

// below works out all children of a row, and those below them, where they have to be.
func (t *LiveTree) below(up *limb) {
	promised := up.promised.Int64()
	for k := up.kid; k >= 0; {
		at := &t.rows[k]
		deeper := at.under(up, promised) || at.children
		at.self, at.children = false, false
		if deeper && at.kid >= 0 {
			t.below(at)
		}
		k = at.next
	}
}

// under finds a row's figures, when its parent's children are promised so much together,
// and says whether they matter to those below it.
func (at *limb) under(up *limb, promised int64) bool {
	var b Bough
	at.Branch.below(&up.bough, promised, &b)
	return at.stands(b)
}

// stands takes over a row's figures: what it deserves is nothing to those below it.
func (at *limb) stands(b Bough) bool {
	matters := b.Real != at.bough.Real || b.Capability != at.bough.Capability
	at.bough = b
	return matters
}

// Bough is what followed for row i when the tree was settled last; nothing of one that is
// not there.
func (t *LiveTree) Bough(i int32) *Bough {
	if int(i) >= len(t.rows) {
		return &Bough{}
	}
	return &t.rows[i].bough
}

// Promised is what the children of row i are guaranteed together, as their owners wrote
// it.
func (t *LiveTree) Promised(i int32) int64 { return t.rows[i].promised.Int64() }
