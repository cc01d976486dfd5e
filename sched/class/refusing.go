package class

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// refusing gathers in x.vain the nodes that filters of single tasks are known to refuse for a task. It returns
// true when those are more than half: then it costs less to list the others than to take them out of the tournament.
func (x *Index) refusing(v *feasibility, t ledger.TaskID) bool {
	nodes := x.l.Nodes.Len()
	x.vain = stretch(x.vain[:0], words(nodes))
	clear(x.vain)
	for _, f := range v.taskFilters {
		if f, is := f.(policy.Refuser); is {
			for i, known := range f.Refusing(t) {
				x.vain[i] |= known
			}
		}
	}
	return 2*x.vain.count() > nodes
}

// everywhere says that a filter other than those that know nodes to refuse refuses the task wherever it is asked:
// it is asked about one of these nodes, as it would be if nothing were known.
func (x *Index) everywhere(r *row, class *ledger.Class, t ledger.TaskID) bool {
	if !slices.ContainsFunc(r.taskFilters, func(f policy.TaskFilter) bool { _, is := f.(policy.Refuser); return !is }) {
		return false
	}
	for w, vain := range x.vain {
		for left := vain; left != 0; left &= left - 1 {
			n := ledger.NodeID(w*64 + bits.TrailingZeros64(left))
			if x.judge.takes(&r.feasibility, class, n) {
				return x.asked(&r.feasibility, t, n, false).Everywhere
			}
		}
	}
	return false
}

// bestOfRest asks the filters that look at single tasks about the nodes that they are not known to refuse, from
// the best on, until one passes.
func (x *Index) bestOfRest(r *row, t ledger.TaskID) (ledger.NodeID, int64) {
	class := x.l.Class(r.id)
	if x.everywhere(r, class, t) {
		return ledger.NoNode, 0
	}
	x.nodes = x.nodes[:0]
	for w, vain := range x.vain {
		for left := ^vain; left != 0; left &= left - 1 {
			n := w*64 + bits.TrailingZeros64(left)
			if n < x.l.Nodes.Len() && x.judge.takes(&r.feasibility, class, ledger.NodeID(n)) {
				x.nodes = append(x.nodes, ledger.NodeID(n))
			}
		}
	}
	if len(x.nodes) == 0 {
		return ledger.NoNode, 0
	}
	x.scores = x.order.scoreAll(&r.feasibility, class, x.nodes, x.scores)
	r.popped = r.popped[:0]
	for i, n := range x.nodes {
		r.popped = append(r.popped, entry{x.scores[i], x.order.tie(class, n), n})
	}
	slices.SortFunc(r.popped, func(a, b entry) int {
		if x.order.before(a, b) {
			return -1
		}
		return 1
	})
	for _, e := range r.popped {
		switch v := x.asked(&r.feasibility, t, e.node, false); {
		case v.Admits():
			return e.node, e.score
		case v.Everywhere:
			return ledger.NoNode, 0
		}
	}
	return ledger.NoNode, 0
}
