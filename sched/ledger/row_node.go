package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Nodes holds the rows of nodes, what they offer and what tasks take of it.
type Nodes struct {
	l *Ledger

	rows      []Node
	hashes    []uint64 // of names
	moved     []uint64 // see Moved
	free      []NodeID
	byName    map[string]NodeID
	cols      columns
	total     resource.Sums // allocatable of all present nodes
	leaving   int           // nodes with releasing tasks
	wideDims  int           // dimensions and nodes that columns and sums reach to
	wideNodes int
	watched   []NodeID // nodes for the next Overdrawn
}

// Node is the row of a machine. Its amounts are in columns: Idle(d)[n].
type Node struct {
	Name  string
	Fact  *model.Node // nil: named by pods, not known
	Tasks int32       // that hold room, are terminating or are pipelined here
	first TaskID
	// offers is what a PluginState says that the node offers beside its fact: see Offer.
	offers resource.List
	going  int32 // terminating tasks
	named  int32 // commitments that name this node
	free   bool
	far    bool // some figure is beyond edge: see weigh

	overdrawn bool // as Overdrawn reported it last
}

// Present says that the node exists and is not set aside: tasks may be placed on it, and it counts in the
// cluster's total.
func (n *Node) Present() bool { return present(n.Fact) }

func present(n *model.Node) bool {
	if n == nil {
		return false
	}
	_, bad := n.SetAside()
	return !bad
}

// columns are the amounts of all nodes, dimension by dimension: columns[d][n].
type columns struct {
	alloc, idle, releasing, pipelined, room [][]int64
}

// Node returns the row of a node.
func (l *Ledger) Node(n NodeID) *Node { return &l.Nodes.rows[n] }

// Hash is Hash of a node's name.
func (ns *Nodes) Hash(n NodeID) uint64 { return ns.hashes[n] }

// Len is the number of node rows, free ones included: an upper bound for
// NodeIDs.
func (ns *Nodes) Len() int { return len(ns.rows) }

// Find returns the row of a node's name, and false when nothing has named it.
func (ns *Nodes) Find(name string) (NodeID, bool) {
	n, ok := ns.byName[name]
	return n, ok
}

// Allocatable is the column of what nodes offer in dimension d; element n is node n's.
// The columns are read-only and as long as Len says.
func (ns *Nodes) Allocatable(d resource.Dim) []int64 { return ns.cols.alloc[d] }

// Idle is the column of what no task holds; negative where tasks hold more than the node offers.
func (ns *Nodes) Idle(d resource.Dim) []int64 { return ns.cols.idle[d] }

// Releasing is the column of what terminating tasks still hold.
func (ns *Nodes) Releasing(d resource.Dim) []int64 { return ns.cols.releasing[d] }

// Pipelined is the column of what is kept for pipelined tasks, which wait for it.
func (ns *Nodes) Pipelined(d resource.Dim) []int64 { return ns.cols.pipelined[d] }

// Room is the column of what a task may take now: min(Idle, FutureIdle).
func (ns *Nodes) Room(d resource.Dim) []int64 { return ns.cols.room[d] }

// FutureIdle is Idle + Releasing - Pipelined.
func (ns *Nodes) FutureIdle(d resource.Dim, n NodeID) int64 {
	return ns.cols.idle[d][n] + ns.cols.releasing[d][n] - ns.cols.pipelined[d][n]
}

// Used is what is held, by running and by releasing tasks: Allocatable - Idle.
func (ns *Nodes) Used(d resource.Dim, n NodeID) int64 {
	return ns.cols.alloc[d][n] - ns.cols.idle[d][n]
}

// HasReleasing says that some task on the node is terminating.
func (ns *Nodes) HasReleasing(n NodeID) bool { return ns.rows[n].going > 0 }

// ReleasingNodes is the number of nodes with a terminating task. Where it is 0, no task can be pipelined.
func (ns *Nodes) ReleasingNodes() int { return ns.leaving }

// Total is what all present nodes offer in dimension d.
func (ns *Nodes) Total(d resource.Dim) int64 { return ns.total.Get(d) }

// Present lists the nodes that exist, in the order of rows.
func (ns *Nodes) Present(yield func(NodeID) bool) {
	for i := range ns.rows {
		if !ns.rows[i].free && ns.rows[i].Present() && !yield(NodeID(i)) {
			return
		}
	}
}

// row returns the row of a node's name, a new one if there is none.
func (ns *Nodes) row(name string) NodeID {
	if n, ok := ns.byName[name]; ok {
		return n
	}
	n := newRow(&ns.rows, &ns.free)
	if int(n) == len(ns.hashes) {
		ns.hashes, ns.moved = append(ns.hashes, 0), append(ns.moved, 0)
		ns.widen()
	}
	ns.hashes[n] = Hash(name)
	ns.rows[n] = Node{Name: name, first: NoTask}
	ns.byName[name] = n
	ns.touchFacts(n)
	return n
}

// drop frees the row of a node that no fact, task or commitment names. Commitments count because a task
// that moved for this cycle only goes back to the node of its commitment.
func (ns *Nodes) drop(n NodeID) {
	row := &ns.rows[n]
	if row.free || row.Fact != nil || row.Tasks > 0 || row.named > 0 {
		return
	}
	delete(ns.byName, row.Name)
	*row = Node{first: NoTask, free: true}
	ns.free = append(ns.free, n)
}

// widen gives every dimension a column, every column an element for every node, and
// every queue's sums an element for every dimension. It costs nothing when no
// dimension and no node is new.
func (ns *Nodes) widen() {
	dims, nodes := ns.l.Dims.Len(), len(ns.rows)
	if dims == ns.wideDims && nodes == ns.wideNodes {
		return
	}
	for q := range ns.l.Queues.rows {
		ns.l.Queues.rows[q].widen(dims)
	}
	for _, c := range []*[][]int64{&ns.cols.alloc, &ns.cols.idle, &ns.cols.releasing, &ns.cols.pipelined, &ns.cols.room} {
		for len(*c) < ns.l.Dims.Len() {
			*c = append(*c, make([]int64, len(ns.rows), cap(ns.rows)))
		}
		for d := range *c {
			for len((*c)[d]) < len(ns.rows) {
				(*c)[d] = append((*c)[d], 0)
			}
		}
	}
	ns.wideDims, ns.wideNodes = dims, nodes
}

func (ns *Nodes) apply(name string, fact *model.Node) {
	n := ns.row(name)
	ns.l.Images.changed(ns.rows[n].Fact, fact)
	if was := ns.rows[n].Fact; was != nil && fact != nil && was.Alike(fact) {
		ns.rows[n].Fact = fact // a heartbeat: nothing that is read has changed
		return
	}
	ns.rows[n].Fact = fact
	ns.offer(n)
	ns.drop(n)
}

// Offer says what a node offers of resources that its fact does not name, or names with 0, in the place of what was
// said before: what a PluginState that follows facts of its own derives from them. It has to be said again when the
// node's fact changes.
func (ns *Nodes) Offer(n NodeID, list resource.List) {
	if slices.Equal(ns.rows[n].offers, list) {
		return
	}
	ns.rows[n].offers = list
	ns.offer(n)
}

// offer counts what a node offers by its fact, and beside it.
func (ns *Nodes) offer(n NodeID) {
	row := &ns.rows[n]
	var v resource.Vec
	if row.Present() {
		v = ns.l.Dims.VecOver(ns.l.accounts.scratch, row.Fact.Allocatable)
		for _, a := range row.offers {
			if d := ns.l.Dims.Intern(a.Name); v.Get(d) == 0 {
				v = v.Set(d, a.Value)
			}
		}
		ns.l.accounts.scratch = v
	}
	ns.setAllocatable(n, v)
	ns.l.Changes.roomEpoch++
	ns.touchFacts(n)
	ns.watch(n)
}

// setAllocatable replaces what a node offers. Idle changes by the difference.
func (ns *Nodes) setAllocatable(n NodeID, v resource.Vec) {
	ns.widen()
	again := ns.rows[n].far
	for d := range ns.cols.alloc {
		old, x := ns.cols.alloc[d][n], v.Get(resource.Dim(d))
		if old == x {
			continue
		}
		ns.cols.alloc[d][n] = x
		ns.cols.idle[d][n] += x - old
		ns.total = ns.total.AddAt(resource.Dim(d), x-old)
		ns.rerun(d, n)
		again = again || far(ns.cols.idle[d][n], ns.cols.releasing[d][n], ns.cols.pipelined[d][n])
	}
	if again {
		ns.weigh(n, nil)
	}
}

// rerun computes a node's room in one dimension from idle, releasing and pipelined.
func (ns *Nodes) rerun(d int, n NodeID) {
	idle := ns.cols.idle[d][n]
	ns.cols.room[d][n] = min(idle, idle+ns.cols.releasing[d][n]-ns.cols.pipelined[d][n])
}

// touch notes that a node's figures or facts changed, or which tasks on it may be evicted.
func (ns *Nodes) touch(n NodeID) {
	ns.moved[n]++
	ns.touchRoom(n)
}

// touchRoom is touch where room is kept on the node, or not any more: its tasks and facts are as they were.
func (ns *Nodes) touchRoom(n NodeID) { ns.l.Changes.Nodes.add(n, max(2048, len(ns.rows))) }

// Moved is a version of a node and the tasks on it: it changes with them, also in tries that fail, and not with the
// room that is kept there. A row that becomes another node's goes on counting.
func (ns *Nodes) Moved(n NodeID) uint64 { return ns.moved[n] }

// touchFacts notes that a node's labels, taints, presence or what it offers may have changed.
func (ns *Nodes) touchFacts(n NodeID) {
	ns.touch(n)
	ns.l.Changes.NodeFacts.add(n, max(512, len(ns.rows)/2))
}

// Restate says that plugins may answer otherwise about a node although no fact changed, because time has
// passed: the node is judged anew, and tasks that were refused may find room on it.
func (ns *Nodes) Restate(n NodeID) {
	ns.touchFacts(n)
	ns.l.Changes.roomEpoch++
}

// restateAll is Restate of every node, also where there is none.
func (ns *Nodes) restateAll() {
	ns.l.Changes.roomEpoch++
	for n := range ns.rows {
		if !ns.rows[n].free {
			ns.touchFacts(NodeID(n))
		}
	}
}

// Named returns the row of a node's name, a new one if there is none: for a commitment to a node that no
// fact has shown yet.
func (ns *Nodes) Named(name string) NodeID { return ns.row(name) }
