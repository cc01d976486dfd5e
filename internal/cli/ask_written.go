//go:build !simulator

package cli

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/explain"
)

// writtenBy is what PodGroups and pods say of themselves.
func writtenBy(objects []metav1.Object) *explain.Written {
	out := &explain.Written{}
	for _, o := range objects {
		switch o := o.(type) {
		case *schedulingv1beta1.PodGroup:
			out.Jobs = append(out.Jobs, writtenJob(o))
		case *corev1.Pod:
			out.Pods = append(out.Pods, writtenPod(o))
		}
	}
	return out
}

func writtenJob(g *schedulingv1beta1.PodGroup) explain.WrittenJob {
	out := explain.WrittenJob{Namespace: g.Namespace, Name: g.Name, Queue: g.Spec.Queue, Phase: string(g.Status.Phase),
		MinMember: g.Spec.MinMember, Running: g.Status.Running}
	for _, c := range g.Status.Conditions {
		if c.Type != schedulingv1beta1.PodGroupUnschedulableType || c.Status != corev1.ConditionTrue {
			continue
		}
		out.Message, out.Since, out.Codes = c.Message, c.LastTransitionTime.UnixNano(), c.TransitionID
		if explain.StateOf([]string{c.Reason}) != explain.Unclear && explain.StateOf(codes(out.Codes)) == explain.Unclear {
			out.Codes = c.Reason // of Volcano's scheduler the transition ID is that of a session
		}
	}
	return out
}

func writtenPod(p *corev1.Pod) explain.WrittenPod {
	out := explain.WrittenPod{Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName, Phase: string(p.Status.Phase),
		Job: p.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey]}
	if p.Status.StartTime != nil {
		out.Started = p.Status.StartTime.UnixNano()
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			out.Reason, out.Message, out.Since = c.Reason, c.Message, c.LastTransitionTime.UnixNano()
		}
	}
	return out
}
