package profile

import (
	"ashlar.sh/internal/config"
	"ashlar.sh/sched/model"
)

// Unheeded says which fields of a queue no configured plugin reads, a sentence each.
func Unheeded(chosen *config.Scheduler, q *model.Queue) (out []string) {
	if q.Name == model.RootQueue {
		return nil
	}
	_, byWeight := chosen.Plugin("proportion")
	capacity, byAmounts := chosen.Plugin("capacity")
	switch {
	case !byWeight && !byAmounts:
		if len(q.Deserved)+len(q.Guarantee)+len(q.Capability) > 0 || q.Weight > 1 {
			out = append(out, "neither plugin proportion nor capacity is configured: weight, deserved, guarantee and "+
				"capability do nothing")
		}
	case !byAmounts && len(q.Deserved) > 0:
		out = append(out, "spec.deserved does nothing: plugin proportion shares by weight, and only capacity reads it")
	case !byWeight && q.Weight > 1:
		out = append(out, "spec.weight does nothing: plugin capacity shares by spec.deserved, and only proportion reads it")
	}
	below := q.Parent != "" && q.Parent != model.RootQueue
	if below && !(byAmounts && capacity.Enabled(config.Hierarchy)) && (byWeight || byAmounts) {
		out = append(out, "spec.parent has no part in sharing: only plugin capacity with enableHierarchy: true shares level "+
			"by level")
	}
	return out
}
