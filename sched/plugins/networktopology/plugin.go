// Package networktopology is the plugin "network-topology-aware": it places the members of a job close
// together. With it, jobs keep to the network topology that they ask for, by the tree that HyperNodes
// make (sched/topology); without it they are placed as if they asked for none.
//
// Among the domains of one tier that have room for all that has to be placed together, the fullest is
// the best, so that other domains stay whole: the mean, weighted by resource, of (held + wanted) /
// allocatable over the resources that are wanted, times weight times policy.MaxNodeScore. What a domain holds
// is Used + Pipelined of its nodes. A resource that would not fit counts as 0, as does one that the
// domain lacks. Where no resource has a weight, the score is 0, and the first domain by name is taken.
//
// Pods of a job that asks for no topology are drawn to the fullest domains, too. A node's score for such a pod is
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

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// MaxWeight bounds every weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

// Definition is the plugin "network-topology-aware". A fading below 0 is 0.8.
func Definition() policy.Definition {
	return policy.Define("network-topology-aware", "members of a job close together, by HyperNodes", build)
}

type arguments struct {
	weight int64
	named  []policy.ResourceWeight
	pods   bool
	fading int64
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.weight, "weight", 1, "weight of the plugin").AtLeast(0).AtMost(MaxWeight)
	s.ResourceWeights(&a.named, "hypernode.binpack.", MaxWeight)
	s.Later(policy.KindInt, "hypernode.gradient.evict.max-hypernodes", "8",
		"domains to try when evicting: maxDomains of gangpreempt and gangreclaim says it")
	s.Bool(&a.pods, "hypernode.binpack.normal-pod.enable", true, "also for pods without a topology")
	s.Decimal(&a.fading, "hypernode.binpack.normal-pod.fading", defaultFading,
		"what a tier weighs beside the one below it")
}

type plugin struct {
	l      *ledger.Ledger
	hypers *topology.Map
	weight int64
	pods   bool // pods without a topology are scored, too
	usage  *usage
}

func build(a arguments, l *ledger.Ledger) (*plugin, error) {
	if a.fading < 0 {
		a.fading = defaultFading
	}
	weights := map[string]int64{}
	for _, r := range a.named {
		weights[r.Resource] = r.Weight
	}
	l.HyperNodes.Heed()
	hypers := topology.New(l)
	return &plugin{l: l, hypers: hypers, weight: a.weight, pods: a.pods && a.weight > 0,
		usage: &usage{l: l, tree: hypers, weights: weights, fading: a.fading}}, nil
}

// defaultFading is 0.8, in thousandths.
const defaultFading = 800

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
