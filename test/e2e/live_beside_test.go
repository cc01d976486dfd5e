package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/test/e2e/cluster"
)

// A real kube-scheduler runs beside: pods of the one and the other come in turn on two nodes of four cores. Each
// scheduler counts what the other has placed, leaves the other's pods alone, and uses the room that the other's pods
// leave.
func TestLiveBesideKubeScheduler(t *testing.T) {
	w, _ := privateWorldOf(t, cluster.Options{KubeScheduler: true}, ourCRDs)
	w.node("a", "4")
	w.node("b", "4")
	w.queue()
	w.schedule(w.config)

	large := w.podFor("large", corev1.DefaultSchedulerName, "3")
	on := w.placed(large)
	other := map[string]string{"a": "b", "b": "a"}[on]
	w.gangOf("gang", 2, func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("2")
	})
	for _, name := range []string{"gang-0", "gang-1"} {
		if at := w.placed(name); at != other {
			t.Errorf("%s is on %s, of which kube-scheduler's pod holds 3 of 4 cores", name, at)
		}
	}
	if at := w.placed(w.podFor("small", corev1.DefaultSchedulerName, "1")); at != on {
		t.Errorf("kube-scheduler's pod is on %s, which our gang has filled", at)
	}
	theirs, ours := w.podFor("theirs", corev1.DefaultSchedulerName, "1"), w.podFor("ours", w.ns, "1")
	w.refused(theirs, "0/2 nodes are available: 2 Insufficient cpu")
	w.refused(ours, "none of 2 nodes takes it: 2 lack cpu")

	atOnce := int64(0) // no kubelet ends it
	if err := w.kube.CoreV1().Pods(w.ns).Delete(t.Context(), large,
		metav1.DeleteOptions{GracePeriodSeconds: &atOnce}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{theirs, ours} {
		if at := w.placed(name); at != on {
			t.Errorf("%s is on %s, and the room is on %s", name, at, on)
		}
	}
	pods, err := w.kube.CoreV1().Pods(w.ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]int64{}
	for i := range pods.Items {
		held[pods.Items[i].Spec.NodeName] += pods.Items[i].Spec.Containers[0].Resources.Requests.Cpu().Value()
	}
	if held["a"]+held["b"] != 7 || held["a"] > 4 || held["b"] > 4 {
		t.Errorf("the pods hold %v cores of four each", held)
	}
}

// podFor makes a pod for a scheduler.
func (w world) podFor(name, scheduler, cpu string) string {
	w.t.Helper()
	p := pod(w.ns, name)
	p.Spec.SchedulerName = scheduler
	p.Annotations = map[string]string{"scheduling.volcano.sh/queue-name": w.ns}
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	w.try("make pod "+name, func(ctx context.Context) error {
		_, err := w.kube.CoreV1().Pods(w.ns).Create(ctx, p, metav1.CreateOptions{})
		return err
	})
	return name
}

// placed waits until a pod has a node, and returns it.
func (w world) placed(name string) (node string) {
	w.t.Helper()
	w.await("see "+name+" bound", func(ctx context.Context) error {
		p, err := w.kube.CoreV1().Pods(w.ns).Get(ctx, name, metav1.GetOptions{})
		if err == nil && p.Spec.NodeName == "" {
			err = fmt.Errorf("it waits: %+v", p.Status.Conditions)
		}
		if err == nil {
			node = p.Spec.NodeName
		}
		return err
	})
	return node
}

// refused waits until a pod says why it waits.
func (w world) refused(name, why string) {
	w.t.Helper()
	w.await("see why "+name+" waits", func(ctx context.Context) error {
		p, err := w.kube.CoreV1().Pods(w.ns).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && strings.Contains(c.Message, why) {
				return nil
			}
		}
		return fmt.Errorf("it says %+v", p.Status.Conditions)
	})
}
