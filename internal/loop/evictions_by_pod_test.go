package loop

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// What is known of evictions for one pod of a job must not hold up its other pods.

// labelled makes a node that pods may be pinned to.
func (w *living) labelled(node string) {
	o, err := w.core.Get(nodesKind, "", node)
	w.must(err)
	n := o.(*corev1.Node).DeepCopy()
	n.Labels = map[string]string{"at": node}
	w.must(w.core.Update(nodesKind, n, ""))
}

// pinned makes a pod of a job that fits on one node.
func (w *living) pinned(group, pod, cpu, node string, priority int32) *corev1.Pod {
	p := waiting(pod)
	p.UID = types.UID(pod)
	p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group}
	p.Spec.Priority, p.Spec.PriorityClassName = &priority, map[bool]string{true: "high", false: "low"}[priority > 1]
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores(cpu)
	p.Spec.NodeSelector = map[string]string{"at": node}
	w.must(w.core.Create(podsKind, p.DeepCopy(), "ns"))
	return p
}

// classed makes the PodGroup of a job of one pod.
func (w *living) classed(group, class string) {
	w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: group, UID: types.UID(group)},
		Spec:       schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "default", PriorityClassName: class}}, "ns"))
}

func (w *living) isBound(pod string) bool {
	o, err := w.core.Get(podsKind, "ns", pod)
	return err == nil && o.(*corev1.Pod).Spec.NodeName != ""
}

// storeRefuses has the API server accept dry runs of a pod's binding, and refuse the binding, until it is healed.
func (w *living) storeRefuses(pod string) (heal func()) {
	large := true
	w.answers(&w.kube.Fake, "create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		b, ok := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
		if !ok || onlyTried(b) || b.Name != pod || !large {
			return false, nil, nil
		}
		return true, nil, apierrors.NewInternalError(errors.New("etcdserver: request is too large"))
	})
	return func() { large = false }
}

// Pods were evicted in vain for a pod that fits nowhere any more. Another pod of the job, which was never refused, has
// one evicted and starts, and is not said to be refused.
func TestEvictionsInVainForOnePodDoNotHoldUpAnother(t *testing.T) {
	inVirtualTimeWith(t, 1, pressed, func(w *living) {
		w.storeRefuses("urgent-0")
		w.node("s", "8")
		w.labelled("s")
		w.labelled("n0")
		w.classed("low", "low")
		low := map[string]*corev1.Pod{"low-s": w.pinned("low", "low-s", "8", "s", 1),
			"low-n": w.pinned("low", "low-n", "8", "n0", 1)}
		w.after(20 * time.Second)
		w.classed("urgent", "high")
		w.pinned("urgent", "urgent-0", "8", "s", 1000)
		w.remaking(low, 2*time.Hour, func() bool { return false })
		w.delete("low-s")
		delete(low, "low-s")
		w.must(w.core.Delete(nodesKind, "", "s"))
		w.after(time.Minute)
		w.pinned("urgent", "urgent-1", "4", "n0", 1000)
		said := false
		w.remaking(low, 45*time.Minute, func() bool {
			said = said || strings.Contains(w.waitsFor("urgent"), "urgent-1: the API server has refused")
			return w.isBound("urgent-1")
		})
		if !w.isBound("urgent-1") || said {
			t.Errorf("urgent-1 runs: %t, is said to be refused: %t; %s", w.isBound("urgent-1"), said, w.waitsFor("urgent"))
		}
	})
}

// A job goes on. One of its pods is always refused, in free room; another one was refused once, is permitted by now,
// and needs an eviction. It waited for as long as the first one was refused.
func TestARefusedPodOfAJobThatGoesOnDoesNotHoldUpAnother(t *testing.T) {
	inVirtualTimeWith(t, 1, alone, func(w *living) {
		for _, n := range []string{"x", "y"} {
			w.node(n, "8")
			w.labelled(n)
		}
		w.labelled("n0")
		w.classed("low", "low")
		w.classed("urgent", "high")
		w.pinned("urgent", "urgent-0", "8", "n0", 1000)
		low := map[string]*corev1.Pod{"low-y": w.pinned("low", "low-y", "8", "y", 1)}
		w.after(20 * time.Second)
		w.refuse("urgent-1 urgent-2")
		w.pinned("urgent", "urgent-1", "1", "x", 1000)
		w.pinned("urgent", "urgent-2", "8", "y", 1000)
		w.remaking(low, 20*time.Second, func() bool { return false })
		w.refuse("urgent-1")
		w.remaking(low, 2*time.Hour, func() bool { return w.isBound("urgent-2") })
		if !w.isBound("urgent-2") || w.isBound("urgent-1") {
			t.Errorf("urgent-2 runs: %t, urgent-1: %t; %s", w.isBound("urgent-2"), w.isBound("urgent-1"), w.waitsFor("urgent"))
		}
	})
}
