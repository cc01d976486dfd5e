package session

// heapEntry is a node's place among its siblings, in a heap with the first of them in front. In
// a tree of the order's it holds what mostly decides who goes first, so that a comparison
// reads nothing else: hundreds of queues do not fit a core's nearest cache with all that is
// known of them. Of nodes in a heap of one, and of those compared two at a time, only node
// counts.
type heapEntry struct {
	key  uint64 // of the standing's share by weight: see fair.Ratio.Key
	rank int32  // of the standing
	node int32
}

// entryOf finds a node's standing, and its seat.
func (t *queueHeap) entryOf(n int32) heapEntry {
	x := &t.nodes[n]
	switch {
	case t.tree == nil:
		return heapEntry{node: n}
	case x.id < 0:
		for i, b := range t.precedences {
			if b.node == n {
				return heapEntry{key: uint64(b.number) ^ 1<<63, rank: int32(i), node: n} // as unsigned, in the order of signed
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
		return a.rank < b.rank // neither has had anything
	default:
		return t.nodes[a.node].standing.Compare(&t.nodes[b.node].standing) < 0
	}
}

// place gives a node a seat.
func (t *queueHeap) place(kids []heapEntry, at int32, s heapEntry) {
	kids[at], t.nodes[s.node].at = s, at
}

// siftUp seats a node at a place, or nearer to the front where it goes before those there,
// and says where.
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

// siftDown seats a node at a place, or farther from the front where those there go before it.
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

// fill seats the last of some siblings where one has left: the lesser of those below move
// up to the bottom, and from there it rises. It comes from the bottom and mostly stays there,
// so this takes half the comparisons of letting it sink.
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

// heap weighs and orders some siblings anew.
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
