package translate

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// defaultPods is how many pods a kubelet takes unless it is told otherwise.
const defaultPods = 110

// Node translates a node. As the API server does, it takes the capacity for the
// allocatable when only the capacity is given. Whatever is wrong with one resource, the node
// has its others. What its agent lends beyond them is added (oversubscribed).
func Node(n *corev1.Node) *model.Node {
	out := &model.Node{
		Meta:          meta(&n.ObjectMeta),
		Labels:        labels(n.Labels),
		Taints:        taints(n.Spec.Taints),
		Unschedulable: n.Spec.Unschedulable,
		Features:      NeededFeatures(n.Status.DeclaredFeatures),
		Images:        images(n.Status.Images),
	}
	var f faults
	out.Capacity = f.offered("status.capacity", n.Status.Capacity)
	out.Allocatable = out.Capacity
	if n.Status.Allocatable != nil {
		out.Allocatable = f.offered("status.allocatable", n.Status.Allocatable)
	}
	if _, ok := out.Allocatable.Get(resource.PodsName); !ok && len(out.Allocatable) > 0 {
		f.taken("status.allocatable.pods", "is missing: %d taken, as a kubelet would", defaultPods)
		out.Allocatable = resource.Normalize(append(slices.Clone(out.Allocatable),
			resource.Amount{Name: resource.PodsName, Value: defaultPods}))
	}
	f.oversubscribed(out, n.Annotations)
	out.Faults = f
	return out
}

// labels sorts a map of labels by key; nil when there are none.
func labels(m map[string]string) []model.Label {
	if len(m) == 0 {
		return nil
	}
	out := make([]model.Label, 0, len(m))
	for k, v := range m {
		out = append(out, model.Label{Key: k, Value: v})
	}
	slices.SortFunc(out, func(a, b model.Label) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func taints(list []corev1.Taint) []model.Taint {
	if len(list) == 0 {
		return nil
	}
	out := make([]model.Taint, 0, len(list))
	for _, t := range list {
		out = append(out, model.Taint{Key: t.Key, Value: t.Value, Effect: model.Effect(t.Effect)})
	}
	slices.SortFunc(out, func(a, b model.Taint) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(out)
}
