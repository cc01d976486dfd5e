package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// sweep finds in one pass all nodes that take a task of a class now, with their scores:
// x.nodes and x.scores, in the order of rows. It goes column by column, so that a node
// costs nanoseconds where nothing but room speaks against it.
func (x *Index) sweep(v *view, class *ledger.Class) {
	x.roomy(class)
	if len(v.narrow) > 0 || len(v.nodeFilters) > 0 {
		kept := x.nodes[:0]
		for _, n := range x.nodes {
			if v.admits(n) && v.passes(class, n, false) {
				kept = append(kept, n)
			}
		}
		x.nodes = kept
	}
	x.scoreAll(v, class)
}

// roomy lists the nodes with room for one more task of a class.
func (x *Index) roomy(class *ledger.Class) {
	x.nodes = x.nodes[:0]
	if class.Invalid {
		return
	}
	if len(class.Need) == 0 {
		for n := range x.l.NumNodes() {
			x.nodes = append(x.nodes, ledger.NodeID(n))
		}
		return
	}
	x.nodes = stretch(x.nodes, x.l.NumNodes())
	found := 0
	first := class.Need[0]
	for n, room := range x.l.Room(first.Dim) {
		x.nodes[found] = ledger.NodeID(n)
		if room >= first.Amount {
			found++
		}
	}
	for _, need := range class.Need[1:] {
		room, kept := x.l.Room(need.Dim), 0
		for _, n := range x.nodes[:found] {
			x.nodes[kept] = n
			if room[n] >= need.Amount {
				kept++
			}
		}
		found = kept
	}
	x.nodes = x.nodes[:found]
}

// scoreAll scores the nodes that were found.
func (x *Index) scoreAll(v *view, class *ledger.Class) {
	x.scores = stretch(x.scores, len(x.nodes))[:len(x.nodes)]
	for i := range x.scores {
		x.scores[i] = v.flat
	}
	if len(v.varied) > 0 {
		for i, n := range x.nodes {
			x.scores[i] = v.base(n)
		}
	}
	for _, o := range x.set.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			bulk.AddScores(class, x.nodes, x.scores)
			continue
		}
		for i, n := range x.nodes {
			x.scores[i] += o.ScoreNode(class, n)
		}
	}
}

// bestSwept is the best of the nodes that a sweep found.
func (x *Index) bestSwept(class *ledger.Class) (ledger.NodeID, int64) {
	if len(x.nodes) == 0 {
		return ledger.NoNode, 0
	}
	best := entry{x.scores[0], x.tie(class, x.nodes[0]), x.nodes[0]}
	for i, s := range x.scores {
		if s < best.score {
			continue
		}
		if e := (entry{s, x.tie(class, x.nodes[i]), x.nodes[i]}); x.before(e, best) {
			best = e
		}
	}
	return best.node, best.score
}
