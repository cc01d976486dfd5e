package drf

import (
	"cmp"
	"fmt"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// hierarchical is drf with an order of queues and an opinion on reclaiming.
type hierarchical struct {
	*plugin
	tree tree
}

// Open lets the sums be made anew: what nodes offer may have changed.
func (h *hierarchical) Open(*trace.Recorder) { h.tree.figures = 0 }

// Problems are the weights that contradict each other.
func (h *hierarchical) Problems() []policy.Problem { return h.tree.settled().problems }

// CompareQueues puts the queue first whose side has had less of its due: see tree.
func (h *hierarchical) CompareQueues(a, b ledger.QueueID) int { return h.tree.settled().compare(a, b) }

// ServingMovesOthers says that what a queue is given counts for all below its ancestors.
func (h *hierarchical) ServingMovesOthers() bool { return true }

// Way is the nodes on a queue's way, all in one band.
func (h *hierarchical) Way(q ledger.QueueID, buf []int32) (band int64, way []int32, ok bool) {
	t := h.tree.settled()
	if int(q) >= len(t.ways) || len(t.ways[q]) == 0 {
		return 0, buf, false
	}
	return 0, append(buf, t.ways[q]...), true
}

// CompareNodes orders two nodes below the same one.
func (h *hierarchical) CompareNodes(a, b int32) int { return h.tree.settled().apart(a, b) }

// tree is the hierarchy that queues name in the annotations volcano.sh/hierarchy and
// volcano.sh/hierarchy-weights: every level of a path is a node, and the queue itself
// the leaf below the last, with weight 1. A queue that names no path is a leaf below the
// top.
//
// Two queues are compared where their ways part: there each has a node, the one whose
// dominant share by weight is smaller goes first, and nothing below it counts. Of equal
// ones it is the node whose first queue by name comes first: were they left to other
// plugins, queues below them could come out in a circle. A node's share is that of all
// that its queues hold together.
//
// A node of which no queue has anything to place takes no turns; no rule is needed for
// it. What the paper on hierarchical DRF does beyond this is left out: it scales what a
// node's children hold down to the poorest child that still asks. Without that, a node
// whose children want different resources can be behind for what one of them alone has
// taken.
type tree struct {
	l        *ledger.Ledger
	nodes    []node
	ways     [][]int32       // by QueueID: the nodes from below the top to the queue's own
	shape    uint64          // of the ledger, when the tree was grown
	figures  uint64          // … and when the sums were made; 0: they are to be made anew
	mark     uint64          // of ledger.Served then
	held     []resource.Sums // by QueueID: what is in the sums
	grown    bool
	problems []policy.Problem
}

// node is one level of a path, or a queue. Its number follows the names of queues.
type node struct {
	weight int64
	by     string // the queue that gave it its weight
	holds  resource.Sums
	share  fair.Ratio
}

// settled is the tree as facts and figures stand now.
func (t *tree) settled() *tree {
	if !t.grown || t.shape != t.l.Shape() {
		t.grow()
		t.grown, t.shape, t.figures = true, t.l.Shape(), 0
	}
	if now := t.l.Figures() + 1; t.figures != now { // 0: none yet
		queues, mark, known := t.l.Served(t.mark)
		if t.figures == 0 || !known {
			t.sum()
		} else {
			for _, q := range queues {
				t.move(q)
			}
		}
		t.figures, t.mark = now, mark
	}
	return t
}

// grow makes the nodes, queue by queue in the order of names.
func (t *tree) grow() {
	var queues []ledger.QueueID
	t.l.Queues(func(q ledger.QueueID) bool {
		if t.l.Queue(q).Place == ledger.Sound && t.l.Queue(q).Leaf() {
			queues = append(queues, q)
		}
		return true
	})
	slices.SortFunc(queues, func(a, b ledger.QueueID) int { return cmp.Compare(t.l.Queue(a).Name, t.l.Queue(b).Name) })
	t.nodes, t.problems = t.nodes[:0], nil
	t.ways = make([][]int32, t.l.NumQueues())
	byPath := map[string]int32{}
	for _, q := range queues {
		path := ""
		for _, level := range levels(t.l.Queue(q).Fact) {
			path += "/" + level.Name
			at, known := byPath[path]
			if !known {
				at = t.node(level.Weight, t.l.Queue(q).Name)
				byPath[path] = at
			}
			t.agree(at, path, level.Weight, t.l.Queue(q).Name)
			t.ways[q] = append(t.ways[q], at)
		}
		t.ways[q] = append(t.ways[q], t.node(1000, ""))
	}
}

func levels(f *model.Queue) []model.Level {
	if f == nil {
		return nil
	}
	return f.Path
}

func (t *tree) node(weight int64, by string) int32 {
	t.nodes = append(t.nodes, node{weight: weight, by: by})
	return int32(len(t.nodes) - 1)
}

// agree notes a queue that gives a node another weight than the first queue by name did.
func (t *tree) agree(at int32, path string, weight int64, queue string) {
	if n := &t.nodes[at]; n.weight != weight {
		t.problems = append(t.problems, policy.Problem{Object: "Queue/" + queue, Message: fmt.Sprintf(
			"volcano.sh/hierarchy-weights: root%s has weight %s here and %s in queue %s, whose weight is taken",
			path, thousandths(weight), thousandths(n.weight), n.by)})
	}
}

// thousandths writes 1500 as 1.5.
func thousandths(x int64) string {
	text := fmt.Sprintf("%d.%03d", x/1000, x%1000)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// sum works out what every node holds.
func (t *tree) sum() {
	for i := range t.nodes {
		clear(t.nodes[i].holds)
	}
	for len(t.held) < len(t.ways) {
		t.held = append(t.held, nil)
	}
	for q := range t.ways {
		clear(t.held[q])
		t.add(ledger.QueueID(q))
	}
	for i := range t.nodes {
		t.nodes[i].share = dominant(t.l, t.nodes[i].holds, nil)
	}
}

// move puts right what the nodes above one queue hold.
func (t *tree) move(q ledger.QueueID) {
	if int(q) >= len(t.ways) {
		return
	}
	t.add(q)
	for _, at := range t.ways[q] {
		t.nodes[at].share = dominant(t.l, t.nodes[at].holds, nil)
	}
}

// add adds to the nodes above a queue what it holds by now.
func (t *tree) add(q ledger.QueueID) {
	allocated := t.l.Queue(q).Allocated
	was := wide(t.held[q], len(allocated))
	for _, at := range t.ways[q] {
		n := &t.nodes[at]
		n.holds = wide(n.holds, len(allocated))
		for d := range allocated {
			n.holds[d] = n.holds[d].PlusSum(allocated[d], 1).PlusSum(was[d], -1)
		}
	}
	copy(was, allocated)
	t.held[q] = was
}

func wide(s resource.Sums, n int) resource.Sums {
	for len(s) < n {
		s = append(s, resource.Sum{})
	}
	return s
}

// apart orders two nodes below the same one.
func (t *tree) apart(a, b int32) int {
	n, m := &t.nodes[a], &t.nodes[b]
	return cmp.Or(n.share.CompareWeighted(n.weight, m.share, m.weight), cmp.Compare(a, b))
}

// compare is the order of two queues where their ways part. One that has no way (out of
// place) is level with all.
func (t *tree) compare(a, b ledger.QueueID) int {
	x, y := t.fork(a, b)
	if x == y {
		return 0
	}
	return t.apart(x, y)
}

// fork finds where the ways of two queues part: the node of each there; the same number
// twice when they do not, or one of them has no way.
func (t *tree) fork(a, b ledger.QueueID) (int32, int32) {
	if a < 0 || b < 0 || int(a) >= len(t.ways) || int(b) >= len(t.ways) {
		return 0, 0
	}
	x, y := t.ways[a], t.ways[b]
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i], y[i]
		}
	}
	return 0, 0
}

// part is fork with the nodes themselves, and false where there is none.
func (t *tree) part(a, b ledger.QueueID) (x, y *node, ok bool) {
	i, j := t.fork(a, b)
	if i == j {
		return nil, nil, false
	}
	return &t.nodes[i], &t.nodes[j], true
}
