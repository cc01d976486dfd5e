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
// The plugin keeps no sums; it keeps the tree, which follows facts.
//
// Source: Volcano's plugin of this name, its arguments and its rule, in integers.
package networktopology

import (
	"fmt"

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
// weight below 0, or above MaxWeight, is an error that names the key.
func Definition() policy.Definition {
	return policy.Definition{Name: "network-topology-aware", New: build}
}

type plugin struct {
	l       *ledger.Ledger
	hypers  *topology.Map
	weight  int64
	weights map[string]int64 // by resource
}

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	weight, err := argument(c.Arguments, "weight")
	if err == nil && weight < 0 {
		err = policy.BadArgument("weight", "%d is below 0; use 0 to leave the score out", weight)
	}
	if err != nil {
		return nil, err
	}
	p := &plugin{l: l, hypers: topology.New(l), weight: weight, weights: map[string]int64{}}
	for _, name := range c.Arguments.List("hypernode.binpack.resources") {
		if err := p.weigh(c.Arguments, name, "hypernode.binpack.resources."+name); err != nil {
			return nil, err
		}
	}
	if err := p.weigh(c.Arguments, resource.CPUName, "hypernode.binpack.cpu"); err != nil {
		return nil, err
	}
	if err := p.weigh(c.Arguments, resource.MemoryName, "hypernode.binpack.memory"); err != nil {
		return nil, err
	}
	l.HeedHyperNodes()
	return p, nil
}

func (p *plugin) weigh(a policy.Arguments, name, key string) error {
	w, err := argument(a, key)
	if w < 0 {
		w = 1
	}
	p.weights[name] = w
	return err
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
	sum, weights := int64(0), int64(0)
	for dim, x := range want {
		w := p.weights[p.l.Dims.Name(resource.Dim(dim))]
		if x <= 0 || w == 0 {
			continue
		}
		weights += w
		sum += w * p.share(d, resource.Dim(dim), x)
	}
	if weights == 0 {
		return 0
	}
	return p.weight * (sum / weights)
}

// share is the part of what a domain offers that would be held, in Points.
func (p *plugin) share(d topology.ID, dim resource.Dim, want int64) int64 {
	alloc, idle, pipelined := p.l.Allocatable(dim), p.l.Idle(dim), p.l.Pipelined(dim)
	var offers, held resource.Sum
	for _, n := range p.hypers.Domain(d).Nodes {
		offers = offers.Plus(alloc[n])
		held = held.Plus(alloc[n] - idle[n] + pipelined[n])
	}
	of, with := offers.Int64(), held.Plus(want).Int64()
	if of <= 0 || with < 0 || with > of {
		return 0
	}
	return resource.MulDiv(policy.Points, with, of)
}

// Problems is what is wrong between HyperNodes, and in what PodGroups ask of them.
func (p *plugin) Problems() []policy.Problem {
	var out []policy.Problem
	m := p.hypers.Fresh()
	for _, f := range m.Faults() {
		out = append(out, policy.Problem{Object: f.Object, Message: f.Message})
	}
	p.l.Jobs(func(j ledger.JobID) bool {
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
