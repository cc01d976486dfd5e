package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Scores returns the best nodes for a task with their scores, at most trace.MostScores, and the number of
// nodes that take the task. future: once terminating tasks are gone. It looks at every node and is for the
// log; it decides nothing.
func (x *Index) Scores(t ledger.TaskID, future bool) (best []trace.NodeScore, of int) {
	r := x.rows.look(x.l.Task(t).Class)
	class := x.l.Class(r.id)
	var nodes []ledger.NodeID
	for _, n := range x.ByName() {
		if x.Takes(t, n, future) {
			nodes = append(nodes, n)
		}
	}
	scores, compared := make([]int64, len(nodes)), make([]int64, len(nodes))
	for i, n := range nodes {
		scores[i], compared[i] = x.judge.score(&r.feasibility, class, n)-r.base(n), r.base(n)
	}
	x.placeNear(r, t)
	x.near.add(nodes, compared)
	for _, o := range r.domainOrders {
		o.ScoreDomains(class, nodes, compared)
	}
	for _, o := range x.set.NodePlugins.BatchOrders {
		o.ScoreNodes(t, nodes, compared)
	}
	order := make([]entry, len(nodes))
	for i, n := range nodes {
		order[i] = entry{scores[i] + compared[i], x.order.tie(class, n), n}
	}
	slices.SortFunc(order, func(a, b entry) int {
		if x.order.before(a, b) {
			return -1
		}
		return 1
	})
	for _, e := range order[:min(len(order), trace.MostScores)] {
		best = append(best, trace.NodeScore{Node: x.l.Node(e.node).Name, Score: e.score, Compared: compared[slices.Index(nodes, e.node)]})
	}
	return best, len(nodes)
}
