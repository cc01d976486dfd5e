// Package predicates says which nodes may take a task, apart from room.
//
//	cordon      the node is unschedulable                  NodeUnschedulable
//	features    its kubelet lacks a feature the pod needs  NodeFeatures
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

// Definition is the plugin "predicates". Its arguments switch parts off; cordoned nodes are always left out.
//
// Pods with resource claims are refused: see Allocating.
func Definition() policy.Definition {
	return policy.Define(Name, Meaning, func(a Arguments, l *ledger.Ledger) (any, error) {
		return Refusing(a, l), nil
	})
}

// Allocating is the plugin without the refusal of resource claims, for a host that allocates their devices.
func Allocating(a Arguments, l *ledger.Ledger) any { return build(a, l, cordon{}) }

// Refusing is the plugin that Definition defines.
func Refusing(a Arguments, l *ledger.Ledger) any { return build(a, l, cordon{}, devices{}) }

type group struct {
	parts      []any
	affinities *interpod.Affinities // nil: no part depends on which pod is where
}

// Parts lists the filters that are switched on, the cheapest first.
func (g *group) Parts() []any { return g.parts }

// Open updates the affinity terms and spread constraints between pods.
func (g *group) Open(*trace.Recorder) {
	if g.affinities != nil {
		g.affinities.Open()
	}
}

func build(a Arguments, l *ledger.Ledger, parts ...any) *group {
	g := &group{parts: append(parts, features{})}
	if a.taints {
		g.parts = append(g.parts, taints{})
	}
	if a.affinity {
		g.parts = append(g.parts, selector{}, affinity{})
	}
	if a.ports {
		g.parts = append(g.parts, &ports{state: newPortsInUse(l)})
	}
	if a.podAffinity || a.spread {
		g.affinities = interpod.Of(l)
	}
	if a.podAffinity {
		g.parts = append(g.parts, podAffinity{g.affinities})
	}
	if a.spread {
		g.parts = append(g.parts, spread{g.affinities})
	}
	return g
}
