package session

// heapEntry is a node's entry in the heap of its siblings; the first in order is at the front. With a
// TreeOrder it holds what decides most comparisons, so that these read nothing else: with hundreds of
// queues, all that is known of them does not fit a core's nearest cache. For a node alone in its heap,
// and without a TreeOrder, only node counts.
type heapEntry struct {
	key  uint64 // of the standing's share, divided by its weight: see fair.Ratio.Key
	rank int32  // of the standing
	node int32
}

// entryOf computes a node's standing, and returns its heap entry.
func (t *queueHeap) entryOf(n int32) heapEntry {
	x := &t.nodes[n]
	switch {
	case t.tree == nil:
		return heapEntry{node: n}
	case x.id < 0:
		for i, b := range t.precedences {
			if b.node == n {
				return heapEntry{key: uint64(b.number) ^ 1<<63, rank: int32(i), node: n} // keeps the order of signed numbers
			}
		}
	}
	x.standing = t.tree.Standing(x.id)
	return heapEntry{x.standing.Share.Key(x.standing.Weight), x.standing.Rank, n}
}

// before says that a node goes before a sibling.
func (t *queueHeap) before(a, b *heapEntry) bool {
	switch {
	case t.tree == nil:
		return t.s.Policy.CompareQueues(t.nodes[a.node].queue, t.nodes[b.node].queue) < 0
	case a.key != b.key:
		return a.key < b.key
	case a.key == 0:
		return a.rank < b.rank // both have a share of 0
	default:
		return t.nodes[a.node].standing.Compare(&t.nodes[b.node].standing) < 0
	}
}

// place puts an entry at a position of the heap.
func (t *queueHeap) place(kids []heapEntry, at int32, s heapEntry) {
	kids[at], t.nodes[s.node].at = s, at
}

// siftUp puts an entry at a position, or nearer to the front where it goes before the entries there,
// and returns the position.
func (t *queueHeap) siftUp(kids []heapEntry, at int32, s heapEntry) int32 {
	for at > 0 {
		above := (at - 1) / 2
		if !t.before(&s, &kids[above]) {
			break
		}
		t.place(kids, at, kids[above])
		at = above
	}
	t.place(kids, at, s)
	return at
}

// siftDown puts an entry at a position, or farther from the front where the entries there go before it.
func (t *queueHeap) siftDown(kids []heapEntry, at int32, s heapEntry) {
	for c := 2*at + 1; int(c) < len(kids); c = 2*at + 1 {
		if int(c+1) < len(kids) && t.before(&kids[c+1], &kids[c]) {
			c++
		}
		if !t.before(&kids[c], &s) {
			break
		}
		t.place(kids, at, kids[c])
		at = c
	}
	t.place(kids, at, s)
}

// fill fills the position of an entry that left with the last entry of the heap: the lesser children
// move up to the bottom, and the last entry is sifted up from there. It came from the bottom and mostly
// stays there, so this takes half the comparisons of sifting it down.
func (t *queueHeap) fill(kids []heapEntry, hole int32, last heapEntry) {
	for c := 2*hole + 1; int(c) < len(kids); c = 2*hole + 1 {
		if int(c+1) < len(kids) && t.before(&kids[c+1], &kids[c]) {
			c++
		}
		t.place(kids, hole, kids[c])
		hole = c
	}
	t.siftUp(kids, hole, last)
}

// heap computes the entries of some siblings anew and orders them.
func (t *queueHeap) heap(kids []heapEntry) {
	if len(kids) < 2 {
		return
	}
	for i := range kids {
		kids[i] = t.entryOf(kids[i].node)
	}
	for at := int32(len(kids)/2 - 1); at >= 0; at-- {
		t.siftDown(kids, at, kids[at])
	}
}
