package fair

import "ashlar.sh/sched/resource"

// LiveTree keeps a tree of queues settled in one dimension while its rows change: it
// works out only the rows that changed, those beside them when a guarantee did, and
// those below a row that may hold otherwise than before. It says what Tree says of the same rows.
// The zero LiveTree has no rows.
type LiveTree struct {
	rows     []Branch
	boughs   []Bough
	promised []resource.Sum // to the children of a row
	marks    []mark
	changed  bool
}

// mark is what a row makes necessary: that it is worked out, or its children are.
type mark struct{ self, children bool }

// Clear forgets all rows.
func (t *LiveTree) Clear() {
	t.rows, t.boughs, t.promised, t.marks = t.rows[:0], t.boughs[:0], t.promised[:0], t.marks[:0]
	t.changed = false
}

// Put adds row i, where there are i, or replaces it; it stays below the same parent.
func (t *LiveTree) Put(i int, b Branch) {
	if i == len(t.rows) {
		t.rows, t.boughs = append(t.rows, Branch{Up: b.Up}), append(t.boughs, Bough{})
		t.promised, t.marks = append(t.promised, resource.Sum{}), append(t.marks, mark{self: true})
		t.changed = true
	}
	was := t.rows[i]
	if was == b {
		return
	}
	t.rows[i], t.marks[i].self, t.changed = b, true, true
	if b.Up >= 0 && was.Guarantee != b.Guarantee {
		t.promised[b.Up] = t.promised[b.Up].Plus(b.Guarantee).Minus(was.Guarantee)
		t.marks[b.Up].children = true
	}
}

// Settle works out what follows from the rows as they are now.
func (t *LiveTree) Settle() {
	if !t.changed {
		return
	}
	t.changed = false
	for i := range t.rows {
		r := &t.rows[i]
		if !t.marks[i].self && (r.Up < 0 || !t.marks[r.Up].children) {
			continue
		}
		b := &t.boughs[i]
		capability, real := b.Capability, b.Real
		if r.Up < 0 {
			*b = r.top()
		} else {
			r.below(&t.boughs[r.Up], t.promised[r.Up].Int64(), b)
		}
		if b.Real != real || b.Capability != capability {
			t.marks[i].children = true // what it deserves is nothing to those below
		}
	}
	clear(t.marks)
}

// Bough is what followed for row i when the tree was settled last.
func (t *LiveTree) Bough(i int32) *Bough { return &t.boughs[i] }

// Branch is row i.
func (t *LiveTree) Branch(i int32) Branch { return t.rows[i] }

// Promised is what the children of row i are guaranteed together, as their owners wrote
// it.
func (t *LiveTree) Promised(i int32) int64 { return t.promised[i].Int64() }
