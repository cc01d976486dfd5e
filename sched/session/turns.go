package session

import (
	"cmp"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// turns gives queues in the order of the profile, by what they hold when they are asked
// for. It is a tree of heaps with the queues as leaves: the tree of policy.TreeOrder,
// or all queues below the top. After a queue's figures moved only the nodes on its way
// are put right, so that a turn costs the logarithm of the siblings on each level.
type turns struct {
	s     *Session
	tree  policy.TreeOrder // nil: all below the top, by Policy.CompareQueues
	loose bool             // serving one queue may move any other
	in    int              // queues inside
	mark  uint64           // of ledger.Served

	nodes []node
	bands []int32
	named [][]int32 // nodes by the order's number: one in each band
	leaf  []int32   // by QueueID; 0: not of these queues
	way   []int32   // scratch
}

// node is one node of the tree. The top is number 0; in a tree of the order's the bands
// are below it.
type node struct {
	up    int32
	id    int32 // the order's number for it
	at    int32 // place among up's kids; -1: out, as is every node without queues inside
	band  int64 // of a band
	queue ledger.QueueID
	kids  []int32 // a heap
}

func takeTurns(s *Session, queues []ledger.QueueID) *turns {
	t := &turns{s: s, leaf: make([]int32, s.L.NumQueues()), nodes: make([]node, 1, 2*len(queues)+2)}
	t.nodes[0] = node{up: -1, at: -1, queue: ledger.NoQueue}
	moves := s.Policy.ServingMovesOthers()
	if order, only := s.Policy.TreeOrder(); only && moves && stands(order, queues) {
		t.tree = order
	}
	t.loose = moves && t.tree == nil
	_, t.mark, _ = s.L.Served(0)
	for _, q := range queues {
		t.plant(q)
		t.enter(q)
	}
	return t
}

// stands says that every queue has a place in the order's tree.
func stands(order policy.TreeOrder, queues []ledger.QueueID) bool {
	for _, q := range queues {
		if _, _, ok := order.Way(q, nil); !ok {
			return false
		}
	}
	return true
}

// plant makes the nodes of a queue's way that are not there yet.
func (t *turns) plant(q ledger.QueueID) {
	if t.tree == nil {
		t.leaf[q] = int32(len(t.nodes))
		t.nodes = append(t.nodes, node{at: -1, queue: q})
		return
	}
	band, way, _ := t.tree.Way(q, t.way[:0])
	t.way = way
	at := t.band(band)
	for _, id := range way {
		at = t.node(at, id)
	}
	t.nodes[at].queue, t.leaf[q] = q, at
}

func (t *turns) band(band int64) int32 {
	for _, n := range t.bands {
		if t.nodes[n].band == band {
			return n
		}
	}
	t.bands = append(t.bands, int32(len(t.nodes)))
	t.nodes = append(t.nodes, node{at: -1, band: band, queue: ledger.NoQueue})
	return int32(len(t.nodes) - 1)
}

func (t *turns) node(up, id int32) int32 {
	for int(id) >= len(t.named) {
		t.named = append(t.named, nil)
	}
	for _, n := range t.named[id] {
		if t.nodes[n].up == up {
			return n
		}
	}
	t.named[id] = append(t.named[id], int32(len(t.nodes)))
	t.nodes = append(t.nodes, node{up: up, id: id, at: -1, queue: ledger.NoQueue})
	return int32(len(t.nodes) - 1)
}

// push puts a queue back among the others.
func (t *turns) push(q ledger.QueueID) {
	t.settle()
	t.enter(q)
}

// pop takes the first queue out; there is one.
func (t *turns) pop() ledger.QueueID {
	t.settle()
	n := int32(0)
	for len(t.nodes[n].kids) > 0 {
		n = t.nodes[n].kids[0]
	}
	q := t.nodes[n].queue
	t.leave(n)
	return q
}

// enter lets a queue in, and the nodes above it that were out.
func (t *turns) enter(q ledger.QueueID) {
	t.in++
	for n := t.leaf[q]; n != 0 && t.nodes[n].at < 0; n = t.nodes[n].up {
		up := &t.nodes[t.nodes[n].up]
		t.nodes[n].at = int32(len(up.kids))
		up.kids = append(up.kids, n)
		t.rise(n)
	}
}

// leave takes a queue out, and the nodes above it that are empty then.
func (t *turns) leave(n int32) {
	t.in--
	for ; n != 0 && len(t.nodes[n].kids) == 0; n = t.nodes[n].up {
		up := &t.nodes[t.nodes[n].up]
		last := up.kids[len(up.kids)-1]
		t.seat(last, t.nodes[n].at)
		up.kids = up.kids[:len(up.kids)-1]
		t.nodes[n].at = -1
		if last != n {
			t.right(last)
		}
	}
}

// settle puts right what moved since it was asked last.
func (t *turns) settle() {
	queues, now, known := t.s.L.Served(t.mark)
	t.mark = now
	switch {
	case t.loose || !known || severally(queues):
		for n := range t.nodes {
			t.heap(&t.nodes[n])
		}
	case len(queues) > 0 && t.tree != nil:
		_, way, _ := t.tree.Way(queues[0], t.way[:0])
		t.way = way
		for _, id := range way {
			if int(id) < len(t.named) {
				for _, n := range t.named[id] {
					t.right(n)
				}
			}
		}
	case len(queues) > 0:
		t.right(t.leaf[queues[0]])
	}
}

// severally says that more than one queue is among them. Then all heaps are made anew:
// putting elements right one after another takes the others to be where they belong.
func severally(queues []ledger.QueueID) bool {
	for _, q := range queues {
		if q != queues[0] {
			return true
		}
	}
	return false
}

// heap orders a node's kids anew.
func (t *turns) heap(n *node) {
	for i := len(n.kids)/2 - 1; i >= 0; i-- {
		t.sink(n.kids[i])
	}
}

// right moves a node to where it belongs among its siblings; one that is out stays so.
func (t *turns) right(n int32) {
	if t.nodes[n].at >= 0 {
		t.rise(n)
		t.sink(n)
	}
}

func (t *turns) rise(n int32) {
	kids := t.nodes[t.nodes[n].up].kids
	for at := t.nodes[n].at; at > 0; at = t.nodes[n].at {
		above := kids[(at-1)/2]
		if t.compare(n, above) >= 0 {
			return
		}
		t.seat(n, (at-1)/2)
		t.seat(above, at)
	}
}

func (t *turns) sink(n int32) {
	kids := t.nodes[t.nodes[n].up].kids
	for {
		at := t.nodes[n].at
		c := 2*at + 1
		if int(c) >= len(kids) {
			return
		}
		if int(c+1) < len(kids) && t.compare(kids[c+1], kids[c]) < 0 {
			c++
		}
		below := kids[c]
		if t.compare(n, below) <= 0 {
			return
		}
		t.seat(n, c)
		t.seat(below, at)
	}
}

// seat puts a node at a place among its siblings.
func (t *turns) seat(n, at int32) {
	t.nodes[t.nodes[n].up].kids[at] = n
	t.nodes[n].at = at
}

// compare orders two nodes below the same one.
func (t *turns) compare(a, b int32) int {
	x, y := &t.nodes[a], &t.nodes[b]
	switch {
	case t.tree == nil:
		return t.s.Policy.CompareQueues(x.queue, y.queue)
	case x.up == 0:
		return cmp.Compare(x.band, y.band)
	default:
		return t.tree.CompareNodes(x.id, y.id)
	}
}
