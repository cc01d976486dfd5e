package predicates

import (
	"cmp"

	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// taints refuses nodes with a NoSchedule or NoExecute taint that the task does not
// tolerate.
type taints struct{}

// FilterStatic names the first untolerated taint by key, value and effect, whatever
// their order on the node: nodes tainted alike are counted together.
func (taints) FilterStatic(s *model.Spec, n *model.Node) policy.Verdict {
	var worst *model.Taint
	for i := range n.Taints {
		t := &n.Taints[i]
		if t.Effect != model.NoSchedule && t.Effect != model.NoExecute || match.Tolerated(s.Tolerations, *t) {
			continue
		}
		if worst == nil || before(t, worst) {
			worst = t
		}
	}
	if worst == nil {
		return policy.Verdict{}
	}
	return policy.Verdict{Code: trace.NodeTaint, Text: taintText(worst)}
}

func before(a, b *model.Taint) bool {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Effect, b.Effect)) < 0
}

// taintText is a taint as kubectl writes it: key=value:Effect, key:Effect without a
// value.
func taintText(t *model.Taint) string {
	if t.Value == "" {
		return t.Key + ":" + string(t.Effect)
	}
	return t.Key + "=" + t.Value + ":" + string(t.Effect)
}

// Aspect is what the spec tolerates.
func (taints) Aspect(s *model.Spec) string {
	var w model.Form
	w.Tolerations(s.Tolerations)
	return w.String()
}
