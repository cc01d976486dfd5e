package predicates

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// features refuses nodes that do not declare a feature which the pod needs of the kubelet.
type features struct{}

// FilterStatic names the first such feature.
func (features) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	for _, f := range s.Features {
		if _, has := slices.BinarySearch(n.Features, f); !has {
			return policy.Verdict{Code: trace.NodeFeatures, Text: f}
		}
	}
	return policy.Verdict{}
}

// Aspect is the features.
func (features) Aspect(s *model.Spec) string {
	var w model.Form
	w.Text(s.Features...)
	return w.String()
}
