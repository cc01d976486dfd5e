package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Best returns the node that a task should take now, of those with room: the highest
// score, then the hash, then the name. NoNode when there is none.
func (x *Index) Best(t ledger.TaskID) (ledger.NodeID, int64) {
	r := x.fresh(x.l.Task(t).Class)
	if len(r.heap) == 0 {
		return ledger.NoNode, 0
	}
	if len(r.taskFilters) > 0 {
		return x.bestAsked(r, t)
	}
	return r.heap[0].node, r.heap[0].score
}

// bestAsked asks the filters that look at single tasks about the best node, then the
// next, until one passes. What was taken off the heap goes back.
func (x *Index) bestAsked(r *row, t ledger.TaskID) (ledger.NodeID, int64) {
	found, score := ledger.NoNode, int64(0)
	r.stash = r.stash[:0]
	for len(r.heap) > 0 {
		top := r.heap[0]
		if x.asked(r, t, top.node, false).Admits() {
			found, score = top.node, top.score
			break
		}
		r.stash = append(r.stash, top)
		r.remove(x, top.node)
	}
	for _, e := range r.stash {
		r.put(x, e)
	}
	return found, score
}

func (x *Index) asked(r *row, t ledger.TaskID, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range r.taskFilters {
		if v := f.FilterTask(t, n, future); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

// BestWithin is Best among the nodes of a domain only: a scan of the domain, so that
// a node may join or leave it at any time without renumbering anything.
func (x *Index) BestWithin(t ledger.TaskID, domain []ledger.NodeID) (ledger.NodeID, int64) {
	r := x.fresh(x.l.Task(t).Class)
	best := entry{node: ledger.NoNode}
	for _, n := range domain {
		if int(n) >= len(r.pos) || r.pos[n] < 0 {
			continue
		}
		e := r.heap[r.pos[n]]
		if (best.node == ledger.NoNode || x.before(e, best)) && x.asked(r, t, n, false).Admits() {
			best = e
		}
	}
	return best.node, best.score
}

// BestFuture returns the node on which a task should wait for room that terminating
// tasks are freeing. NoNode when there is none.
func (x *Index) BestFuture(t ledger.TaskID) (ledger.NodeID, int64) {
	best := entry{node: ledger.NoNode}
	if x.l.ReleasingNodes() == 0 {
		return best.node, 0
	}
	c := x.l.Task(t).Class
	r, class := x.fresh(c), x.l.Class(c)
	for i := range r.pos {
		n := ledger.NodeID(i)
		if !x.l.Releases(n) || !x.admitsFuture(r, class, t, n) {
			continue
		}
		if e := (entry{x.score(r, class, n), x.tie(class, n), n}); best.node == ledger.NoNode || x.before(e, best) {
			best = e
		}
	}
	return best.node, best.score
}

func (x *Index) admitsFuture(r *row, class *ledger.Class, t ledger.TaskID, n ledger.NodeID) bool {
	return r.admits[n] && x.fitsFuture(class, n) && x.filtersPass(r, class, n, true) && x.asked(r, t, n, true).Admits()
}

func (x *Index) fitsFuture(class *ledger.Class, n ledger.NodeID) bool {
	for _, need := range class.Need {
		if x.l.FutureIdle(need.Dim, n) < need.Amount {
			return false
		}
	}
	return true
}

// Takes says whether a task may take a given node now, or (future) wait for it there:
// how a nominated node is tried.
func (x *Index) Takes(t ledger.TaskID, n ledger.NodeID, future bool) bool {
	c := x.l.Task(t).Class
	r, class := x.fresh(c), x.l.Class(c)
	if int(n) >= len(r.pos) {
		return false
	}
	if future {
		return x.admitsFuture(r, class, t, n)
	}
	return r.pos[n] >= 0 && x.asked(r, t, n, false).Admits()
}

// Capacity is how many tasks of a class the nodes have room for now, counted up to
// want: less than want means that no way of placing want of them exists. Filters that
// look at who sits on a node could lower the true number further.
func (x *Index) Capacity(c ledger.ClassID, want int64) int64 {
	r, class := x.fresh(c), x.l.Class(c)
	if len(class.Need) == 0 {
		return min(want, int64(len(r.heap))*want)
	}
	sum := int64(0)
	for _, e := range r.heap {
		fit := want
		for _, need := range class.Need {
			fit = min(fit, x.l.Room(need.Dim)[e.node]/need.Amount)
		}
		if sum += fit; sum >= want {
			return want
		}
	}
	return sum
}

// Feasible is the number of nodes that have room for a class now.
func (x *Index) Feasible(c ledger.ClassID) int { return len(x.fresh(c).heap) }
