package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Best returns the node that a task should take now, among those with room: the one with the highest score,
// then by hash, then by name; or the choice of a BestNode plugin. NoNode when there is none.
func (x *Index) Best(t ledger.TaskID) (ledger.NodeID, int64) {
	if x.scans() {
		return x.bestScanned(t, nil, false)
	}
	r := x.rows.look(x.l.Task(t).Class)
	x.placeNear(r, t)
	near := x.near.scores != nil
	if r.nearby() || near && (len(r.taskFilters) > 0 || x.lasting(r)) {
		return x.domains.best(r, t)
	}
	if len(r.taskFilters) > 0 {
		if x.refusing(&r.feasibility, t) {
			return x.bestOfRest(r, t)
		}
		return x.bestAsked(x.rows.ranked(r), t)
	}
	if !near && (r.rounds != nil || x.lasting(r)) {
		x.rows.ranked(r)
	}
	if near || r.rounds == nil {
		return x.order.bestSwept(r)
	}
	if top := x.order.top(r, x.l.Class(r.id)); top.node != ledger.NoNode {
		return top.node, top.score
	}
	return ledger.NoNode, 0
}

// bestSwept looks at all nodes, unless it is known that none takes the class.
func (to *tournaments) bestSwept(r *row) (ledger.NodeID, int64) {
	class := to.x.l.Class(r.id)
	if r.tallies[0].none > 0 && to.x.room.any(&r.tallies[0], r, class, false) == 0 {
		return ledger.NoNode, 0
	}
	best := to.sweep(&r.feasibility, class)
	if best.node == ledger.NoNode {
		r.tallies[0].none = to.x.l.Changes.Nodes.Now()
		return ledger.NoNode, 0
	}
	r.sweeps++
	return best.node, best.score
}

// bestAsked asks the filters that look at single tasks about the best node, then the next one, until one
// passes. Nodes taken out of the tournament for that are put back.
func (x *Index) bestAsked(r *row, t ledger.TaskID) (ledger.NodeID, int64) {
	found, score := ledger.NoNode, int64(0)
	r.popped = r.popped[:0]
	x.order.barred = stretch(x.order.barred, words(x.l.Nodes.Len()))
	class := x.l.Class(r.id)
	for top := x.order.top(r, class); top.node != ledger.NoNode; top = x.order.top(r, class) {
		v := x.asked(&r.feasibility, t, top.node, false)
		if v.Admits() {
			found, score = top.node, top.score
			break
		}
		r.popped = append(r.popped, top)
		if v.Everywhere {
			break
		}
		x.order.barred.put(int(top.node), true)
		x.order.bars++
		x.order.replay(r, class, top.node)
	}
	for _, e := range r.popped {
		x.order.barred.put(int(e.node), false)
	}
	x.order.bars = 0
	for _, e := range r.popped {
		x.order.enter(r, class, e.node, e.score)
	}
	return found, score
}

// asked is what the filters of single tasks say.
func (x *Index) asked(v *feasibility, t ledger.TaskID, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range v.taskFilters {
		if v := f.FilterTask(t, n, future); !v.Admits() {
			if v.Everywhere {
				x.refused = veto{t, v}
			}
			return v
		}
	}
	return policy.Verdict{}
}

// veto is a verdict on all nodes for a task.
type veto struct {
	task ledger.TaskID
	policy.Verdict
}

// Begin says that a search for a task begins, for Refused.
func (x *Index) Begin() { x.refused = veto{} }

// Refused returns the verdict on all nodes by which a search for a task ended since Begin; the zero Verdict
// when none did.
func (x *Index) Refused(t ledger.TaskID) policy.Verdict {
	if x.refused.task != t {
		return policy.Verdict{}
	}
	return x.refused.Verdict
}

// BestFuture returns the node on which a task should wait for room that terminating tasks hold. NoNode when
// there is none.
func (x *Index) BestFuture(t ledger.TaskID) (ledger.NodeID, int64) {
	best := entry{node: ledger.NoNode}
	if x.l.Nodes.ReleasingNodes() == 0 {
		return best.node, 0
	}
	c := x.l.Task(t).Class
	r, class := x.rows.look(c), x.l.Class(c)
	if x.scans() || r.nearby() {
		return x.bestScanned(t, nil, true)
	}
	x.placeNear(r, t)
	for i := range x.l.Nodes.Len() {
		on := false
		if best, on = x.betterFuture(best, r, class, t, ledger.NodeID(i)); !on {
			break
		}
	}
	return best.node, best.score
}

// betterFuture compares a node with the best so far, if it takes the task. on is false when no other node need
// be asked.
func (x *Index) betterFuture(best entry, r *row, class *ledger.Class, t ledger.TaskID, n ledger.NodeID) (better entry, on bool) {
	if !x.l.Nodes.Releases(n) || !x.judge.takesFuture(&r.feasibility, class, n) {
		return best, true
	}
	if v := x.asked(&r.feasibility, t, n, true); !v.Admits() {
		return best, !v.Everywhere
	}
	e := entry{x.judge.score(&r.feasibility, class, n) + x.near.of(n), x.order.tie(class, n), n}
	if best.node == ledger.NoNode || x.order.before(e, best) {
		return e, true
	}
	return best, true
}

func (ju *nodeJudge) takesFuture(v *feasibility, class *ledger.Class, n ledger.NodeID) bool {
	return !class.Invalid && v.admits(n) && ju.fitsFuture(class, n) && v.passes(class, n, true)
}

func (ju *nodeJudge) fitsFuture(class *ledger.Class, n ledger.NodeID) bool {
	for _, need := range class.Need {
		if ju.x.l.Nodes.FutureIdle(need.Dim, n) < need.Amount {
			return false
		}
	}
	return true
}

// Takes says that a task may take a given node now, or with future wait for room there. A nominated node is
// tried in this way.
func (x *Index) Takes(t ledger.TaskID, n ledger.NodeID, future bool) bool {
	c := x.l.Task(t).Class
	r, class := x.rows.look(c), x.l.Class(c)
	if int(n) >= x.l.Nodes.Len() {
		return false
	}
	if future {
		return x.judge.takesFuture(&r.feasibility, class, n) && r.admitsByDomain(class, n, true) &&
			x.asked(&r.feasibility, t, n, true).Admits()
	}
	return x.judge.takes(&r.feasibility, class, n) && r.admitsByDomain(class, n, false) &&
		x.asked(&r.feasibility, t, n, false).Admits()
}

// Feasible is the number of nodes that have room for a class now.
func (x *Index) Feasible(c ledger.ClassID) int {
	r := x.rows.look(c)
	class := x.l.Class(c)
	x.order.takers(&r.feasibility, class, 0, x.l.Nodes.Len())
	x.domains.keepAdmitted(r, class)
	return len(x.nodes)
}
