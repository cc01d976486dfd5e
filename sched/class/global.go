package class

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
)

// scans says that some plugin compares all nodes with each other for every task, so that a tournament is of no
// use.
func (x *Index) scans() bool {
	return len(x.set.NodePlugins.BatchOrders)+len(x.set.NodePlugins.BestNodes) > 0
}

// bestScanned finds the node for a task among the nodes that take it, by the plugins that compare them. among:
// nil for all nodes; future: once terminating tasks are gone.
func (x *Index) bestScanned(t ledger.TaskID, among []ledger.NodeID, future bool) (ledger.NodeID, int64) {
	r := x.rows.look(x.l.Task(t).Class)
	class := x.l.Class(r.id)
	if among == nil {
		among = x.ByName()
	} else {
		among = slices.Clone(among)
		slices.SortFunc(among, x.byNames)
	}
	x.nodes = x.nodes[:0]
	for _, n := range among {
		ok := x.judge.takes(&r.feasibility, class, n)
		if future {
			ok = x.l.Nodes.Releases(n) && x.judge.takesFuture(&r.feasibility, class, n)
		}
		if !ok || !r.admitsByDomain(class, n, future) {
			continue
		}
		if v := x.asked(&r.feasibility, t, n, future); v.Admits() {
			x.nodes = append(x.nodes, n)
		} else if v.Everywhere {
			break
		}
	}
	if len(x.nodes) == 0 {
		return ledger.NoNode, 0
	}
	x.scores = stretch(x.scores, len(x.nodes))[:len(x.nodes)]
	if future {
		for i, n := range x.nodes {
			x.scores[i] = x.judge.score(&r.feasibility, class, n)
		}
	} else {
		x.scores = x.order.scoreAll(&r.feasibility, class, x.nodes, x.scores)
	}
	x.placeNear(r, t)
	x.near.add(x.nodes, x.scores)
	for _, o := range r.domainOrders {
		o.ScoreDomains(class, x.nodes, x.scores)
	}
	for _, o := range x.set.NodePlugins.BatchOrders {
		o.ScoreNodes(t, x.nodes, x.scores)
	}
	for _, p := range x.set.NodePlugins.BestNodes {
		if i, ok := p.PickNode(t, x.nodes, x.scores); ok && i >= 0 && i < len(x.nodes) {
			return x.nodes[i], x.scores[i]
		}
	}
	best := x.bestListed(class)
	return best.node, best.score
}

// ByName lists the present nodes by name. The list is valid until the next question.
func (x *Index) ByName() []ledger.NodeID {
	if x.named == x.l.Changes.NodeFacts.Now() {
		return x.byName
	}
	x.byName = x.byName[:0]
	for n := range x.l.Nodes.Len() {
		if id := ledger.NodeID(n); x.l.Node(id).Present() {
			x.byName = append(x.byName, id)
		}
	}
	slices.SortFunc(x.byName, x.byNames)
	x.named = x.l.Changes.NodeFacts.Now()
	return x.byName
}

func (x *Index) byNames(a, b ledger.NodeID) int {
	return strings.Compare(x.l.Node(a).Name, x.l.Node(b).Name)
}
