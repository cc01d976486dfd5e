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

// Aspect is the selector.
func (selector) Aspect(s *model.Spec) string {
	var w model.Form
	w.Labels(s.Selector)
	return w.String()
}

// Terms are the selector's labels, each as a requirement.
func (selector) Terms(s *model.Spec) [][]model.Term {
	var out [][]model.Term
	for _, l := range s.Selector {
		out = append(out, []model.Term{{All: []model.Requirement{{Key: l.Key, Op: model.In, Values: []string{l.Value}}}}})
	}
	return out
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

// Aspect is the required affinity.
func (affinity) Aspect(s *model.Spec) string {
	if s.Affinity == nil {
		return ""
	}
	var w model.Form
	w.Number(int64(len(s.Affinity)))
	w.Terms(s.Affinity)
	return w.String()
}

// Terms is the required affinity, if there is one.
func (affinity) Terms(s *model.Spec) [][]model.Term {
	if s.Affinity == nil {
		return nil
	}
	return [][]model.Term{s.Affinity}
}
