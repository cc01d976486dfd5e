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
)

// hierarchical is drf with an order of queues and an opinion on reclaiming.
type hierarchical struct {
	*plugin
	tree tree
}

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

// Standing is what a node is ordered by among those below the same one: see tree.
func (h *hierarchical) Standing(at int32) policy.Standing { return h.tree.settled().standing(at) }

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
	shape    uint64          // of the ledger, when nodes, totals and sums were looked after
	granted  uint64          // mark of ledger.Granted then; 0: the tree was never grown
	served   uint64          // mark of ledger.Served, and what it is by now …
	figures  uint64          // … of Figures, when the sums were made
	totals   resource.Vec    // what the shares are of
	held     []resource.Sums // by QueueID: what is in the sums
	problems []policy.Problem
}

// node is one level of a path, or a queue. Its number follows the names of queues.
type node struct {
	weight int64
	by     string // the queue that gave it its weight
	holds  resource.Sums
	share  fair.Ratio // see tree.share
	shared bool       // … which is that of what it holds now
}

// settled is the tree as facts and figures stand now.
func (t *tree) settled() *tree {
	if t.granted == 0 || t.shape != t.l.Shape() {
		t.follow()
	}
	if now := t.l.Figures(); t.figures != now {
		queues, mark, known := t.l.Served(t.served)
		if !known {
			t.addAll()
		}
		for _, q := range queues {
			t.add(q)
		}
		t.figures, t.served = now, mark
	}
	return t
}

// follow takes in what queues are granted and what nodes offer: the tree is grown anew when
// a queue's fact changed, and shares are found anew when the totals did.
func (t *tree) follow() {
	queues, mark, known := t.l.Granted(t.granted)
	if !known || len(queues) > 0 {
		t.grow()
		t.addAll()
		t.figures = t.l.Figures()
		_, t.served, _ = t.l.Served(0)
	}
	t.shape, t.granted = t.l.Shape(), mark
	if t.measure() {
		for i := range t.nodes {
			t.nodes[i].shared = false
		}
	}
}

// measure reads what nodes offer, and says whether that is not what it was.
func (t *tree) measure() (changed bool) {
	for d := range resource.Dim(t.l.Dims.Len()) {
		switch total := t.l.Total(d); {
		case int(d) >= len(t.totals):
			t.totals, changed = append(t.totals, total), true
		case t.totals[d] != total:
			t.totals[d], changed = total, true
		}
	}
	return changed
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
	t.ways, t.held = make([][]int32, t.l.NumQueues()), make([]resource.Sums, t.l.NumQueues())
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

// addAll adds to the nodes what every queue holds more by now.
func (t *tree) addAll() {
	for q := range t.ways {
		t.add(ledger.QueueID(q))
	}
}

// add adds to the nodes above a queue what it holds more by now.
func (t *tree) add(q ledger.QueueID) {
	if int(q) >= len(t.held) {
		return
	}
	allocated := t.l.Queue(q).Allocated
	was := wide(t.held[q], len(allocated))
	t.held[q] = was
	for d, now := range allocated {
		if now == was[d] {
			continue
		}
		more := now.PlusSum(was[d], -1)
		was[d] = now
		for _, at := range t.ways[q] {
			n := &t.nodes[at]
			if d >= len(n.holds) {
				n.holds = wide(n.holds, len(allocated))
			}
			n.holds[d], n.shared = n.holds[d].PlusSum(more, 1), false
		}
	}
}

// share is a node's dominant share. It is found again only after what the node holds moved.
func (t *tree) share(at int32) fair.Ratio {
	n := &t.nodes[at]
	if !n.shared {
		n.share, n.shared = t.dominant(n.holds), true
	}
	return n.share
}

// dominant is the largest part of what nodes offer in what is held.
func (t *tree) dominant(held resource.Sums) (most fair.Ratio) {
	for d, total := range t.totals[:min(len(held), len(t.totals))] {
		if has := held[d].Int64(); has > 0 && total > 0 && d != int(resource.Pods) {
			if r := fair.Share(has, total); r.Compare(most) > 0 {
				most = r
			}
		}
	}
	return most
}

func wide(s resource.Sums, n int) resource.Sums {
	for len(s) < n {
		s = append(s, resource.Sum{})
	}
	return s
}

// standing is what a node is ordered by: its share by weight, then its number, which is that
// of its first queue by name.
func (t *tree) standing(at int32) policy.Standing {
	return policy.Standing{Share: t.share(at), Weight: t.nodes[at].weight, Rank: at}
}

// compare is the order of two queues where their ways part. One that has no way (out of
// place) is level with all.
func (t *tree) compare(a, b ledger.QueueID) int {
	x, y := t.fork(a, b)
	if x == y {
		return 0
	}
	one, other := t.standing(x), t.standing(y)
	return one.Compare(&other)
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

// part is fork with the nodes themselves, their shares found, and false where there is none.
func (t *tree) part(a, b ledger.QueueID) (x, y *node, ok bool) {
	i, j := t.fork(a, b)
	if i == j {
		return nil, nil, false
	}
	t.share(i)
	t.share(j)
	return &t.nodes[i], &t.nodes[j], true
}
