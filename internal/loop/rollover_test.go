package loop

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	k8stesting "k8s.io/client-go/testing"
)

// Volcano's chart elects no leader. The scheduler that waited for Volcano's to end knows what that
// bound last, though its watch of pods does not show it yet: it puts nothing in that room.
func TestAfterAnotherSchedulerItsLastBindingsAreKnown(t *testing.T) {
	const held = "volcano-system"
	inVirtualTimeWith(t, 1, func(w *living) {
		w.kube.PrependWatchReactor("pods", func(k8stesting.Action) (bool, watch.Interface, error) {
			return true, watch.NewFake(), nil // what happens is shown late
		})
		old := schedulerPod("old", "volcanosh/vc-scheduler:v1.14.0", "--leader-elect=false")
		old.UID = "old"
		w.must(w.core.Create(podsKind, old, held))
		for _, gang := range []string{"first", "second"} {
			w.group(gang, 4, "")
			w.pods(gang, 0, 4, "2") // either fills the only node
		}
	}, func(w *living) {
		w.after(3 * time.Second)
		if n := w.bound("first") + w.bound("second"); n > 0 {
			t.Fatalf("%d pods are bound while another scheduler acts", n)
		}
		for i := range 4 {
			w.change(fmt.Sprint("second-", i), func(p *corev1.Pod) {
				p.Spec.NodeName, p.Status.Phase = "n0", corev1.PodRunning
			})
		}
		w.must(w.core.Delete(podsKind, held, "old"))
		w.after(5 * time.Second)
		if n := w.bound("first"); n > 0 {
			t.Errorf("%d pods are bound to a node that is full", n)
		}
	})
}
