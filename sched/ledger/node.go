package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Node is the row of a machine. Its amounts are in columns: Idle(d)[n].
type Node struct {
	Name  string
	Fact  *model.Node // nil: named by pods, not known
	Tasks int32       // that hold room, are terminating or are promised room here
	first TaskID
	going int32 // terminating tasks
	named int32 // commitments that name this node
	free  bool
	far   bool // some figure is beyond edge: see weigh

	overdrawn bool // as Overdrawn reported it last
}

// Present says that the node exists and is not set aside: tasks may be placed on it, and it counts in the
// cluster's total.
func (n *Node) Present() bool {
	if n.Fact == nil {
		return false
	}
	_, bad := n.Fact.SetAside()
	return !bad
}

// columns are the amounts of all nodes, dimension by dimension: columns[d][n].
type columns struct {
	alloc, idle, releasing, pipelined, room [][]int64
}

// Node returns the row of a node.
func (l *Ledger) Node(n NodeID) *Node { return &l.nodes[n] }

// NodeHash is Hash of a node's name.
func (l *Ledger) NodeHash(n NodeID) uint64 { return l.nodeHash[n] }

// NumNodes is the number of node rows, free ones included: an upper bound for
// NodeIDs.
func (l *Ledger) NumNodes() int { return len(l.nodes) }

// FindNode returns the row of a node's name, and false when nothing has named it.
func (l *Ledger) FindNode(name string) (NodeID, bool) {
	n, ok := l.nodeByName[name]
	return n, ok
}

// Allocatable is the column of what nodes offer in dimension d; element n is node n's.
// The columns are read-only and as long as NumNodes.
func (l *Ledger) Allocatable(d resource.Dim) []int64 { return l.cols.alloc[d] }

// Idle is the column of what no task holds; negative where tasks hold more than the node offers.
func (l *Ledger) Idle(d resource.Dim) []int64 { return l.cols.idle[d] }

// Releasing is the column of what terminating tasks still hold.
func (l *Ledger) Releasing(d resource.Dim) []int64 { return l.cols.releasing[d] }

// Pipelined is the column of what is promised to tasks that wait for it.
func (l *Ledger) Pipelined(d resource.Dim) []int64 { return l.cols.pipelined[d] }

// Room is the column of what a task may take now: min(Idle, FutureIdle).
func (l *Ledger) Room(d resource.Dim) []int64 { return l.cols.room[d] }

// FutureIdle is Idle + Releasing - Pipelined.
func (l *Ledger) FutureIdle(d resource.Dim, n NodeID) int64 {
	return l.cols.idle[d][n] + l.cols.releasing[d][n] - l.cols.pipelined[d][n]
}

// Used is what is held, by running and by releasing tasks: Allocatable - Idle.
func (l *Ledger) Used(d resource.Dim, n NodeID) int64 {
	return l.cols.alloc[d][n] - l.cols.idle[d][n]
}

// Releases says that some task on the node is terminating.
func (l *Ledger) Releases(n NodeID) bool { return l.nodes[n].going > 0 }

// ReleasingNodes is the number of nodes with a terminating task. Where it is 0, no task can be pipelined.
func (l *Ledger) ReleasingNodes() int { return l.goingNodes }

// Total is what all present nodes offer in dimension d.
func (l *Ledger) Total(d resource.Dim) int64 { return l.total.Get(d) }

// Present lists the nodes that exist, in the order of rows.
func (l *Ledger) Present(yield func(NodeID) bool) {
	for i := range l.nodes {
		if !l.nodes[i].free && l.nodes[i].Present() && !yield(NodeID(i)) {
			return
		}
	}
}

// node returns the row of a node's name, a new one if there is none.
func (l *Ledger) node(name string) NodeID {
	if n, ok := l.nodeByName[name]; ok {
		return n
	}
	var n NodeID
	if k := len(l.nodeFree); k > 0 {
		n = l.nodeFree[k-1]
		l.nodeFree = l.nodeFree[:k-1]
	} else {
		n = NodeID(len(l.nodes))
		l.nodes = append(l.nodes, Node{})
		l.nodeHash = append(l.nodeHash, 0)
		l.widen()
	}
	l.nodeHash[n] = Hash(name)
	l.nodes[n] = Node{Name: name, first: NoTask}
	l.nodeByName[name] = n
	l.touchStatic(n)
	return n
}

// dropNode frees the row of a node that no fact, task or commitment names. Commitments count because a task
// that moved for this cycle only goes back to the node of its commitment.
func (l *Ledger) dropNode(n NodeID) {
	row := &l.nodes[n]
	if row.free || row.Fact != nil || row.Tasks > 0 || row.named > 0 {
		return
	}
	delete(l.nodeByName, row.Name)
	*row = Node{first: NoTask, free: true}
	l.nodeFree = append(l.nodeFree, n)
}

// widen gives every dimension a column, every column an element for every node, and
// every queue's sums an element for every dimension. It costs nothing when no
// dimension and no node is new.
func (l *Ledger) widen() {
	dims, nodes := l.Dims.Len(), len(l.nodes)
	if dims == l.wideDims && nodes == l.wideNodes {
		return
	}
	for q := range l.queues {
		l.queues[q].widen(dims)
	}
	for _, c := range []*[][]int64{&l.cols.alloc, &l.cols.idle, &l.cols.releasing, &l.cols.pipelined, &l.cols.room} {
		for len(*c) < l.Dims.Len() {
			*c = append(*c, make([]int64, len(l.nodes), cap(l.nodes)))
		}
		for d := range *c {
			for len((*c)[d]) < len(l.nodes) {
				(*c)[d] = append((*c)[d], 0)
			}
		}
	}
	l.wideDims, l.wideNodes = dims, nodes
}

func (l *Ledger) applyNode(name string, fact *model.Node) {
	n := l.node(name)
	l.pictured(l.nodes[n].Fact, fact)
	if was := l.nodes[n].Fact; was != nil && fact != nil && was.Alike(fact) {
		l.nodes[n].Fact = fact // a heartbeat: nothing that is read has changed
		return
	}
	l.setAllocatable(n, nil)
	l.nodes[n].Fact = fact
	if l.nodes[n].Present() {
		l.scratch = l.Dims.VecOver(l.scratch, fact.Allocatable)
		l.setAllocatable(n, l.scratch)
	}
	l.roomEpoch++
	l.touchStatic(n)
	l.watch(n)
	l.dropNode(n)
}

// setAllocatable replaces what a node offers. Idle changes by the difference.
func (l *Ledger) setAllocatable(n NodeID, v resource.Vec) {
	l.widen()
	again := l.nodes[n].far
	for d := range l.cols.alloc {
		old, x := l.cols.alloc[d][n], v.Get(resource.Dim(d))
		if old == x {
			continue
		}
		l.cols.alloc[d][n] = x
		l.cols.idle[d][n] += x - old
		l.total = l.total.AddAt(resource.Dim(d), x-old)
		l.rerun(d, n)
		again = again || far(l.cols.idle[d][n], l.cols.releasing[d][n], l.cols.pipelined[d][n])
	}
	if again {
		l.weigh(n, nil)
	}
	l.specEpoch++
}

// rerun computes a node's room in one dimension from idle, releasing and pipelined.
func (l *Ledger) rerun(d int, n NodeID) {
	idle := l.cols.idle[d][n]
	l.cols.room[d][n] = min(idle, idle+l.cols.releasing[d][n]-l.cols.pipelined[d][n])
}

// touchNode notes that a node's figures or facts changed.
func (l *Ledger) touchNode(n NodeID) { l.Changes.Nodes.add(n, max(2048, len(l.nodes))) }

// touchStatic notes that a node's labels, taints or presence may have changed.
func (l *Ledger) touchStatic(n NodeID) {
	l.touchNode(n)
	l.Changes.NodeFacts.add(n, max(512, len(l.nodes)/2))
}

// Restate says that plugins may answer otherwise about a node although no fact changed, because time has
// passed: the node is judged anew, and tasks that were refused may find room on it.
func (l *Ledger) Restate(n NodeID) {
	l.touchStatic(n)
	l.roomEpoch++
}

// NameNode returns the row of a node's name, a new one if there is none: for a commitment to a node that no
// fact has shown yet.
func (l *Ledger) NameNode(name string) NodeID { return l.node(name) }
