package nodeorder

import (
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// taints avoids the nodes with PreferNoSchedule taints that a task does not tolerate.
type taints struct{ weight int64 }

// RawScore is the number of such taints.
func (taints) RawScore(s *model.Spec, n *model.Node) int64 {
	count := int64(0)
	for _, t := range n.Taints {
		if t.Effect == model.PreferNoSchedule && !match.Tolerated(s.Tolerations, t) {
			count++
		}
	}
	return count
}

// Weight is tainttoleration.weight.
func (t taints) Weight() int64 { return t.weight }

// Reverse: fewer taints are better.
func (taints) Reverse() bool { return true }

// Aspect is what the spec tolerates.
func (taints) Aspect(s *model.Spec) string {
	var w model.Form
	w.Tolerations(s.Tolerations)
	return w.String()
}
