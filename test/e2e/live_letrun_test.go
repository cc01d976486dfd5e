package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/record"
)

// recorded says that all these pods have the record of where they were let run.
func recorded(pods []corev1.Pod) bool {
	n := 0
	for _, p := range pods {
		for _, c := range p.Status.Conditions {
			if c.Type == record.LetRunType && c.Status == corev1.ConditionTrue {
				n++
			}
		}
	}
	return n == len(pods) && n > 0
}

// A queue may hold 2 cores, and a gang of it does. Its tenant deletes the gang's PodGroup, or has it name
// another queue. Nothing else of that queue starts, neither then nor by a scheduler that is started later and
// knows the objects alone.
func TestLiveAQueuesCapabilityHoldsOverARestart(t *testing.T) {
	for name, escape := range map[string]func(ns string) error{
		"the PodGroup is deleted": func(ns string) error {
			return shared.dynamic.Resource(podGroupResource).Namespace(ns).Delete(t.Context(), "first", metav1.DeleteOptions{})
		},
		"the PodGroup names no queue and asks for nonsense": func(ns string) error {
			_, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Patch(t.Context(), "first", types.MergePatchType,
				[]byte(`{"spec":{"queue":"default","minResources":{"cpu":"-1"}}}`), metav1.PatchOptions{})
			return err
		},
		"the pods name another PodGroup": func(ns string) error {
			for _, p := range list(t, ns, "first") {
				if _, err := shared.kube.CoreV1().Pods(ns).Patch(t.Context(), p.Name, types.MergePatchType,
					[]byte(`{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"nowhere"}}}`),
					metav1.PatchOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-a", "16")
			q := object("Queue", ns, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "2"}})
			if _, err := shared.dynamic.Resource(queueResource).Create(t.Context(), q, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = shared.dynamic.Resource(queueResource).Delete(context.Background(), ns, metav1.DeleteOptions{})
			})
			stop := live(t, ns)
			submit(t, ns, ns, "first", 2, 2, "1")
			awaitRunning(t, ns, "first", 2)
			if recorded(list(t, ns, "first")[:1]) {
				t.Error("there is a record while nothing is odd")
			}
			if err := escape(ns); err != nil {
				t.Fatal(err)
			}
			eventually(t, "where the pods were let run is recorded", func(context.Context) (bool, error) {
				return recorded(list(t, ns, "first")), nil
			}, func() string { return "" })
			stop()
			live(t, ns)
			submit(t, ns, ns, "second", 2, 2, "1")
			holds(8*time.Second, func() {
				if n := bound(list(t, ns, "second")); n > 0 {
					t.Fatalf("a queue that may hold 2 cores holds %d", 2+n)
				}
			})
			for _, p := range list(t, ns, "first") { // what it holds ends with its pods
				if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), p.Name,
					metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
					t.Fatal(err)
				}
			}
			awaitRunning(t, ns, "second", 2)
		})
	}
}
