package translate

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
	"ashlar.sh/sched/model"
)

// PodGroup translates a gang. minMember and minTaskMember below zero count as zero
// (decision 34).
func PodGroup(g *schedulingv1beta1.PodGroup) *model.PodGroup {
	var f faults
	out := &model.PodGroup{
		Meta:          meta(&g.ObjectMeta),
		Queue:         asName(g.Spec.Queue),
		Labels:        labels(g.Labels),
		MinMember:     f.notNegative("spec.minMember", g.Spec.MinMember),
		PriorityClass: g.Spec.PriorityClassName,
		HasMin:        g.Spec.MinResources != nil,
		MaxWait:       f.maxWait(g.Annotations),
		Lasts:         f.lasts(g.Annotations),
		Preemptable:   truth(schedulingv1beta1.PodPreemptable, g.Annotations, g.Labels),
		Protected:     !Preemptable(g.Annotations, g.Labels),
	}
	f.budget(out, g.Annotations)
	for role, least := range g.Spec.MinTaskMember {
		out.MinTaskMember = append(out.MinTaskMember, model.RoleMin{Role: role, Min: least})
	}
	slices.SortFunc(out.MinTaskMember, func(a, b model.RoleMin) int { return cmp.Compare(a.Role, b.Role) })
	for i, r := range out.MinTaskMember {
		out.MinTaskMember[i].Min = f.notNegative(at("spec.minTaskMember", r.Role), r.Min)
	}
	if out.HasMin {
		out.MinResources = f.amounts("spec.minResources", *g.Spec.MinResources, clusterBound)
	}
	out.Topology = f.topology("spec.networkTopology", g.Spec.NetworkTopology)
	out.SubGroups = f.subGroups(g.Spec.SubGroupPolicy)
	out.Phase = f.groupPhase(g.Status.Phase)
	f.record(g.Annotations)
	f.unheeded(g.ManagedFields)
	if _, _, err := persisted.TellsStart(g.Annotations); err != nil {
		f.taken(annotation(persisted.TellStart), "%q: %v; the start is not told",
			short(g.Annotations[persisted.TellStart]), err)
	}
	out.Faults = f
	return out
}

// topologyAffinity is how the API server notes of a PodGroup that its spec has this field, which Volcano 1.16 added:
// the types that are read here do not have it.
const topologyAffinity = `"f:topologyAffinity"`

// Unheeded keeps of the fields that clients wrote to a PodGroup those that are not read, to be told.
func Unheeded(written []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	for _, w := range written {
		if w.FieldsV1 != nil && strings.Contains(w.FieldsV1.GetRawString(), topologyAffinity) {
			return []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(topologyAffinity)}}
		}
	}
	return nil
}

// unheeded tells of the fields that Unheeded finds.
func (f *faults) unheeded(written []metav1.ManagedFieldsEntry) {
	if Unheeded(written) != nil {
		f.taken("spec.topologyAffinity", "it has no effect: pods are kept apart by anti-affinity of their own")
	}
}

// record looks whether what the scheduler keeps of refused bindings can be read.
func (f *faults) record(annotations map[string]string) {
	if text, there := annotations[persisted.RefusedBindsKey]; there {
		if _, err := persisted.ReadRefusedBinds(text); err != nil {
			f.taken(annotation(persisted.RefusedBindsKey),
				"it is no record of this scheduler (%v): it is left out, and no member is released by it", err)
		}
	}
}

// notNegative takes 0 for a number below it.
func (f *faults) notNegative(field string, v int32) int32 {
	if v < 0 {
		f.taken(field, "%d is below 0: 0 taken", v)
		return 0
	}
	return v
}

func (f *faults) groupPhase(p schedulingv1beta1.PodGroupPhase) model.GroupPhase {
	switch p {
	case "", schedulingv1beta1.PodGroupPending:
		return model.GroupPending
	case schedulingv1beta1.PodGroupInqueue:
		return model.GroupInqueue
	case schedulingv1beta1.PodGroupRunning:
		return model.GroupRunning
	case schedulingv1beta1.PodGroupUnknown:
		return model.GroupUnknown
	case schedulingv1beta1.PodGroupCompleted:
		return model.GroupCompleted
	}
	f.taken("status.phase", "%q is not a phase of a PodGroup: Pending taken", short(string(p)))
	return model.GroupPending
}

// PriorityClass translates a priority class.
func PriorityClass(c *schedulingv1.PriorityClass) *model.PriorityClass {
	return &model.PriorityClass{
		Meta:          meta(&c.ObjectMeta),
		Value:         c.Value,
		GlobalDefault: c.GlobalDefault,
		PreemptNever:  c.PreemptionPolicy != nil && *c.PreemptionPolicy == corev1.PreemptNever,
	}
}
