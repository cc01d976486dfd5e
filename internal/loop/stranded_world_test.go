package loop

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/persisted"
)

var (
	rayKind     = schema.GroupVersionResource{Group: "ray.io", Version: "v1", Resource: "rayclusters"}
	budgetsKind = policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")
)

func forbidden(name string) error {
	return apierrors.NewForbidden(groupsKind.GroupResource(), name, errors.New("no"))
}

// clusterOf makes a RayCluster; its controller makes pods anew, and its name is its UID.
func (w *living) clusterOf(name string) {
	w.must(w.owners.Tracker().Add(&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "ray.io/v1",
		Kind: "RayCluster"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}))
}

// owned makes a pod of a gang that a RayCluster controls.
func (w *living) owned(name, group, owner, cpu string, change ...func(*corev1.Pod)) {
	yes := true
	p := waiting(name)
	p.UID = types.UID(fmt.Sprint(name, time.Now().UnixNano()))
	if group != "" {
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group}
	}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ray.io/v1", Kind: "RayCluster", Name: owner,
		UID: types.UID(owner), Controller: &yes}}
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores(cpu)
	for _, c := range change {
		c(p)
	}
	w.must(w.core.Create(podsKind, p, "ns"))
}

// gangOf4 makes a gang of four pods of one core each, of RayCluster ray.
func (w *living) gangOf4() {
	w.clusterOf("ray")
	w.group("g", 4, hasty)
	for i := range 4 {
		w.owned(fmt.Sprint("g-", i), "g", "ray", "1")
	}
}

// remade lets time pass in which a controller makes the pods of the gang anew that are gone.
func (w *living) remade(d time.Duration) {
	for range d / time.Second {
		w.after(time.Second)
		for i := range 4 {
			if name := fmt.Sprint("g-", i); !w.there(name) {
				w.owned(name, "g", "ray", "1")
			}
		}
	}
}

func (w *living) there(pod string) bool {
	_, err := w.core.Get(podsKind, "ns", pod)
	return err == nil
}

// runs makes a pod that runs on a node.
func (w *living) runs(name, group, owner, cpu, node string) {
	w.owned(name, group, owner, cpu, func(p *corev1.Pod) {
		p.Spec.NodeName = node
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	})
}

// deletions and bindings are how many of each were asked for.
func (w *living) deletions() (n int) {
	for _, a := range w.kube.Actions() {
		if a.GetVerb() == "delete" && a.GetResource() == podsKind {
			n++
		}
	}
	return n
}

func (w *living) bindings(pods ...string) (n int) {
	for _, a := range w.kube.Actions() {
		if c, ok := a.(k8stesting.CreateAction); ok {
			b, ok := c.GetObject().(*corev1.Binding)
			if ok && !onlyTried(b) && (len(pods) == 0 || slices.Contains(pods, b.Name)) {
				n++
			}
		}
	}
	return n
}

// bound is how many pods of a group have a node.
func (w *living) bound(group string) (n int) {
	for _, p := range w.members(group) {
		if p.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

// messages are what events say of a PodGroup.
func (w *living) messages(group string) (out []string) {
	all, err := w.kube.CoreV1().Events("ns").List(w.Context(), metav1.ListOptions{})
	w.must(err)
	for _, e := range all.Items {
		if e.InvolvedObject.Name == group {
			out = append(out, e.Reason+": "+e.Message)
		}
	}
	return out
}

// shown is a PodGroup as it is.
func (w *living) shown(group string) *schedulingv1beta1.PodGroup {
	g, err := w.groups.Get(groupsKind, "ns", group)
	w.must(err)
	return g.(*schedulingv1beta1.PodGroup).DeepCopy()
}

// regroup changes a PodGroup by another hand.
func (w *living) regroup(group string, how func(*schedulingv1beta1.PodGroup)) {
	g := w.shown(group)
	how(g)
	w.must(w.groups.Update(groupsKind, g, "ns"))
}

// record is what a PodGroup keeps of refusals; false where it keeps nothing.
func (w *living) record(group string) (persisted.RefusedBinds, bool) {
	r, err := persisted.ReadRefusedBinds(w.shown(group).Annotations[persisted.RefusedBindsKey])
	return r, err == nil
}

// waitsFor is the message of a PodGroup's condition Unschedulable, "" where it is not true.
func (w *living) waitsFor(group string) string {
	for _, c := range w.status(group).Conditions {
		if c.Type == schedulingv1beta1.PodGroupUnschedulableType && c.Status == corev1.ConditionTrue {
			return c.Message
		}
	}
	return ""
}
