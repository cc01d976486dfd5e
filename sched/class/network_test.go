package class

import (
	"fmt"
	"strconv"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
)

// network draws whether domains of the network are scored, and how: the arguments of the plugin.
func (w *world) network() (policy.Choice, bool) {
	if w.n(2) == 0 {
		return policy.Choice{}, false
	}
	w.oracle.fading = []string{"0.8", "0", "1", "1.25"}[w.n(3)]
	a := policy.Arguments{"weight": strconv.Itoa(1 + w.n(2)), "hypernode.binpack.memory": strconv.Itoa(w.n(2)),
		"hypernode.binpack.normal-pod.fading": w.oracle.fading}
	w.oracle.network = a
	return policy.Choice{Plugin: "network-topology-aware", Arguments: a}, true
}

// hyperNode applies a HyperNode, or deletes one.
func (w *world) hyperNode() {
	if w.n(4) == 4 {
		w.apply(model.KindHyperNode, "", []string{"ra", "rb", "rc", "s", "t"}[w.n(4)], nil)
		return
	}
	in := func(patterns ...string) (out []model.Member) {
		for _, p := range patterns {
			out = append(out, model.Member{Node: p[0] == '^', Pattern: p})
		}
		return out
	}
	h := []*model.HyperNode{
		{Meta: model.Meta{Name: "ra"}, Tier: 1, Members: in("^[nm][0-2]$")},
		{Meta: model.Meta{Name: "rb"}, Tier: 1, Members: in("^[nm]([34]|[3-5].)$")},
		{Meta: model.Meta{Name: "rc"}, Tier: 1, Members: in("^[nm](5|[6-8].)$")},
		{Meta: model.Meta{Name: "s"}, Tier: 2, Members: in("ra|rb")},
		{Meta: model.Meta{Name: "t"}, Tier: 4, Members: in("s", "^[nm]6")},
	}[w.n(4)]
	w.apply(model.KindHyperNode, "", h.Name, h)
}

// topologyJob applies a job that asks for a topology, or no longer asks for one.
func (w *world) topologyJob() {
	g := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "near"}}
	if w.n(2) > 0 {
		g.Topology = &model.Topology{Highest: -1, Hard: w.yes()}
	}
	w.apply(model.KindPodGroup, "ns", "near", g)
}

// addNetworkScores adds the scores by domain of the network. It computes them from the texts of the arguments and the
// tree alone, for each node and each tier anew.
func (w *oracle) addNetworkScores(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	tree := topology.New(w.l).Fresh()
	if w.network == nil || tree.Flat() || w.asksTopology(t) {
		return
	}
	weight, _ := strconv.ParseInt(w.network["weight"], 10, 64)
	memory, _ := strconv.ParseInt(w.network["hypernode.binpack.memory"], 10, 64)
	byName := map[string]int64{resource.CPUName: 1, resource.MemoryName: memory}
	c, levels := w.l.Class(w.l.Task(t).Class), tree.Levels()
	for i, n := range nodes {
		sum, whole := int64(0), int64(0)
		for k, level := range levels {
			tier := w.tierWeight(level.Tier-levels[0].Tier, levels[len(levels)-1].Tier-level.Tier)
			points := int64(policy.MaxNodeScore)
			for _, d := range level.Domains {
				if tree.Holds(d, n) || k == len(levels)-1 {
					points = w.fullness(tree.Domain(d).Nodes, c, byName)
				}
			}
			sum, whole = sum+tier*points, whole+tier
		}
		scores[i] += weight * (sum / whole)
	}
}

// tierWeight is the weight of a tier, by its distance from the lowest and from the highest tier. The arguments drawn
// are 0, 4/5, 1 and 5/4; the last one counts from the highest tier.
func (w *oracle) tierWeight(below, above int32) int64 {
	x := int64(1_000_000)
	switch {
	case w.fading == "0" && below > 0:
		return 0
	case w.fading == "0.8":
		for range below {
			x = x * 800 / 1000
		}
	case w.fading == "1.25":
		for range above {
			x = x * 1000 / 1250
		}
	}
	return x
}

func (w *oracle) fullness(nodes []ledger.NodeID, c *ledger.Class, weights map[string]int64) int64 {
	sum, all := int64(0), int64(0)
	for _, need := range c.Need {
		weight := weights[w.l.Dims.Name(need.Dim)]
		if weight == 0 {
			continue
		}
		offers, holds := int64(0), need.Amount
		for _, n := range nodes {
			offers += w.l.Nodes.Allocatable(need.Dim)[n]
			w.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
				holds += max(0, w.l.Request(t).Get(need.Dim))
				return true
			})
		}
		all += weight
		if holds <= offers && offers > 0 {
			sum += weight * (policy.MaxNodeScore * holds / offers)
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

func (w *oracle) asksTopology(t ledger.TaskID) bool {
	row := w.l.Task(t)
	return row.Job != ledger.NoJob && w.l.Job(row.Job).Group != nil && w.l.Job(row.Job).Group.Topology != nil
}

// hyperNodes applies several at once, for worlds of many nodes.
func (w *world) hyperNodes() {
	if w.oracle.network == nil {
		return
	}
	for range w.n(5) {
		w.hyperNode()
	}
	for i := range w.n(1) * 12 {
		name := fmt.Sprintf("u%d", i)
		w.apply(model.KindHyperNode, "", name, &model.HyperNode{Meta: model.Meta{Name: name}, Tier: 1,
			Members: []model.Member{{Node: true, Name: fmt.Sprintf("m%d", i+12)}}})
	}
}
