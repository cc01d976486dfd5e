package class

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// longestRun is for how many nodes the scores and what they are computed from fit a core's nearest cache.
const longestRun = 512

// scoreRun sets the scores of the nodes from first on, one for each element of scores. Where nodes are scored by
// columns, the check whether a node takes the class costs as much as its score, so it is left to the caller (sure:
// false). Otherwise nodes that do not take the class score out. sparse says that hardly any node takes the class, so
// that it pays to check first; it is set anew where that was done.
func (v *feasibility) scoreRun(first int, scores []int64, sparse *bool) (sure bool) {
	x := v.x
	if x.dense && !*sparse && !v.few {
		v.bases(first, scores)
		for _, o := range x.bulk {
			o.AddRun(v.class, ledger.NodeID(first), scores)
		}
		return false
	}
	x.nodes = v.candidates(first, len(scores), x.nodes[:0])
	nodes := v.takers(x.nodes, false)
	*sparse = len(nodes) < len(scores)/4
	x.scores = v.scoreEach(nodes, x.scores, false)
	for i := range scores {
		scores[i] = out
	}
	for i, n := range nodes {
		scores[int(n)-first] = x.scores[i]
	}
	return true
}

// bases sets the scores by facts of the nodes from first on.
func (v *feasibility) bases(first int, scores []int64) {
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

// among returns the better of best and the best of a run: scores[i] is that of the node at position first+i, and nodes
// is as in tournament. Only a node that would win is asked whether it takes the class, if the scores are not sure;
// refused is how many of these did not.
func (v *feasibility) among(best entry, nodes []ledger.NodeID, first int, scores []int64, sure bool) (winner entry,
	refused int) {
	for i, score := range scores {
		if score < best.score || score == out {
			continue
		}
		e := v.entry(nodes, first+i, score)
		switch {
		case score == best.score && (e.hash > best.hash || !v.x.before(e, best)):
		case sure || v.takes(e.node, false):
			best = e
		default:
			refused++
		}
	}
	return best, refused
}

// candidates adds to a list those of count nodes from first on that the static filters admit, where these are few, else
// all.
func (v *feasibility) candidates(first, count int, nodes []ledger.NodeID) []ledger.NodeID {
	if !v.few {
		nodes = slices.Grow(nodes, count)
		for n := range count {
			nodes = append(nodes, ledger.NodeID(first+n))
		}
		return nodes
	}
	for w := first / 64; w < words(first+count); w++ {
		for left := v.mask[w]; left != 0; left &= left - 1 {
			if n := w*64 + bits.TrailingZeros64(left); n >= first && n < first+count {
				nodes = append(nodes, ledger.NodeID(n))
			}
		}
	}
	return nodes
}

// takers keeps of some nodes those that take one more task of the class, in their order. It goes column by column, so
// that a node costs nanoseconds where only room decides. Filters of domains and of single tasks are not asked. With
// future, only nodes with terminating tasks are kept.
func (v *feasibility) takers(nodes []ledger.NodeID, future bool) []ledger.NodeID {
	if v.class.Invalid {
		return nil
	}
	if future {
		nodes = slices.DeleteFunc(nodes, func(n ledger.NodeID) bool {
			return int(n) >= v.x.l.Nodes.Len() || !v.x.l.Nodes.HasReleasing(n) || !v.fits(n, true)
		})
	} else {
		for _, need := range v.class.Need {
			room, kept := v.x.l.Nodes.Room(need.Dim), 0
			for _, n := range nodes {
				nodes[kept] = n
				if int(n) < len(room) && room[n] >= need.Amount {
					kept++
				}
			}
			nodes = nodes[:kept]
		}
	}
	if v.mask == nil && len(v.nodeFilters) == 0 {
		return nodes
	}
	kept := nodes[:0]
	for _, n := range nodes {
		if v.admits(n) && v.passes(n, future) {
			kept = append(kept, n)
		}
	}
	return kept
}

// fewScored is up to how many nodes are scored one by one: for more of them the preparation of bulk scores pays. It
// does not where the nodes are a list: the preparation looks at all nodes that changed.
const fewScored = 4

// scoreEach returns the scores of some nodes, in the memory of scores. A node need not take the class: then its score
// means nothing. single scores them one by one, as is necessary for nodes that take the class in future only.
func (v *feasibility) scoreEach(nodes []ledger.NodeID, scores []int64, single bool) []int64 {
	scores = stretch(scores, len(nodes))[:len(nodes)]
	if single || len(nodes) < fewScored {
		for i, n := range nodes {
			scores[i] = v.score(n)
		}
		return scores
	}
	for i, n := range nodes {
		scores[i] = v.flat
		if len(v.varied) > 0 {
			scores[i] = v.base(n)
		}
	}
	for _, o := range v.x.set.NodePlugins.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			bulk.AddScores(v.class, nodes, scores)
			continue
		}
		for i, n := range nodes {
			scores[i] += o.ScoreNode(v.class, n)
		}
	}
	return scores
}

// scoreDomains adds the scores of domains. With graded, the nodes stand for all that take the class, which are takers.
func (v *feasibility) scoreDomains(nodes []ledger.NodeID, takers int, scores []int64, graded bool) {
	if len(nodes) == 0 {
		return
	}
	for _, o := range v.domainOrders {
		if g, is := o.(policy.GradedOrder); is && graded {
			g.ScoreFor(v.class, nodes, takers, scores)
			continue
		}
		o.ScoreDomains(v.class, nodes, scores)
	}
}
