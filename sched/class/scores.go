package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Scores returns the best nodes for a task with their scores, at most trace.MostScores, and the number of nodes that
// take the task. InFuture: once terminating tasks are gone. It looks at every node and is for the log; it decides
// nothing.
func (x *Index) Scores(t ledger.TaskID, when When) (best []trace.NodeScore, of int) {
	var nodes []ledger.NodeID
	for _, n := range x.ByName() {
		if x.Takes(t, n, when) {
			nodes = append(nodes, n)
		}
	}
	r := x.look(x.l.Task(t).Class)
	scores, compared := make([]int64, len(nodes)), make([]int64, len(nodes))
	for i, n := range nodes {
		scores[i], compared[i] = r.score(n)-r.base(n), r.base(n)
	}
	network := x.networkScores(r, t)
	network.add(nodes, 0, compared)
	r.scoreDomains(nodes, 0, compared, false)
	for _, o := range x.set.NodePlugins.BatchOrders {
		o.ScoreNodes(t, nodes, compared)
	}
	for i := range scores {
		scores[i] += compared[i]
	}
	ranked := x.list.hold(&r.feasibility, nodes, scores)
	for e := ranked.top(); e.node != ledger.NoNode && len(best) < trace.MostScores; e = ranked.top() {
		best = append(best, trace.NodeScore{Node: x.l.Node(e.node).Name, Score: e.score, Compared: compared[e.at]})
		ranked.set(int(e.at), out)
	}
	return best, len(nodes)
}
