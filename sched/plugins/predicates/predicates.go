// Package predicates says which nodes may take a task, apart from room.
//
//	cordon      the node is unschedulable                  NodeUnschedulable
//	taints      it has a taint the task does not tolerate  NodeTaint
//	selector    it lacks a label of spec.nodeSelector      NodeSelector
//	affinity    no term of the required affinity holds     NodeAffinity
//	devices     it has resource claims                     NodeDevices
//	ports       a host port the task wants is taken        NodePorts
//
// Each part is a filter of its own and follows kube-scheduler's plugin of the same
// purpose. All but ports read facts alone, and nothing that leaves the node changes
// their answer.
//
// Not here: room in cpu, memory, extended resources and the number of pods, which the
// engine compares itself for every node (dimension pods); spec.nodeName, since a pod
// that has one is bound already; volumes, which Kubernetes' own code judges
// (internal/kube/filters adds it); pod affinity and topology spread, which are not built
// yet.
package predicates

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "predicates". The arguments predicate.NodeAffinityEnable
// (selector and affinity), predicate.NodePortsEnable and predicate.TaintTolerationEnable,
// all true by default, switch parts off; cordoned nodes are always left out.
func Definition() policy.Definition { return policy.Definition{Name: "predicates", New: build} }

type group struct{ parts []any }

// Parts lists the filters that are switched on, the cheapest first.
func (g *group) Parts() []any { return g.parts }

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	g := &group{parts: []any{cordon{}, devices{}}}
	for _, s := range []struct {
		key   string
		parts []any
	}{
		{"predicate.TaintTolerationEnable", []any{taints{}}},
		{"predicate.NodeAffinityEnable", []any{selector{}, affinity{}}},
		{"predicate.NodePortsEnable", []any{&ports{book: newPortBook(l)}}},
	} {
		on, err := c.Arguments.Bool(s.key, true)
		if err != nil {
			return nil, err
		}
		if on {
			g.parts = append(g.parts, s.parts...)
		}
	}
	return g, nil
}
