// Package stranded reads what has to be known before members of a gang are deleted, since it
// cannot be completed: its PodGroup and all its pods past every cache, and of each bound pod
// whether its controller will make it anew.
//
// It decides nothing and deletes nothing. Invariants: what cannot be read is a reason to
// protect a pod and never one to delete it; a kind of controller that is not known to make
// pods anew, whatever became of them, protects its pods.
package stranded

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/kube/translate"
)

// Reader reads from the API server itself.
type Reader struct {
	Kube     kubernetes.Interface
	Volcano  versioned.Interface
	Metadata metadata.Interface // nil: of owners that only it could read nothing is known
}

// Sight is a gang as the API server shows it.
type Sight struct {
	Group   *schedulingv1beta1.PodGroup
	Members []Member // those that have not finished
}

// Member is a pod of a gang.
type Member struct {
	Name, UID string
	Bound     bool
	Leaving   bool   // it is being deleted
	Protected string // why it must not be deleted, "" where nothing is known against it; of those that are bound
}

// Look reads a gang. Its error says that not all was to be read.
func (r *Reader) Look(ctx context.Context, namespace, name string) (*Sight, error) {
	group, err := r.Volcano.SchedulingV1beta1().PodGroups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read PodGroup %s/%s: %w", namespace, name, err)
	}
	pods, err := r.pods(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	s := &Sight{Group: group}
	owned := map[types.UID]int{} // how many pods of a controller would go
	for i := range pods {
		if ref := metav1.GetControllerOfNoCopy(&pods[i]); ref != nil && goes(&pods[i]) {
			owned[ref.UID]++
		}
	}
	known := map[types.UID]string{}
	for i := range pods {
		p := &pods[i]
		m := Member{Name: p.Name, UID: string(p.UID), Bound: p.Spec.NodeName != "", Leaving: p.DeletionTimestamp != nil}
		if goes(p) {
			m.Protected = r.protected(ctx, group, p, owned, known)
		}
		s.Members = append(s.Members, m)
	}
	return s, nil
}

// goes says that a pod is one of those that would be deleted.
func goes(p *corev1.Pod) bool { return p.Spec.NodeName != "" && p.DeletionTimestamp == nil }

// page is how many pods are read at once.
const page = 1000

// pods are those of a PodGroup that have not finished.
func (r *Reader) pods(ctx context.Context, namespace, group string) (out []corev1.Pod, err error) {
	at := metav1.ListOptions{FieldSelector: "status.phase!=Succeeded,status.phase!=Failed", Limit: page}
	for {
		list, err := r.Kube.CoreV1().Pods(namespace).List(ctx, at)
		if err != nil {
			return nil, fmt.Errorf("list the pods of namespace %s: %w", namespace, err)
		}
		for i := range list.Items {
			if p := &list.Items[i]; translate.GroupOf(p) == group && p.Status.Phase != corev1.PodSucceeded &&
				p.Status.Phase != corev1.PodFailed {
				out = append(out, *p)
			}
		}
		if at.Continue = list.Continue; at.Continue == "" {
			return out, nil
		}
	}
}

// protected is why a bound pod must not be deleted, "" where nothing is known against it.
func (r *Reader) protected(ctx context.Context, group *schedulingv1beta1.PodGroup, p *corev1.Pod,
	owned map[types.UID]int, known map[types.UID]string) string {
	switch {
	case !translate.Preemptable(p.Annotations, p.Labels):
		return "it is marked " + schedulingv1beta1.PodPreemptable + `: "false"`
	case !translate.Preemptable(group.Annotations, group.Labels):
		return "its PodGroup is marked " + schedulingv1beta1.PodPreemptable + `: "false"`
	}
	ref := metav1.GetControllerOfNoCopy(p)
	if ref == nil {
		return "it has no controller that would make it anew"
	}
	why, read := known[ref.UID]
	if !read {
		why = r.controller(ctx, p.Namespace, ref, owned[ref.UID])
		known[ref.UID] = why
	}
	return why
}
