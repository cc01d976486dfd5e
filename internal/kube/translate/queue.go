package translate

import (
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Queue translates a queue. A weight of 0 or less counts as 1 (decision 34) and a
// guarantee above the capability as the capability (decision 2). A parent that is
// missing or makes a circle is the engine's to find.
func Queue(q *schedulingv1beta1.Queue) *model.Queue {
	var f faults
	out := &model.Queue{
		Meta:        meta(&q.ObjectMeta),
		Parent:      q.Spec.Parent,
		Weight:      q.Spec.Weight,
		Priority:    q.Spec.Priority,
		State:       queueState(q.Status.State),
		Reclaimable: q.Spec.Reclaimable == nil || *q.Spec.Reclaimable,
		Capability:  f.shared("spec.capability", q.Spec.Capability),
		Deserved:    f.shared("spec.deserved", q.Spec.Deserved),
		Guarantee:   f.shared("spec.guarantee.resource", q.Spec.Guarantee.Resource),
		Groups:      nodeGroups(q.Spec.Affinity),
		Limits:      f.groupLimits(q.Name, q.Annotations),
		Path:        f.path(q.Annotations),

		MinRuntime:   f.minRuntime(q.Annotations),
		MaxEvictions: f.maxEvictions(q.Annotations),
	}
	if out.Weight <= 0 {
		f.taken("spec.weight", "%d is below 1: 1 taken", out.Weight)
		out.Weight = 1
	}
	out.FIFO = f.fifo(q.Spec.DequeueStrategy)
	f.clampGuarantee(out)
	out.Faults = f
	return out
}

// fifo says that a queue's jobs are served strictly in their order. Without, and with traverse, jobs behind one that
// waits are served, as by Volcano's default; so they are with what is not known.
func (f *faults) fifo(s schedulingv1beta1.DequeueStrategy) bool {
	switch s {
	case schedulingv1beta1.DequeueStrategyFIFO:
		return true
	case "", schedulingv1beta1.DequeueStrategyTraverse:
	default:
		f.taken("spec.dequeueStrategy", "%q is not known: traverse taken", short(string(s)))
	}
	return false
}

// shared are the amounts of what queues share. Numbers of pods are not shared (decision 24).
func (f *faults) shared(field string, list corev1.ResourceList) resource.List {
	return slices.DeleteFunc(f.amounts(field, list, clusterBound), func(a resource.Amount) bool {
		if a.Name == resource.PodsName {
			f.taken(at(field, a.Name), "%d has no effect: queues share no numbers of pods; a ResourceQuota bounds those of a "+
				"namespace", a.Value)
		}
		return a.Name == resource.PodsName
	})
}

// clampGuarantee guarantees no more than the queue may hold.
func (f *faults) clampGuarantee(q *model.Queue) {
	clamped := make(resource.List, 0, len(q.Guarantee))
	for _, g := range q.Guarantee {
		if c, limited := q.Capability.Get(g.Name); limited && g.Value > c {
			f.taken(at("spec.guarantee.resource", g.Name), "%s is above the capability of %s: %s taken",
				written(g.Name, g.Value), written(g.Name, c), written(g.Name, c))
			g.Value = c
		}
		clamped = append(clamped, g)
	}
	if q.Guarantee != nil {
		q.Guarantee = clamped
	}
}

// queueState takes an empty state for Open (decision 5).
func queueState(s schedulingv1beta1.QueueState) model.QueueState {
	switch s {
	case "", schedulingv1beta1.QueueStateOpen:
		return model.QueueOpen
	case schedulingv1beta1.QueueStateClosed:
		return model.QueueClosed
	case schedulingv1beta1.QueueStateClosing:
		return model.QueueClosing
	}
	return model.QueueUnknown
}

// nodeGroups is nil for an affinity that names no group: it says nothing.
func nodeGroups(a *schedulingv1beta1.Affinity) *model.NodeGroups {
	if a == nil {
		return nil
	}
	g := &model.NodeGroups{}
	if with := a.NodeGroupAffinity; with != nil {
		g.Required = sorted(with.RequiredDuringSchedulingIgnoredDuringExecution)
		for _, name := range with.PreferredDuringSchedulingIgnoredDuringExecution {
			if !slices.Contains(g.Preferred, name) {
				g.Preferred = append(g.Preferred, name)
			}
		}
	}
	if without := a.NodeGroupAntiAffinity; without != nil {
		g.Forbidden = sorted(without.RequiredDuringSchedulingIgnoredDuringExecution)
		g.Avoided = sorted(without.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if len(g.Required)+len(g.Preferred)+len(g.Forbidden)+len(g.Avoided) == 0 {
		return nil
	}
	return g
}

// groupLimitsKey is the annotation that limits what a queue's jobs hold of each group of nodes: in
// JSON, by the group's name, amounts as in a capability.
const groupLimitsKey = "volcano.sh/nodegroup-resource-limits"

// groupLimits is nil where the annotation is missing or empty, or limits nothing. What is no such
// JSON could limit anything: as with Volcano no node takes the queue's jobs then.
func (f *faults) groupLimits(queue string, annotations map[string]string) *model.GroupLimits {
	text := annotations[groupLimitsKey]
	if text == "" {
		return nil
	}
	var lists map[string]corev1.ResourceList
	if err := json.Unmarshal([]byte(text), &lists); err != nil {
		f.taken(annotation(groupLimitsKey),
			"%q is not as {\"GROUP\":{\"cpu\":\"2\"}}: with plugin nodegroup no node takes its jobs", short(text))
		return &model.GroupLimits{Queue: queue, Unreadable: true}
	}
	out := &model.GroupLimits{Queue: queue}
	for _, group := range slices.Sorted(maps.Keys(lists)) {
		most := f.bounded(at(annotation(groupLimitsKey), group), lists[group], clusterBound)
		if len(most) > 0 {
			out.Of = append(out.Of, model.GroupLimit{Group: group, Most: most})
		}
	}
	if len(out.Of) == 0 {
		return nil
	}
	return out
}

// sorted is names in order, none twice.
func sorted(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
