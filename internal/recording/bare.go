package recording

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/model"
)

// Bare returns a fact without what no decision reads of the object that it keeps: of a pod the environment, commands,
// annotations and volumes other than claims; of objects of storage what their drivers are told; of others kubectl's
// copy of the whole. What the live scheduler knows is bare already.
func Bare(f model.Fact) model.Fact {
	if o, ok := f.Object.(*model.Opaque); ok {
		content, ok := o.Content.(runtime.Object)
		if !ok {
			return f
		}
		content = content.DeepCopyObject()
		translate.BareStorage(content)
		if m, err := meta.Accessor(content); err == nil {
			m.SetManagedFields(nil)
			delete(m.GetAnnotations(), corev1.LastAppliedConfigAnnotation)
		}
		f.Object = &model.Opaque{Meta: o.Meta, Content: content}
		return f
	}
	pod, ok := f.Object.(*model.Pod)
	if !ok {
		return f
	}
	p, ok := pod.Opaque.(*corev1.Pod)
	if !ok {
		return f
	}
	out := &corev1.Pod{TypeMeta: p.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name,
		UID: p.UID, Labels: p.Labels, OwnerReferences: p.OwnerReferences, CreationTimestamp: p.CreationTimestamp,
		DeletionTimestamp: p.DeletionTimestamp}, Status: p.Status}
	out.Status.Message, out.Status.Conditions = "", nil
	spec := &out.Spec
	spec.NodeName, spec.SchedulerName, spec.NodeSelector, spec.Affinity = p.Spec.NodeName, p.Spec.SchedulerName,
		p.Spec.NodeSelector, p.Spec.Affinity
	spec.Tolerations, spec.Priority, spec.ResourceClaims = p.Spec.Tolerations, p.Spec.Priority, p.Spec.ResourceClaims
	spec.Overhead, spec.Resources, spec.RestartPolicy = p.Spec.Overhead, p.Spec.Resources, p.Spec.RestartPolicy
	spec.InitContainers, spec.Containers = bareContainers(p.Spec.InitContainers), bareContainers(p.Spec.Containers)
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil || v.CSI != nil {
			if v.CSI != nil {
				v.CSI = &corev1.CSIVolumeSource{Driver: v.CSI.Driver}
			}
			spec.Volumes = append(spec.Volumes, translate.BareClaimOf(v))
		}
	}
	bare := *pod
	bare.Opaque = out
	f.Object = &bare
	return f
}

func bareContainers(list []corev1.Container) (out []corev1.Container) {
	for _, c := range list {
		out = append(out, corev1.Container{Name: c.Name, Resources: c.Resources, RestartPolicy: c.RestartPolicy})
	}
	return out
}
