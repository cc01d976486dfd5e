package observe

import (
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
)

// byStart is the index of PodGroups that ask when they start, or are told it.
const byStart = "start"

func startOf(o any) ([]string, error) {
	if g, is := o.(*schedulingv1beta1.PodGroup); is && (g.Annotations[persisted.TellStart] != "" ||
		g.Annotations[persisted.StartKey] != "") {
		return []string{byStart}, nil
	}
	return nil, nil
}

// Starts are the PodGroups of an observer's scheduler that ask when they start, or are told it. They must not be
// changed.
func Starts(w *Observer) (out []*schedulingv1beta1.PodGroup) {
	groups, err := w.groups.ByIndex(byStart, byStart)
	if err != nil {
		return nil // there is such an index
	}
	for _, o := range groups {
		if g, is := o.(*schedulingv1beta1.PodGroup); is && w.options.Ring.owns(job(g)) {
			out = append(out, g)
		}
	}
	return out
}
