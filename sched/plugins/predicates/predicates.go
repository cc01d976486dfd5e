// Package predicates says which nodes may take a task, apart from room.
//
//	cordon      the node is unschedulable                  NodeUnschedulable
//	taints      it has a taint the task does not tolerate  NodeTaint
//	selector    it lacks a label of spec.nodeSelector      NodeSelector
//	affinity    no term of the required affinity holds     NodeAffinity
//	devices     it has resource claims                     NodeDevices
//	ports       a host port the task wants is taken        NodePorts
//	company     affinity and anti-affinity between pods    PodAffinity, PodAntiAffinity, PodRepelled
//	spread      DoNotSchedule topology spread              PodTopologySpread, TopologyKeyMissing
//
// Each part is a filter of its own, and follows kube-scheduler's plugin of the same
// purpose. All but the last three read facts alone, and no pod that leaves the node
// changes their answer.
//
// Not here: room in cpu, memory, extended resources and the number of pods, which the
// engine compares itself for every node (dimension pods); spec.nodeName, since a pod
// that has one is bound already; volumes, which Kubernetes' own code judges
// (internal/kube/filters adds it).
package predicates

import (
	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Definition is the plugin "predicates". The arguments predicate.NodeAffinityEnable
// (selector and affinity), predicate.NodePortsEnable, predicate.TaintTolerationEnable,
// predicate.PodAffinityEnable (company) and predicate.PodTopologySpreadEnable, all true by
// default, switch parts off; cordoned nodes are always left out.
//
// Pods with resource claims are refused: see Allocating.
func Definition() policy.Definition { return definition(devices{}) }

// Allocating is Definition without the refusal of resource claims, for a host that
// allocates their devices.
func Allocating() policy.Definition { return definition() }

func definition(parts ...any) policy.Definition {
	return policy.Definition{Name: "predicates", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		return build(c, l, append([]any{cordon{}}, parts...))
	}}
}

type group struct {
	parts []any
	book  *interpod.Affinities // nil: no part depends on which pod is where
}

// Parts lists the filters that are switched on, the cheapest first.
func (g *group) Parts() []any { return g.parts }

// Open updates the affinity terms and spread constraints between pods.
func (g *group) Open(*trace.Recorder) {
	if g.book != nil {
		g.book.Open()
	}
}

func build(c policy.Choice, l *ledger.Ledger, parts []any) (any, error) {
	g := &group{parts: parts}
	for _, s := range []struct {
		key  string
		make func() []any
	}{
		{"predicate.TaintTolerationEnable", func() []any { return []any{taints{}} }},
		{"predicate.NodeAffinityEnable", func() []any { return []any{selector{}, affinity{}} }},
		{"predicate.NodePortsEnable", func() []any { return []any{&ports{book: newPortBook(l)}} }},
		{"predicate.PodAffinityEnable", func() []any { g.book = interpod.Of(l); return []any{podAffinity{g.book}} }},
		{"predicate.PodTopologySpreadEnable", func() []any { g.book = interpod.Of(l); return []any{spread{g.book}} }},
	} {
		on, err := c.Arguments.Bool(s.key, true)
		if err != nil {
			return nil, err
		}
		if on {
			g.parts = append(g.parts, s.make()...)
		}
	}
	return g, nil
}
