package session

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// spareHeap gives queues in the order of the profile, by what they hold when they are asked
// for. It is a tree of heaps with the queues as leaves: the tree of policy.TreeOrder,
// or all queues below the top. After a queue's figures moved only the nodes on its way
// are put right, so that a turn costs the logarithm of the siblings on each level.
//
// In a tree of the order's a node is compared by numbers that stand in its seat among its
// siblings (see seat) and are found again only after it moved. The nodes outlast the
// rotation: as long as the ledger's SpecEpoch stands the next one finds them where they are.
type queueHeap struct {
	s     *Session
	tree  policy.TreeOrder // nil: all below the top, by Policy.CompareQueues
	loose bool             // serving one queue may move any other
	in    int              // queues inside
	mark  uint64           // of ledger.UsageChanged
	shape uint64           // of the ledger, when the nodes were made

	nodes       []node
	precedences []precedence
	named       [][]int32 // nodes by the order's number: one in each band
	leaf        []int32   // by QueueID; 0: none was made
	way         []int32   // scratch
}

// node is one node of the tree. The top is number 0; in a tree of the order's the bands
// are below it.
type node struct {
	up       int32 // -1: the top
	id       int32 // the order's number for it; -1 for a band
	at       int32 // its seat among up's kids; -1: out, as is every node without queues inside
	queue    ledger.QueueID
	kids     []heapEntry     // a heap
	standing policy.Standing // in a tree of the order's: by what it is compared, if weighed
}

// precedence is a queue order's band: those of a lower number come first.
type precedence struct {
	number int64
	node   int32
}

// newQueueHeap lets queues in. turns that are done are given to it to be used again, nil for
// none.
func newQueueHeap(s *Session, queues []ledger.QueueID, t *queueHeap) *queueHeap {
	if t == nil || t.tree == nil || t.shape != s.L.SpecEpoch() || len(t.leaf) != s.L.NumQueues() {
		t = &queueHeap{s: s, shape: s.L.SpecEpoch(), leaf: make([]int32, s.L.NumQueues()), nodes: make([]node, 1, 2*len(queues)+2)}
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
	_, t.mark, _ = s.L.UsageChanged(0)
	for _, q := range queues {
		t.enter(q)
	}
	return t
}

// level stands all queues below the top, by comparing two at a time.
func (t *queueHeap) level(queues []ledger.QueueID) *queueHeap {
	flat := &queueHeap{s: t.s, loose: t.s.Policy.ServingMovesOthers(), leaf: make([]int32, len(t.leaf)), nodes: t.nodes[:1]}
	_, flat.mark, _ = t.s.L.UsageChanged(0)
	for _, q := range queues {
		flat.leaf[q] = flat.grow(node{id: -1, queue: q})
		flat.enter(q)
	}
	return flat
}

// build makes the nodes of a queue's way that are not there yet; false when the order has
// no place for it.
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

// push puts a queue back among the others.
func (t *queueHeap) push(q ledger.QueueID) {
	t.settle()
	t.enter(q)
}

// pop takes the first queue out; there is one.
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

// enter lets a queue in, and the nodes above it that were out.
func (t *queueHeap) enter(q ledger.QueueID) {
	t.in++
	for n := t.leaf[q]; n != 0 && t.nodes[n].at < 0; n = t.nodes[n].up {
		up := &t.nodes[t.nodes[n].up]
		up.kids = append(up.kids, heapEntry{node: n})
		switch last := int32(len(up.kids) - 1); last {
		case 0:
			t.nodes[n].at = 0
		case 1:
			up.kids[0] = t.entryOf(up.kids[0].node) // it had nobody to be compared with
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

// settle puts right what moved since it was asked last.
func (t *queueHeap) settle() {
	queues, now, known := t.s.L.UsageChanged(t.mark)
	t.mark = now
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

// alone says that all of some queues are one. By comparing two at a time several are not
// put right one after another: that takes the others to be where they belong.
func alone(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if q != queues[0] {
			return false
		}
	}
	return true
}

// moved puts the nodes on a queue's way right, in all bands.
func (t *queueHeap) moved(q ledger.QueueID) {
	n := t.leaf[q]
	if n != 0 && len(t.precedences) == 1 { // as mostly: the nodes are those above its own
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

// again weighs a node and moves it to where it belongs among its siblings; one that is out
// stays so, and one without siblings is where it belongs.
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
