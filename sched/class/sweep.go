package class

import (
	"math/bits"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// sweep finds the best of all nodes for a class in one pass.
func (to *tournaments) sweep(v *feasibility, class *ledger.Class) entry {
	nodes := to.x.l.Nodes.Len()
	if v.few {
		to.takers(v, class, 0, nodes)
		to.x.scores = to.scoreAll(v, class, to.x.nodes, to.x.scores)
		to.x.near.add(to.x.nodes, to.x.scores)
		return to.x.bestListed(class)
	}
	best := nobody
	to.sparse = false
	for first := 0; first < nodes; first += to.longest {
		scores, sure := to.run(v, class, first, min(to.longest, nodes-first))
		to.x.near.addRun(first, scores)
		best = to.among(v, class, best, first, scores, sure)
	}
	return best
}

// run scores count nodes from first on; the scores are valid until the next run. Where nodes are scored by
// columns, the check whether a node takes the class costs as much as its score, so it is left to the caller
// (sure: false). Otherwise nodes that do not take the class score out.
func (to *tournaments) run(v *feasibility, class *ledger.Class, first, count int) (scores []int64, sure bool) {
	if to.dense && !to.sparse && !v.few {
		to.spread = stretch(to.spread, count)
		scores = to.spread[:count]
		to.bases(v, first, scores)
		for _, o := range to.bulk {
			o.AddRun(class, ledger.NodeID(first), scores)
		}
		return scores, false
	}
	to.takers(v, class, first, count)
	to.sparse = len(to.x.nodes) < count/4
	to.x.scores = to.scoreAll(v, class, to.x.nodes, to.x.scores)
	to.spread = stretch(to.spread, count)
	scores = to.spread[:count]
	for i := range scores {
		scores[i] = out
	}
	for i, n := range to.x.nodes {
		scores[int(n)-first] = to.x.scores[i]
	}
	return scores, true
}

// among returns the better of the best so far and the best of a run. Only a node that would win is asked
// whether it takes the class. Where most nodes that were asked do not, the next run asks first.
func (to *tournaments) among(v *feasibility, class *ledger.Class, best entry, first int, scores []int64, sure bool) entry {
	refused := 0
	for i, score := range scores {
		if score < best.score || score == out {
			continue
		}
		n := ledger.NodeID(first + i)
		e := entry{score, to.tie(class, n), n}
		if score == best.score && (e.hash > best.hash || !to.before(e, best)) {
			continue
		}
		if !sure && !to.x.judge.takes(v, class, n) || to.bars > 0 && to.barred.has(int(n)) {
			refused++
			continue
		}
		best = e
	}
	to.sparse = to.sparse || refused > len(scores)/2
	return best
}

// takers lists in x.nodes the nodes from first on that take one more task of a class, in the order of rows.
func (to *tournaments) takers(v *feasibility, class *ledger.Class, first, count int) {
	to.x.nodes = to.x.nodes[:0]
	switch {
	case class.Invalid:
		return
	case v.few:
		to.admitted(v, first, count)
	default:
		to.roomy(class, first, count)
	}
	if v.mask == nil && len(v.nodeFilters) == 0 {
		return
	}
	kept := to.x.nodes[:0]
	for _, n := range to.x.nodes {
		if v.admits(n) && (!v.few || to.x.judge.fits(class, n)) && v.passes(class, n, false) {
			kept = append(kept, n)
		}
	}
	to.x.nodes = kept
}

// admitted lists the nodes from first on that the static filters admit, where these are few.
func (to *tournaments) admitted(v *feasibility, first, count int) {
	for w := first / 64; w < words(first+count); w++ {
		for left := v.mask[w]; left != 0; left &= left - 1 {
			if n := w*64 + bits.TrailingZeros64(left); n >= first && n < first+count {
				to.x.nodes = append(to.x.nodes, ledger.NodeID(n))
			}
		}
	}
}

// roomy lists the nodes from first on with room for one more task of a class. It goes column by column, so
// that a node costs nanoseconds where only room decides.
func (to *tournaments) roomy(class *ledger.Class, first, count int) {
	to.x.nodes = stretch(to.x.nodes, count)[:count]
	for i := range to.x.nodes {
		to.x.nodes[i] = ledger.NodeID(first + i)
	}
	for _, need := range class.Need {
		room, kept := to.x.l.Nodes.Room(need.Dim), 0
		for _, n := range to.x.nodes {
			to.x.nodes[kept] = n
			if room[n] >= need.Amount {
				kept++
			}
		}
		to.x.nodes = to.x.nodes[:kept]
	}
}

// bases sets the scores by facts of the nodes from first on.
func (to *tournaments) bases(v *feasibility, first int, scores []int64) {
	if len(v.varied) == 0 {
		for i := range scores {
			scores[i] = v.flat
		}
		return
	}
	for i := range scores {
		scores[i] = v.base(ledger.NodeID(first + i))
	}
}

// scoreAll scores some nodes. Where they are scored by columns, they need not take the class; the score of a
// node that does not means nothing.
func (to *tournaments) scoreAll(v *feasibility, class *ledger.Class, nodes []ledger.NodeID, scores []int64) []int64 {
	scores = stretch(scores, len(nodes))[:len(nodes)]
	for i, n := range nodes {
		scores[i] = v.flat
		if len(v.varied) > 0 {
			scores[i] = v.base(n)
		}
	}
	for _, o := range to.x.set.NodePlugins.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			bulk.AddScores(class, nodes, scores)
			continue
		}
		for i, n := range nodes {
			scores[i] += o.ScoreNode(class, n)
		}
	}
	return scores
}

// found returns the node and its score, NoNode without one.
func (e entry) found() (ledger.NodeID, int64) {
	if e.node == ledger.NoNode {
		return ledger.NoNode, 0
	}
	return e.node, e.score
}

// bestListed returns the best of the listed nodes.
func (x *Index) bestListed(class *ledger.Class) entry {
	best := nobody
	for i, s := range x.scores {
		if s < best.score {
			continue
		}
		if e := (entry{s, x.order.tie(class, x.nodes[i]), x.nodes[i]}); x.order.before(e, best) {
			best = e
		}
	}
	return best
}
