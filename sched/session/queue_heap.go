package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// queueHeap returns queues in the order of the profile, by what they hold at that time. It is a tree of
// heaps with the queues as leaves: the tree of policy.TreeOrder, or all queues below the root. After a
// queue's figures change, only the nodes on its path are put right, so that a turn costs the logarithm
// of the number of siblings on each level.
//
// With a TreeOrder, a node is compared by the numbers in its heapEntry, which are computed again only
// after the node changed. The nodes outlast the rotation: as long as the ledger's SpecEpoch is
// unchanged, the next rotation uses them again.
type queueHeap struct {
	s      *Session
	tree   policy.TreeOrder // nil: all queues below the root, by Policy.CompareQueues
	loose  bool             // serving one queue may change the order of any other
	in     int              // the number of queues inside
	cursor ledger.Cursor    // of the usage of queues
	shape  uint64           // the ledger's SpecEpoch when the nodes were made

	nodes       []node
	precedences []precedence
	named       [][]int32 // nodes by their number in the order: one in each band
	leaf        []int32   // node by QueueID; 0: none was made
	way         []int32   // scratch
}

// node is one node of the tree. The root is number 0; with a TreeOrder the bands are below it.
type node struct {
	up       int32 // -1: this is the root
	id       int32 // its number in the order; -1 for a band
	at       int32 // its index among up's kids; -1: not there, as every node without queues inside
	queue    ledger.QueueID
	kids     []heapEntry     // a heap
	standing policy.Standing // with a TreeOrder: what it is compared by, once computed
}

// precedence is a band of a queue order: bands with a lower number come first.
type precedence struct {
	number int64
	node   int32
}

// newQueueHeap adds queues to a heap. t is a heap that is no longer used, to be used again; nil for
// none.
func newQueueHeap(s *Session, queues []ledger.QueueID, t *queueHeap) *queueHeap {
	if t == nil || t.tree == nil || t.shape != s.L.Changes.SpecEpoch() || len(t.leaf) != s.L.Queues.Len() {
		t = &queueHeap{s: s, shape: s.L.Changes.SpecEpoch(), leaf: make([]int32, s.L.Queues.Len()), nodes: make([]node, 1, 2*len(queues)+2)}
		t.nodes[0] = node{up: -1, at: -1, queue: ledger.NoQueue}
		if order, only := s.Policy.TreeOrder(); only {
			t.tree = order
		}
	}
	for _, q := range queues {
		if t.tree == nil || t.leaf[q] == 0 && !t.build(q) {
			return t.level(queues)
		}
	}
	t.cursor = s.L.Changes.QueueUsage.Now()
	for _, q := range queues {
		t.enter(q)
	}
	return t
}

// level puts all queues below the root, to be compared two at a time.
func (t *queueHeap) level(queues []ledger.QueueID) *queueHeap {
	flat := &queueHeap{s: t.s, loose: t.s.Policy.ServingMovesOthers(), leaf: make([]int32, len(t.leaf)), nodes: t.nodes[:1]}
	flat.cursor = t.s.L.Changes.QueueUsage.Now()
	for _, q := range queues {
		flat.leaf[q] = flat.grow(node{id: -1, queue: q})
		flat.enter(q)
	}
	return flat
}

// build makes the nodes of a queue's path that do not exist yet; false when the order has no place for
// the queue.
func (t *queueHeap) build(q ledger.QueueID) bool {
	band, way, ok := t.tree.Way(q, t.way[:0])
	t.way = way
	if !ok {
		return false
	}
	at := t.precedence(band)
	for _, id := range way {
		at = t.node(at, id)
	}
	t.nodes[at].queue, t.leaf[q] = q, at
	return true
}

func (t *queueHeap) grow(n node) int32 {
	n.at = -1
	t.nodes = append(t.nodes, n)
	return int32(len(t.nodes) - 1)
}

func (t *queueHeap) precedence(number int64) int32 {
	for _, b := range t.precedences {
		if b.number == number {
			return b.node
		}
	}
	t.precedences = append(t.precedences, precedence{number, t.grow(node{id: -1, queue: ledger.NoQueue})})
	return t.precedences[len(t.precedences)-1].node
}

func (t *queueHeap) node(up, id int32) int32 {
	for int(id) >= len(t.named) {
		t.named = append(t.named, nil)
	}
	for _, n := range t.named[id] {
		if t.nodes[n].up == up {
			return n
		}
	}
	n := t.grow(node{up: up, id: id, queue: ledger.NoQueue})
	t.named[id] = append(t.named[id], n)
	return n
}

// push puts a queue back.
func (t *queueHeap) push(q ledger.QueueID) {
	t.settle()
	t.enter(q)
}

// pop takes the first queue out; the heap must not be empty.
func (t *queueHeap) pop() ledger.QueueID {
	t.settle()
	n := int32(0)
	for len(t.nodes[n].kids) > 0 {
		n = t.nodes[n].kids[0].node
	}
	q := t.nodes[n].queue
	t.leave(n)
	return q
}

// enter adds a queue, and the nodes above it that are not there.
func (t *queueHeap) enter(q ledger.QueueID) {
	t.in++
	for n := t.leaf[q]; n != 0 && t.nodes[n].at < 0; n = t.nodes[n].up {
		up := &t.nodes[t.nodes[n].up]
		up.kids = append(up.kids, heapEntry{node: n})
		switch last := int32(len(up.kids) - 1); last {
		case 0:
			t.nodes[n].at = 0
		case 1:
			up.kids[0] = t.entryOf(up.kids[0].node) // it was alone, so its entry was not computed
			fallthrough
		default:
			t.siftUp(up.kids, last, t.entryOf(n))
		}
	}
}

// leave takes a queue out, and the nodes above it that are empty then.
func (t *queueHeap) leave(n int32) {
	t.in--
	for ; n != 0 && len(t.nodes[n].kids) == 0; n = t.nodes[n].up {
		up, hole := &t.nodes[t.nodes[n].up], t.nodes[n].at
		last := up.kids[len(up.kids)-1]
		up.kids = up.kids[:len(up.kids)-1]
		t.nodes[n].at = -1
		if last.node != n {
			t.fill(up.kids, hole, last)
		}
	}
}

// settle puts right what changed since the last call.
func (t *queueHeap) settle() {
	queues, known := t.s.L.Changes.QueueUsage.Follow(&t.cursor)
	switch {
	case len(queues) == 0 && known && !t.loose:
	case t.tree == nil && !t.loose && known && alone(queues):
		t.again(t.leaf[queues[0]])
	case t.tree == nil || !known:
		for n := range t.nodes {
			t.heap(t.nodes[n].kids)
		}
	default:
		for i, q := range queues {
			if i == 0 || q != queues[i-1] {
				t.moved(q)
			}
		}
	}
}

// alone says that all these queues are the same one. When queues are compared two at a time, several
// cannot be put right one after another, since that takes the rest to be in order.
func alone(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if q != queues[0] {
			return false
		}
	}
	return true
}

// moved puts the nodes on a queue's path right, in all bands.
func (t *queueHeap) moved(q ledger.QueueID) {
	n := t.leaf[q]
	if n != 0 && len(t.precedences) == 1 { // the usual case: the nodes are the ancestors of its own
		for ; t.nodes[n].id >= 0; n = t.nodes[n].up {
			t.again(n)
		}
		return
	}
	_, way, _ := t.tree.Way(q, t.way[:0])
	t.way = way
	for _, id := range way {
		if int(id) < len(t.named) {
			for _, n := range t.named[id] {
				t.again(n)
			}
		}
	}
}

// again computes a node's entry anew and moves it to its position among its siblings. A node that is
// not there stays out, and one without siblings does not move.
func (t *queueHeap) again(n int32) {
	at := t.nodes[n].at
	if at < 0 {
		return
	}
	kids := t.nodes[t.nodes[n].up].kids
	if len(kids) < 2 {
		return
	}
	s := t.entryOf(n)
	if t.siftUp(kids, at, s) == at {
		t.siftDown(kids, at, s)
	}
}
