package match

import (
	"slices"

	"ashlar.sh/sched/model"
)

// Selects says that all requirements of a label selector hold for a pod's labels, sorted
// by key; a selector without any holds for every pod. It is the selector of a
// PodDisruptionBudget or of an affinity between pods: only In, NotIn, Exists and
// DoesNotExist hold for anything, and NotIn holds where the label is missing.
func Selects(selector []model.Requirement, labels []model.Label) bool {
	for _, r := range selector {
		value, has := model.LabelValue(labels, r.Key)
		holds := false
		switch r.Op {
		case model.In:
			holds = has && slices.Contains(r.Values, value)
		case model.NotIn:
			holds = !has || !slices.Contains(r.Values, value)
		case model.Exists:
			holds = has
		case model.DoesNotExist:
			holds = !has
		}
		if !holds {
			return false
		}
	}
	return true
}
