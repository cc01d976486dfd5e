// Package numaaware keeps pods that are given cpus of their own off nodes where the kubelet
// would turn them away, and puts them where those cpus are near to each other.
//
// A kubelet with the cpu manager policy static gives whole cpus to the containers of
// Guaranteed pods that ask for such. Its topology manager may insist on how they lie on the
// node's NUMA nodes: on one (single-numa-node), or on as few as the node
// allows (restricted). A pod for which there is no such place is turned away for good, after
// it was bound. Reports about nodes (Numatopology) tell the kubelet's policies, the NUMA nodes
// and which of their cpus were free.
//
// The filter refuses a node
//   - to a pod that asks for a policy, unless the kubelet has it (and gives whole cpus);
//   - to any Guaranteed pod, where its cpus might find no place by the kubelet's policy.
//
// Which NUMA nodes a kubelet chooses, and which pod it sees first, is not known before the next
// report. So a node takes a pod only if it, and each pod with cpus that no report shows yet,
// finds a place however the others come to lie: see safe.
//
// The score of a pod that asks for a policy is weight × policy.MaxNodeScore by the number of NUMA nodes
// that its cpus would lie on: the fewer the better.
//
// Pods that are not Guaranteed pass, and so do nodes of which nothing is known, for pods
// that ask for nothing. Of devices and memory nothing is known.
//
// Source: seed 003 §9.2; the rules are those of Kubernetes' topology
// manager and of Volcano's plugin numa-aware.
package numaaware

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// MaxWeight bounds the weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

// Definition is the plugin "numa-aware". With weight 0 it scores nothing and filters all the same.
func Definition() policy.Definition {
	return policy.Define("numa-aware",
		"pods with cpus of their own near to each other, where the kubelet takes them", build)
}

type arguments struct{ weight int64 }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.weight, "weight", 1, "weight of the plugin").AtLeast(0).AtMost(MaxWeight)
}

type plugin struct {
	l      *ledger.Ledger
	state  *containerCounts
	weight int64

	all, staying []chunk // scratch of safe
	free         []int32
	reach        []int64
}

func build(a arguments, l *ledger.Ledger) (*plugin, error) {
	l.NUMA.Heed()
	return &plugin{l: l, state: &containerCounts{l: l}, weight: a.weight}, nil
}

// PluginState counts the cpus that containers have of their own.
func (p *plugin) PluginState() ledger.PluginState { return p.state }

// Concerns says that a kubelet would give the pods cpus of their own, or that they ask for
// a policy.
func (p *plugin) Concerns(s *model.Spec) bool { return s.NUMA != nil }

// FilterNode refuses a node if its kubelet has not the policy that is asked for, or if the pod,
// or another with cpus that are not in the report yet, might find no place there.
func (p *plugin) FilterNode(c *ledger.Class, n ledger.NodeID, future bool) policy.Verdict {
	ask, node := c.Spec.NUMA, p.l.NUMA.Of(n)
	if ask.Policy != model.NUMANone {
		switch {
		case node == nil:
			return policy.Verdict{Code: trace.NodeNUMAPolicy, Text: ""}
		case !node.Static:
			return policy.Verdict{Code: trace.NodeNUMAPolicy, Text: "cpus are shared"}
		case node.Policy != ask.Policy:
			return policy.Verdict{Code: trace.NodeNUMAPolicy, Text: string(node.Policy)}
		}
	}
	if node == nil || !node.Static || len(ask.Cores) == 0 || !insists(node.Policy) {
		return policy.Verdict{}
	}
	if !p.safe(node, p.state.use.On(n), ask.Cores, future) {
		return short(node, ask.Cores[len(ask.Cores)-1])
	}
	return policy.Verdict{}
}

// insists says that a kubelet turns pods away rather than let their cpus lie otherwise.
func insists(p model.NUMAPolicy) bool { return p == model.NUMASingle || p == model.NUMARestricted }
