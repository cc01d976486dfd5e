package session

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// queueHeap returns queues in the order of the profile, by what they hold at that time. It is a tree with a heap
// of children in each node, and the queues as leaves: the tree of policy.HierarchicalQueueOrder below its bands, or all
// queues below the root. After a queue's figures change, only the nodes on its path are put right, so that a turn costs
// the logarithm of the number of siblings on each level.
//
// Nothing more is kept for speed. To keep the nodes from one rotation to the next, and a number with each by which
// most are told apart, gained 500 queues up to 7 % of the speed of one queue (BenchmarkQueues).
type queueHeap struct {
	s      *Session
	tree   policy.HierarchicalQueueOrder // nil: all queues are below the root, by Policy.CompareQueues
	loose  bool                          // serving one queue may change the order of any other
	in     int                           // the number of queues inside
	cursor ledger.Cursor                 // of the usage of queues
	root   *node
	leaf   []*node // by QueueID; nil: none was made
	bands  []*node
	path   []int32 // scratch
}

// node is one node of the tree. It is in the heap of the node above it while there are queues below it.
type node struct {
	up    *node
	id    int32             // its number in the order
	queue ledger.QueueID    // of a leaf
	band  int64             // bands with a lower number come first
	key   policy.SiblingKey // with a HierarchicalQueueOrder: its position among its siblings
	at    int               // its index among the kids of up; -1: it is not there
	kids  *Heap[*node]      // nil: a leaf
	below map[int32]*node   // by number, also those that are not in kids
}

// newQueueHeap adds queues to an empty heap.
func newQueueHeap(s *Session, queues []ledger.QueueID) *queueHeap {
	t := &queueHeap{s: s, leaf: make([]*node, s.L.Queues.Len()), cursor: s.L.Changes.QueueUsage.Now()}
	t.root = t.branch(nil, 0)
	if order, only := s.Policy.HierarchicalQueueOrder(); only {
		t.tree = order
	}
	for _, q := range queues {
		if t.tree != nil && !t.build(q) {
			t.tree, t.bands, t.root = nil, nil, t.branch(nil, 0) // the order has no place for the queue
			break
		}
	}
	if t.tree == nil {
		t.loose = s.Policy.ServingMovesOthers()
		for _, q := range queues {
			t.leaf[q] = &node{up: t.root, queue: q, at: -1}
		}
	}
	for _, q := range queues {
		t.enter(q)
	}
	return t
}

// branch makes a node with other nodes below it.
func (t *queueHeap) branch(up *node, id int32) *node {
	n := &node{up: up, id: id, queue: ledger.NoQueue, at: -1, below: map[int32]*node{}}
	n.kids = NewHeap(t.compare)
	n.kids.moved = func(kid *node, at int) { kid.at = at }
	return n
}

// compare orders siblings.
func (t *queueHeap) compare(a, b *node) int {
	if t.tree == nil {
		return t.s.Policy.CompareQueues(a.queue, b.queue)
	}
	return cmp.Or(cmp.Compare(a.band, b.band), a.key.Compare(&b.key))
}

// build makes the nodes of a queue's path that do not exist yet; false when the order has no place for it.
func (t *queueHeap) build(q ledger.QueueID) (ok bool) {
	var number int64
	if number, t.path, ok = t.tree.Path(q, t.path[:0]); !ok {
		return false
	}
	at := t.band(number)
	for i, id := range t.path {
		kid := at.below[id]
		switch {
		case kid != nil:
		case i < len(t.path)-1:
			kid = t.branch(at, id)
		default:
			kid = &node{up: at, id: id, queue: q, at: -1}
			t.leaf[q] = kid
		}
		at.below[id] = kid
		at = kid
	}
	return true
}

func (t *queueHeap) band(number int64) *node {
	for _, b := range t.bands {
		if b.band == number {
			return b
		}
	}
	b := t.branch(t.root, 0)
	b.band = number
	t.bands = append(t.bands, b)
	return b
}

// push puts a queue back.
func (t *queueHeap) push(q ledger.QueueID) {
	t.update()
	t.enter(q)
}

// pop takes the first queue out; the heap must not be empty.
func (t *queueHeap) pop() ledger.QueueID {
	t.update()
	n := t.root
	for n.kids != nil {
		n = n.kids.items[0]
	}
	q := n.queue
	t.in--
	for n.up != nil && (n.kids == nil || n.kids.Len() == 0) {
		n.up.kids.Remove(n.at)
		n.at, n = -1, n.up
	}
	return q
}

// enter adds a queue, and the nodes above it that are not there.
func (t *queueHeap) enter(q ledger.QueueID) {
	t.in++
	for n := t.leaf[q]; n.up != nil && n.at < 0; n = n.up {
		t.weigh(n)
		n.up.kids.Push(n)
	}
}

// weigh finds a node's position among its siblings anew.
func (t *queueHeap) weigh(n *node) {
	if t.tree != nil && n.up != t.root {
		n.key = t.tree.SiblingKey(n.id)
	}
}

// update puts right what changed since the last call.
func (t *queueHeap) update() {
	queues, known := t.s.L.Changes.QueueUsage.Follow(&t.cursor)
	switch {
	case len(queues) == 0 && known && !t.loose:
	case t.tree == nil && !t.loose && known && !slices.ContainsFunc(queues,
		func(q ledger.QueueID) bool { return q != queues[0] }):
		// One queue only: where several changed, putting one right takes the others to be in order.
		if n := t.leaf[queues[0]]; n != nil && n.at >= 0 {
			t.root.kids.Fix(n.at)
		}
	case t.tree == nil || !known:
		t.all(t.root)
	default:
		for i, q := range queues {
			if i == 0 || q != queues[i-1] {
				t.again(q)
			}
		}
	}
}

// all puts every node below one right.
func (t *queueHeap) all(n *node) {
	for _, kid := range n.kids.items {
		if t.weigh(kid); kid.kids != nil {
			t.all(kid)
		}
	}
	n.kids.Heapify()
}

// again puts the nodes on a queue's path right, in all bands.
func (t *queueHeap) again(q ledger.QueueID) {
	_, t.path, _ = t.tree.Path(q, t.path[:0])
	for _, at := range t.bands {
		for _, id := range t.path {
			if at = at.below[id]; at == nil || at.at < 0 {
				break
			}
			t.weigh(at)
			at.up.kids.Fix(at.at)
		}
	}
}
