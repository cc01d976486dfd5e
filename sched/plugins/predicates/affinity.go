package predicates

import (
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// selector refuses nodes that lack a label of spec.nodeSelector.
type selector struct{}

// FilterStatic asks for every label with its value.
func (selector) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	if match.Labels(s.Selector, n) {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeSelector}
}

// affinity refuses nodes for which no term of the required node affinity holds.
type affinity struct{}

// FilterStatic admits every node where no affinity is required, and none where it is
// required without a term.
func (affinity) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	if s.Affinity == nil || match.Any(s.Affinity, n) {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeAffinity}
}
