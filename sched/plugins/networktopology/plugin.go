// Package networktopology is the plugin "network-topology-aware": it places the members of a job close
// together. With it, jobs keep to the network topology that they ask for, by the tree that HyperNodes
// make (sched/topology); without it they are placed as if they asked for none.
//
// Among the domains of one tier that have room for all that has to be placed together, the fullest is
// the best, so that other domains stay whole: the mean, weighted by resource, of (held + wanted) /
// allocatable over the resources that are wanted, times weight times policy.Points. What a domain holds
// is Used + Pipelined of its nodes. A resource that would not fit counts as 0, as does one that the
// domain lacks. Where no resource has a weight, the score is 0, and the first domain by name is taken.
//
// Pods whose job asks for no topology are drawn to the fullest domains, too. A node's score for such a pod is
// the mean of what the domains that hold the node would be worth with it, one for each tier there is, the
// root's included: a tier's weight is fading to the power of its distance from the lowest tier. Where no
// HyperNode of a tier holds the node, that tier counts as full: so nodes without HyperNodes are taken first,
// and domains stay whole. Where there are no HyperNodes the score is 0.
//
// The plugin keeps the tree, which follows facts, and sums by domain, which follow the ledger's journal.
//
// Source: Volcano's plugin of this name, its arguments and its rule, in integers.
package networktopology

import (
	"fmt"
	"maps"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// MaxWeight bounds every weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

// Definition is the plugin "network-topology-aware". Its arguments are weight (1), the
// weights of resources hypernode.binpack.cpu and hypernode.binpack.memory (1), and
// hypernode.binpack.resources, a list of further resources, whose weights are
// hypernode.binpack.resources.<name> (1). A resource's weight below 0 counts as 1; any other
// weight below 0, or above MaxWeight, is an error that names the key. hypernode.binpack.normal-pod.enable
// (true) says whether pods without a topology are scored, hypernode.binpack.normal-pod.fading (0.8, at most
// three decimal places; below 0: 0.8) what a tier weighs beside the one below it.
func Definition() policy.Definition {
	return policy.Definition{Name: "network-topology-aware", New: build}
}

type plugin struct {
	l      *ledger.Ledger
	hypers *topology.Map
	weight int64
	pods   bool // pods without a topology are scored, too
	usage  *usage
}

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	weight, err := argument(c.Arguments, "weight")
	if err == nil && weight < 0 {
		err = policy.BadArgument("weight", "%d is below 0; use 0 to leave the score out", weight)
	}
	if err != nil {
		return nil, err
	}
	weights, err := resources(c.Arguments)
	if err != nil {
		return nil, err
	}
	pods, err := c.Arguments.Bool("hypernode.binpack.normal-pod.enable", true)
	if err != nil {
		return nil, err
	}
	fading, err := c.Arguments.Milli("hypernode.binpack.normal-pod.fading", defaultFading)
	if err != nil {
		return nil, err
	}
	if fading < 0 {
		fading = defaultFading
	}
	l.HyperNodes.Heed()
	hypers := topology.New(l)
	return &plugin{l: l, hypers: hypers, weight: weight, pods: pods && weight > 0,
		usage: &usage{l: l, tree: hypers, weights: weights, fading: fading}}, nil
}

// defaultFading is 0.8, in thousandths.
const defaultFading = 800

// resources are the weights of resources by name. cpu and memory have arguments of their own, which hold even
// where the list names them again.
func resources(a policy.Arguments) (map[string]int64, error) {
	keys := map[string]string{}
	for _, name := range a.List("hypernode.binpack.resources") {
		keys[name] = "hypernode.binpack.resources." + name
	}
	keys[resource.CPUName], keys[resource.MemoryName] = "hypernode.binpack.cpu", "hypernode.binpack.memory"
	weights := map[string]int64{}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		w, err := argument(a, keys[name])
		if err != nil {
			return nil, err
		}
		if w < 0 {
			w = 1
		}
		weights[name] = w
	}
	return weights, nil
}

func argument(a policy.Arguments, key string) (int64, error) {
	x, err := a.Int(key, 1)
	if err == nil && x > MaxWeight {
		err = policy.BadArgument(key, "%d is above %d, the highest weight", x, int64(MaxWeight))
	}
	return x, err
}

// HyperNodes is the tree.
func (p *plugin) HyperNodes() *topology.Map { return p.hypers }

// ScoreHyperNode is how full a domain would be, as the package comment has it.
func (p *plugin) ScoreHyperNode(d topology.ID, want resource.Vec) int64 {
	p.usage.follow()
	sum, weights := int64(0), int64(0)
	for i, r := range p.usage.named {
		if int(r.dim) >= len(want) || want[r.dim] <= 0 {
			continue
		}
		weights += r.weight
		sum += r.weight * p.usage.share(d, i, want[r.dim])
	}
	if weights == 0 {
		return 0
	}
	return p.weight * (sum / weights)
}

// Problems is what is wrong between HyperNodes, and in what PodGroups ask of them.
func (p *plugin) Problems() []policy.Problem {
	var out []policy.Problem
	m := p.hypers.Fresh()
	for _, f := range m.Faults() {
		out = append(out, policy.Problem{Object: f.Object, Message: f.Message})
	}
	p.l.Jobs.Each(func(j ledger.JobID) bool {
		g := p.l.Job(j).Group
		if g == nil {
			return true
		}
		asked := []*model.Topology{g.Topology}
		for i := range g.SubGroups {
			asked = append(asked, g.SubGroups[i].Topology)
		}
		for _, t := range asked {
			if m.Unknown(t) {
				ref := model.Ref{Kind: model.KindPodGroup, Namespace: g.Namespace, Name: g.Name}
				out = append(out, policy.Problem{Object: ref.String(),
					Message: fmt.Sprintf("highestTierName: no HyperNode has the tier name %q: it limits nothing", t.HighestName)})
				break
			}
		}
		return true
	})
	return out
}

// Open tells the trace what domains there are (seed 003 §8.4).
func (p *plugin) Open(rec *trace.Recorder) {
	if !rec.On(trace.HyperNodesReady) {
		return
	}
	m := p.hypers.Fresh()
	rec.Add(trace.Event{Kind: trace.HyperNodesReady, Count: m.Unready(), Total: int64(m.Len() - 1 + m.Unready())})
	for _, level := range m.Levels() {
		for _, d := range level.Domains {
			if at := m.Domain(d); d != topology.Root {
				rec.Add(trace.Event{Kind: trace.HyperNodeInSession, Node: at.Name, Weight: int64(at.Tier), Count: len(at.Nodes)})
			}
		}
	}
}
