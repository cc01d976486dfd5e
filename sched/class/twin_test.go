package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// twin answers what an Index answers by asking every filter and every score about
// every node, each time: slow, obvious, and without a memory.
type twin struct {
	l       *ledger.Ledger
	set     *policy.Set
	network policy.Arguments // see network_test.go; nil: domains of the network are not scored
	fading  string
}

func (w *twin) nodes() []ledger.NodeID {
	var out []ledger.NodeID
	w.l.Nodes.Present(func(n ledger.NodeID) bool { out = append(out, n); return true })
	return out
}

func (w *twin) static(c *ledger.Class, n ledger.NodeID) policy.Verdict {
	for _, f := range w.set.NodePlugins.StaticFilters {
		if v := f.FilterStatic(c.Spec, w.l.Node(n).Fact); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

func (w *twin) sitting(c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range w.set.NodePlugins.NodeFilters {
		if f.Concerns(c.Spec) {
			if v := f.FilterNode(c, n, future); !v.Admits() {
				return v
			}
		}
	}
	return policy.Verdict{}
}

func (w *twin) single(t ledger.TaskID, c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
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
func (w *twin) fit(c *ledger.Class, n ledger.NodeID, future bool, most int64) int64 {
	for _, need := range c.Need {
		room := min(w.l.Nodes.Idle(need.Dim)[n], w.l.Nodes.FutureIdle(need.Dim, n))
		if future {
			room = w.l.Nodes.FutureIdle(need.Dim, n)
		}
		most = min(most, max(0, room)/need.Amount)
	}
	return most
}

// takes says whether a node takes one task, all questions asked.
func (w *twin) takes(t ledger.TaskID, n ledger.NodeID, future bool) bool {
	c := w.l.Class(w.l.Task(t).Class)
	return w.suits(c, n, future) && w.company(t, n, future) && w.single(t, c, n, future).Admits()
}

func (w *twin) suits(c *ledger.Class, n ledger.NodeID, future bool) bool {
	return w.l.Node(n).Present() && !c.Invalid && w.static(c, n).Admits() && w.fit(c, n, future, 1) == 1 &&
		w.sitting(c, n, future).Admits()
}

// everywhere is why a task is refused whatever the node; "" where it is not, or no node gets as far as that.
func (w *twin) everywhere(t ledger.TaskID) trace.Code {
	c := w.l.Class(w.l.Task(t).Class)
	for _, n := range w.nodes() {
		if w.suits(c, n, false) && w.company(t, n, false) {
			if v := w.single(t, c, n, false); v.Everywhere {
				return v.Code
			}
		}
	}
	return ""
}

// score is a node's points: those that stand by themselves, and those in relation to
// the nodes that the static filters admit.
func (w *twin) score(c *ledger.Class, n ledger.NodeID) int64 {
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
			points = o.RawScore(c.Spec, w.l.Node(n).Fact) * policy.Points / most
		}
		if o.Reverse() {
			points = policy.Points - points
		}
		sum += points * o.Weight()
	}
	return sum
}

// tie is the fixed hash of decision 19.
func (w *twin) tie(c *ledger.Class, n ledger.NodeID) uint64 {
	h := ledger.Hash(w.l.Node(n).Name) ^ c.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// candidates are those of some nodes, given by name, that take a task, with their
// scores.
func (w *twin) candidates(t ledger.TaskID, among []ledger.NodeID, future bool) (nodes []ledger.NodeID, scores []int64) {
	c := w.l.Class(w.l.Task(t).Class)
	// Filters of single tasks are asked about the best alone where all nodes are in question:
	// then those that they refuse count in what others are compared with.
	later := !future && len(among) == len(w.nodes()) && len(w.set.NodePlugins.BatchOrders) == 0
	for _, n := range among {
		if w.suits(c, n, future) && w.company(t, n, future) && (!future || w.leaves(n)) && (later || w.single(t, c, n, future).Admits()) {
			nodes, scores = append(nodes, n), append(scores, w.score(c, n))
		}
	}
	w.nears(t, nodes, scores)
	w.likes(t, nodes, scores)
	w.spreads(t, nodes, scores)
	for i := len(nodes) - 1; i >= 0; i-- {
		if !w.single(t, c, nodes[i], future).Admits() {
			nodes, scores = slices.Delete(nodes, i, i+1), slices.Delete(scores, i, i+1)
		}
	}
	for _, o := range w.set.NodePlugins.BatchOrders {
		o.ScoreNodes(t, nodes, scores)
	}
	return nodes, scores
}

// best is the best of some nodes, given by name: what a plugin picks, or by score, hash
// and name.
func (w *twin) best(t ledger.TaskID, among []ledger.NodeID, future bool) (ledger.NodeID, int64) {
	c := w.l.Class(w.l.Task(t).Class)
	nodes, scores := w.candidates(t, among, future)
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

// leaves says that somebody on the node is terminating.
func (w *twin) leaves(n ledger.NodeID) bool {
	leaves := false
	w.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		leaves = leaves || w.l.Task(t).Status == model.Releasing
		return true
	})
	return leaves
}

// capacity counts the room on all nodes that suit a class.
func (w *twin) capacity(c *ledger.Class, want int64, future bool) int64 {
	sum := int64(0)
	for _, n := range w.nodes() {
		if w.suits(c, n, false) || future && w.suits(c, n, true) {
			sum += w.fit(c, n, future, want)
		}
	}
	return min(sum, want)
}

// whole is how many tasks of a class the nodes could hold if nobody were on them.
func (w *twin) whole(c *ledger.Class, want int64) int64 {
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

// byCompany stands for all refusals for the sake of other pods.
const byCompany trace.Code = "company"

type refusal struct {
	code trace.Code
	text string
}

// why counts the nodes that refuse a task by reason.
func (w *twin) why(t ledger.TaskID) map[refusal]int {
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
			v = w.sitting(c, n, false)
		}
		if v.Admits() && !w.company(t, n, false) {
			counts[refusal{byCompany, ""}]++
			continue
		}
		if v.Admits() {
			v = w.single(t, c, n, false)
		}
		if !v.Admits() {
			counts[refusal{v.Code, v.Text}]++
		}
	}
	return counts
}
