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

// hierarchical is drf with an order of queues and a judgement on reclaiming.
type hierarchical struct {
	*plugin
	tree tree
}

// Problems are the weights that contradict each other.
func (h *hierarchical) Problems() []policy.Problem { return h.tree.upToDate().problems }

// CompareQueues puts the queue first of which the side has the smaller weighted share: see tree.
func (h *hierarchical) CompareQueues(a, b ledger.QueueID) int { return h.tree.upToDate().compare(a, b) }

// ServingMovesOthers says that what a queue gets counts for all queues below its ancestors.
func (h *hierarchical) ServingMovesOthers() bool { return true }

// Path is the nodes on a queue's path, all in one band.
func (h *hierarchical) Path(q ledger.QueueID, buf []int32) (band int64, path []int32, ok bool) {
	t := h.tree.upToDate()
	if int(q) >= len(t.queues) || len(t.queues[q].way) == 0 {
		return 0, buf, false
	}
	return 0, append(buf, t.queues[q].way...), true
}

// SiblingKey is what a node is ordered by among its siblings: see tree.
func (h *hierarchical) SiblingKey(at int32) policy.SiblingKey {
	return h.tree.upToDate().siblingKey(at)
}

// tree is the hierarchy that queues name in the annotations volcano.sh/hierarchy and
// volcano.sh/hierarchy-weights: every level of a path is a node, and the queue itself is the leaf below
// the last, with weight 1. A queue that names no path is a leaf below the root.
//
// Two queues are compared where their paths part: each has a node there; the node with the smaller
// dominant share by weight goes first, and nothing below it counts. Of equal nodes, the one of which the first
// queue by name comes first goes first: if other plugins decided between them, the order of queues
// below them could be circular. A node's share is that of all that its queues hold together.
//
// A node of which no queue has anything to place takes no turns; no rule is needed for that. One rule
// of the paper on hierarchical DRF is left out: it scales what a node's children hold down to the
// poorest child that still asks for something. Without that rule, a node of which the children need different
// resources can be behind because of what only one of them holds.
type tree struct {
	l         *ledger.Ledger
	memory    policy.Memory // of the order; reclaiming goes by shares without it
	nodes     []node
	queues    []queue       // by QueueID
	shape     uint64        // Changes.SpecEpoch when nodes, totals and sums were updated
	specSeen  ledger.Cursor // of the specs of queues then; 0: the tree was never built
	usageSeen ledger.Cursor // of the usage of queues, when the sums were made
	totals    resource.Vec  // what nodes offer: shares are parts of it
	wide      int           // the number of dimensions in the sums
	problems  []policy.Problem
}

// queue is what is known of a queue. The paths of all queues are next to each other in memory, and so
// are the sums: a rotation visits hundreds of queues in turn.
type queue struct {
	way  []int32       // the nodes from below the root to its own; none: it has no sound position
	held resource.Sums // what is in the sums of those nodes: that of its own, in the same place
}

// node is one level of a path, or a queue. Its number follows the names of queues.
type node struct {
	share  fair.Ratio // see tree.share
	shared bool       // share is up to date
	weight int64
	holds  resource.Sums

	queues     []ledger.QueueID // below it, or its own; only where usage is remembered
	used       []fair.Average   // of these together, by dimension
	usedOf     uint64           // the memory's version then, plus one
	remembered fair.Ratio       // see tree.lately
	known      bool             // remembered is up to date
}

// upToDate is the tree, up to date with facts and figures.
func (t *tree) upToDate() *tree {
	if t.specSeen == 0 || t.shape != t.l.Changes.SpecEpoch() {
		t.follow()
	}
	queues, known := t.l.Changes.QueueUsage.Follow(&t.usageSeen)
	if !known {
		t.addAll()
	}
	for _, q := range queues {
		t.add(q)
	}
	return t
}

// follow takes in changes of queues' specs and of what nodes offer: the tree is built anew when a
// queue's fact changed, and shares are computed anew when the totals did.
func (t *tree) follow() {
	queues, known := t.l.Changes.QueueSpecs.Follow(&t.specSeen)
	if !known || len(queues) > 0 {
		t.grow()
		t.addAll()
		t.usageSeen = t.l.Changes.QueueUsage.Now()
	}
	t.shape = t.l.Changes.SpecEpoch()
	if t.measure() {
		for i := range t.nodes {
			t.nodes[i].shared, t.nodes[i].known = false, false
		}
	}
}

// measure reads what nodes offer, and returns whether that changed.
func (t *tree) measure() (changed bool) {
	for d := range resource.Dim(t.l.Dims.Len()) {
		switch total := t.l.Nodes.Total(d); {
		case int(d) >= len(t.totals):
			t.totals, changed = append(t.totals, total), true
		case t.totals[d] != total:
			t.totals[d], changed = total, true
		}
	}
	return changed
}

// grow builds the nodes, queue by queue in the order of names.
func (t *tree) grow() {
	var queues []ledger.QueueID
	t.l.Queues.Each(func(q ledger.QueueID) bool {
		if t.l.Queue(q).Place == ledger.Sound && t.l.Queue(q).Leaf() {
			queues = append(queues, q)
		}
		return true
	})
	slices.SortFunc(queues, func(a, b ledger.QueueID) int { return cmp.Compare(t.l.Queue(a).Name, t.l.Queue(b).Name) })
	t.nodes, t.problems, t.wide = t.nodes[:0], nil, 0
	t.queues = make([]queue, t.l.Queues.Len())
	byPath, by := map[string]int32{}, map[int32]string{}
	ways := make([]int32, 0, 4*len(queues))
	for _, q := range queues {
		path, from := "", len(ways)
		for _, level := range levels(t.l.Queue(q).Fact) {
			path += "/" + level.Name
			at, known := byPath[path]
			if !known {
				at = t.node(level.Weight)
				byPath[path], by[at] = at, t.l.Queue(q).Name
			}
			t.agree(at, path, level.Weight, t.l.Queue(q).Name, by[at])
			ways = append(ways, at)
		}
		ways = append(ways, t.node(1000))
		t.queues[q].way = ways[from:len(ways):len(ways)]
		if t.memory.Weight > 0 {
			for _, at := range t.queues[q].way {
				t.nodes[at].queues = append(t.nodes[at].queues, q)
			}
		}
	}
}

func levels(f *model.Queue) []model.Level {
	if f == nil {
		return nil
	}
	return f.Path
}

func (t *tree) node(weight int64) int32 {
	t.nodes = append(t.nodes, node{weight: weight})
	return int32(len(t.nodes) - 1)
}

// agree notes a queue that gives a node another weight than the first queue by name did.
func (t *tree) agree(at int32, path string, weight int64, queue, first string) {
	if n := &t.nodes[at]; n.weight != weight {
		t.problems = append(t.problems, policy.Problem{Object: "Queue/" + queue, Message: fmt.Sprintf(
			"volcano.sh/hierarchy-weights: root%s has weight %s here and %s in queue %s, whose weight is taken",
			path, thousandths(weight), thousandths(n.weight), first)})
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

// addAll adds to the nodes what changed in what every queue holds.
func (t *tree) addAll() {
	for q := range t.queues {
		t.add(ledger.QueueID(q))
	}
}

// add adds to the nodes above a queue what changed in what it holds.
func (t *tree) add(q ledger.QueueID) {
	if int(q) >= len(t.queues) || len(t.queues[q].way) == 0 {
		return
	}
	allocated := t.l.Queue(q).Allocated
	if len(allocated) > t.wide {
		t.widen(len(allocated))
	}
	row := &t.queues[q]
	above, own := row.way[:len(row.way)-1], row.way[len(row.way)-1]
	for d, now := range allocated {
		was := row.held[d]
		if now == was {
			continue
		}
		row.held[d], t.nodes[own].shared, t.nodes[own].known = now, false, false
		more := now.PlusSum(was, -1)
		for _, at := range above {
			n := &t.nodes[at]
			n.holds[d], n.shared, n.known = n.holds[d].PlusSum(more, 1), false, false
		}
	}
}

// widen makes room in all sums for that many dimensions.
func (t *tree) widen(dims int) {
	t.wide = dims
	all := make(resource.Sums, len(t.nodes)*dims)
	for i := range t.nodes {
		n := &t.nodes[i]
		wide := all[i*dims : (i+1)*dims : (i+1)*dims]
		copy(wide, n.holds)
		n.holds = wide
	}
	for i := range t.queues {
		if row := &t.queues[i]; len(row.way) > 0 {
			row.held = t.nodes[row.way[len(row.way)-1]].holds
		}
	}
}

// share is a node's dominant share. It is computed again only after what the node holds changed.
func (t *tree) share(at int32) fair.Ratio {
	n := &t.nodes[at]
	if !n.shared {
		n.share, n.shared = t.dominant(n.holds), true
	}
	return n.share
}

// lately is a node's dominant share with what its queues used lately: the order of queues.
func (t *tree) lately(at int32) fair.Ratio {
	if t.memory.Weight == 0 {
		return t.share(at)
	}
	n, version := &t.nodes[at], t.memory.Version(t.l)+1
	if n.usedOf != version {
		n.used, n.usedOf, n.known = n.used[:0], version, false
		for d := range t.totals {
			var sum fair.Average
			for _, q := range n.queues {
				sum = sum.Plus(t.l.Usage.OfQueue(q, resource.Dim(d)))
			}
			n.used = append(n.used, sum)
		}
	}
	if !n.known {
		n.remembered, n.known = fair.Ratio{}, true
		for d, total := range t.totals[:len(n.used)] {
			if total <= 0 || d == int(resource.Pods) {
				continue
			}
			r := fair.Remembered(n.holds.Get(resource.Dim(d)), n.used[d], total, t.memory.Weight)
			if r.Compare(n.remembered) > 0 {
				n.remembered = r
			}
		}
	}
	return n.remembered
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

// siblingKey is what a node is ordered by: its share by weight, then its number, which follows its first
// queue by name.
func (t *tree) siblingKey(at int32) policy.SiblingKey {
	return policy.SiblingKey{Share: t.lately(at), Weight: t.nodes[at].weight, Rank: at}
}

// compare is the order of two queues where their paths part. A queue without a path (no sound position)
// is equal to all.
func (t *tree) compare(a, b ledger.QueueID) int {
	x, y := t.fork(a, b)
	if x == y {
		return 0
	}
	one, other := t.siblingKey(x), t.siblingKey(y)
	return one.Compare(&other)
}

// fork finds where the paths of two queues part: the node of each there; the same number twice when
// they do not part, or one of them has no path.
func (t *tree) fork(a, b ledger.QueueID) (int32, int32) {
	if a < 0 || b < 0 || int(a) >= len(t.queues) || int(b) >= len(t.queues) {
		return 0, 0
	}
	x, y := t.queues[a].way, t.queues[b].way
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i], y[i]
		}
	}
	return 0, 0
}

// part is fork with the nodes themselves, their shares computed; false where there is none.
func (t *tree) part(a, b ledger.QueueID) (x, y *node, ok bool) {
	i, j := t.fork(a, b)
	if i == j {
		return nil, nil, false
	}
	t.share(i)
	t.share(j)
	return &t.nodes[i], &t.nodes[j], true
}
