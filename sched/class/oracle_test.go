package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// oracle answers what an Index answers. It asks every filter and every score about every node, each time: it is slow
// and obvious, and keeps nothing.
type oracle struct {
	l       *ledger.Ledger
	set     *policy.Set
	network policy.Arguments // see network_test.go; nil: domains of the network are not scored
	fading  string
}

func (w *oracle) nodes() []ledger.NodeID {
	var out []ledger.NodeID
	w.l.Nodes.Present(func(n ledger.NodeID) bool { out = append(out, n); return true })
	return out
}

func (w *oracle) static(c *ledger.Class, n ledger.NodeID) policy.Verdict {
	for _, f := range w.set.NodePlugins.StaticFilters {
		if v := f.FilterStatic(c.Spec, w.l.Node(n).Fact); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

func (w *oracle) nodeFilters(c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range w.set.NodePlugins.NodeFilters {
		if f.Concerns(c.Spec) {
			if v := f.FilterNode(c, n, future); !v.Admits() {
				return v
			}
		}
	}
	return policy.Verdict{}
}

func (w *oracle) taskFilters(t ledger.TaskID, c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range w.set.NodePlugins.TaskFilters {
		if f.Concerns(c.Spec) {
			if v := f.FilterTask(t, n, future); !v.Admits() {
				return v
			}
		}
	}
	return policy.Verdict{}
}

// fit is how many tasks of a class a node has room for, at most most.
func (w *oracle) fit(c *ledger.Class, n ledger.NodeID, future bool, most int64) int64 {
	for _, need := range c.Need {
		room := min(w.l.Nodes.Idle(need.Dim)[n], w.l.Nodes.FutureIdle(need.Dim, n))
		if future {
			room = w.l.Nodes.FutureIdle(need.Dim, n)
		}
		most = min(most, max(0, room)/need.Amount)
	}
	return most
}

// takes says whether a node takes one task, by all filters.
func (w *oracle) takes(t ledger.TaskID, n ledger.NodeID, future bool) bool {
	c := w.l.Class(w.l.Task(t).Class)
	return w.takesClass(c, n, future) && w.domainsAdmit(t, n, future) && w.taskFilters(t, c, n, future).Admits()
}

func (w *oracle) takesClass(c *ledger.Class, n ledger.NodeID, future bool) bool {
	return w.l.Node(n).Present() && !c.Invalid && w.static(c, n).Admits() && w.fit(c, n, future, 1) == 1 &&
		w.nodeFilters(c, n, future).Admits()
}

// everywhere is the code by which a filter of single tasks refuses a task on all nodes; "" where none does, or where no
// node passes the filters that are asked before.
func (w *oracle) everywhere(t ledger.TaskID, among []ledger.NodeID, future bool) trace.Code {
	c := w.l.Class(w.l.Task(t).Class)
	for _, n := range among {
		if w.takesClass(c, n, future) && w.domainsAdmit(t, n, future) && (!future || w.releases(n)) {
			if v := w.taskFilters(t, c, n, future); v.Everywhere {
				return v.Code
			}
		}
	}
	return ""
}

// score is a node's points: those of the node by itself, and those in relation to the nodes that the static filters
// admit.
func (w *oracle) score(c *ledger.Class, n ledger.NodeID) int64 {
	sum := int64(0)
	for _, o := range w.set.NodePlugins.NodeOrders {
		sum += o.ScoreNode(c, n)
	}
	for _, o := range w.set.NodePlugins.StaticOrders {
		if _, moves := o.(policy.MovingOrder); moves {
			sum += o.RawScore(c.Spec, w.l.Node(n).Fact) * o.Weight()
			continue
		}
		most := int64(0)
		for _, m := range w.nodes() {
			if w.static(c, m).Admits() {
				most = max(most, o.RawScore(c.Spec, w.l.Node(m).Fact))
			}
		}
		points := int64(0)
		if most > 0 {
			points = o.RawScore(c.Spec, w.l.Node(n).Fact) * policy.MaxNodeScore / most
		}
		if o.Reverse() {
			points = policy.MaxNodeScore - points
		}
		sum += points * o.Weight()
	}
	return sum
}

// tie is the fixed hash of decision 19.
func (w *oracle) tie(c *ledger.Class, n ledger.NodeID) uint64 {
	h := ledger.Hash(w.l.Node(n).Name) ^ c.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// candidates are those of some nodes that take a task, with their scores. The nodes are given by name.
func (w *oracle) candidates(t ledger.TaskID, scope Scope, among []ledger.NodeID, future bool) (nodes []ledger.NodeID,
	scores []int64) {
	c := w.l.Class(w.l.Task(t).Class)
	// Where all nodes are asked for, filters of single tasks are asked about the best node only. So a node that they
	// refuse counts in the scores that compare nodes.
	all := scope.kind == allNodes || scope.kind == ownShard && len(among) == len(w.nodes())
	later := !future && all && len(w.set.NodePlugins.BatchOrders) == 0
	for _, n := range among {
		if w.takesClass(c, n, future) && w.domainsAdmit(t, n, future) && (!future || w.releases(n)) &&
			(later || w.taskFilters(t, c, n, future).Admits()) {
			nodes, scores = append(nodes, n), append(scores, w.score(c, n))
		}
	}
	w.addNetworkScores(t, nodes, scores)
	w.addPreferences(t, nodes, scores)
	w.addSpread(t, nodes, scores)
	for i := len(nodes) - 1; i >= 0; i-- {
		if !w.taskFilters(t, c, nodes[i], future).Admits() {
			nodes, scores = slices.Delete(nodes, i, i+1), slices.Delete(scores, i, i+1)
		}
	}
	for _, o := range w.set.NodePlugins.BatchOrders {
		o.ScoreNodes(t, nodes, scores)
	}
	return nodes, scores
}

// best is the best of some nodes, given by name: the choice of a plugin, or the first by score, hash and name.
func (w *oracle) best(t ledger.TaskID, scope Scope, among []ledger.NodeID, future bool) (ledger.NodeID, int64) {
	c := w.l.Class(w.l.Task(t).Class)
	nodes, scores := w.candidates(t, scope, among, future)
	for _, p := range w.set.NodePlugins.BestNodes {
		if i, ok := p.PickNode(t, nodes, scores); ok && len(nodes) > 0 {
			return nodes[i], scores[i]
		}
	}
	best, score := ledger.NoNode, int64(0)
	for i, n := range nodes {
		s := scores[i]
		switch {
		case best == ledger.NoNode, s > score:
		case s < score:
			continue
		case w.tie(c, n) != w.tie(c, best):
			if w.tie(c, n) > w.tie(c, best) {
				continue
			}
		case w.l.Node(n).Name > w.l.Node(best).Name:
			continue
		}
		best, score = n, s
	}
	return best, score
}

// releases says that a pod on the node is terminating.
func (w *oracle) releases(n ledger.NodeID) bool {
	releases := false
	w.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		releases = releases || w.l.Task(t).Status == model.Releasing
		return true
	})
	return releases
}

// capacity counts the room on all nodes that take a class.
func (w *oracle) capacity(c *ledger.Class, want int64, future bool) int64 {
	sum := int64(0)
	for _, n := range w.nodes() {
		if w.takesClass(c, n, false) || future && w.takesClass(c, n, true) {
			sum += w.fit(c, n, future, want)
		}
	}
	return min(sum, want)
}

// whole is how many tasks of a class the nodes could hold if no other pod were on them.
func (w *oracle) whole(c *ledger.Class, want int64) int64 {
	sum := int64(0)
	for _, n := range w.nodes() {
		if !c.Invalid && w.static(c, n).Admits() {
			fit := want
			for _, need := range c.Need {
				fit = min(fit, max(0, w.l.Nodes.Allocatable(need.Dim)[n])/need.Amount)
			}
			sum += fit
		}
	}
	return min(sum, want)
}

// byAffinity stands for all refusals because of other pods in the domains.
const byAffinity trace.Code = "company"

type refusal struct {
	code trace.Code
	text string
}

// why counts the nodes that refuse a task by reason.
func (w *oracle) why(t ledger.TaskID) map[refusal]int {
	c := w.l.Class(w.l.Task(t).Class)
	counts := map[refusal]int{}
	for _, n := range w.nodes() {
		v := w.static(c, n)
		if v.Admits() && w.fit(c, n, false, 1) == 0 {
			for _, need := range c.Need {
				if min(w.l.Nodes.Idle(need.Dim)[n], w.l.Nodes.FutureIdle(need.Dim, n)) < need.Amount {
					counts[refusal{trace.InsufficientResource, w.l.Dims.Name(need.Dim)}]++
				}
			}
			continue
		}
		if v.Admits() {
			v = w.nodeFilters(c, n, false)
		}
		if v.Admits() && !w.domainsAdmit(t, n, false) {
			counts[refusal{byAffinity, ""}]++
			continue
		}
		if v.Admits() {
			v = w.taskFilters(t, c, n, false)
		}
		if !v.Admits() {
			counts[refusal{v.Code, v.Text}]++
		}
	}
	return counts
}
