package predicates

import (
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// cordon refuses nodes that are set unschedulable.
type cordon struct{}

// FilterStatic exempts tasks that tolerate the taint which Kubernetes gives cordoned
// nodes, whether or not the node has it already: daemons of the node itself.
func (cordon) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	if !n.Unschedulable {
		return policy.Verdict{}
	}
	if match.Tolerated(s.Tolerations, model.Taint{Key: "node.kubernetes.io/unschedulable", Effect: model.NoSchedule}) {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeUnschedulable}
}

// Aspect is what the spec tolerates.
func (cordon) Aspect(s *model.Spec) string {
	var w model.Form
	w.Tolerations(s.Tolerations)
	return w.String()
}
