package loop

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// A job was refused once, and needs as many evictions as a cap permits in a minute. What is only tried counted as
// evicted, and the job waited for ever.
func TestARefusedJobEvictsUnderACap(t *testing.T) {
	for _, limit := range []int{0, 1, 2} {
		t.Run(fmt.Sprint("cap ", limit), func(t *testing.T) {
			capped := func(w *living) {
				pressed(w)
				if limit == 0 {
					return
				}
				w.configured("  - name: conformance\n", fmt.Sprintf("  - name: conformance\n  - name: evictioncap\n"+
					"    arguments:\n      max-per-minute: %d\n", limit))
			}
			inVirtualTimeWith(t, 1, capped, func(w *living) {
				w.ranked("worker", "low", 1, "8")
				w.after(2 * time.Minute)
				w.refuse("urgent-0")
				w.ranked("urgent", "high", 1, "8")
				w.losing("worker-0", 30*time.Minute)
				tried, _ := sum(t, w.loop, "ashlar_evicted_pods_total")
				if int(tried) != w.deletions() {
					t.Errorf("%v pods are counted as evicted, and %d deletions were sent", tried, w.deletions())
				}
				w.refuse("")
				w.losing("worker-0", 2*time.Hour)
				if n := w.bound("urgent"); n != 1 {
					t.Errorf("%d pods bound two hours after its binding is permitted (%d trials): %s", n, w.trials(),
						w.waitsFor("urgent"))
				}
			})
		})
	}
}

// A gang has more pods than its minimum, and one of them is refused and fits nowhere. The others start without it.
func TestAGangStartsWithoutARefusedPodThatItDoesNotNeed(t *testing.T) {
	inVirtualTimeWith(t, 1, pressed, func(w *living) {
		w.node("s", "8")
		w.labelled("s")
		w.refuse("urgent-0 urgent-1 urgent-2")
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "urgent", UID: "urgent"},
			Spec:       schedulingv1beta1.PodGroupSpec{MinMember: 2, Queue: "default", PriorityClassName: "high"}}, "ns"))
		high := int32(1000)
		for i := range 3 {
			p := waiting(fmt.Sprint("urgent-", i))
			p.UID = types.UID(p.Name)
			p.Annotations = map[string]string{"scheduling.k8s.io/group-name": "urgent"}
			p.Spec.Priority, p.Spec.PriorityClassName = &high, "high"
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores("4")
			if i == 0 {
				p.Spec.NodeSelector = map[string]string{"at": "s"}
			}
			w.must(w.core.Create(podsKind, p, "ns"))
		}
		w.after(30 * time.Second)
		w.must(w.core.Delete(nodesKind, "", "s"))
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		w.refuse("urgent-0")
		w.after(time.Hour)
		if n := w.bound("urgent"); n != 2 {
			t.Errorf("%d members bound, want 2; %q", n, w.waitsFor("urgent"))
		}
	})
}

// The API server accepts a dry run of a binding and refuses the binding: the pod is too large for the store, which a
// dry run does not write. The victims are lost less and less often, and the job starts once it may.
func TestABindingThatOnlyADryRunAcceptsEvictsLessAndLess(t *testing.T) {
	inVirtualTimeWith(t, 1, pressed, func(w *living) {
		heal := w.storeRefuses("urgent-0")
		w.ranked("worker", "low", 1, "8")
		w.after(10 * time.Second)
		w.ranked("urgent", "high", 1, "8")
		if n := w.losing("worker-0", 6*time.Hour); n < 3 || n > 6 {
			t.Errorf("the other pod is lost %d times in six hours, want 3 to 6", n)
		}
		if n := w.trials(); n > 800 { // each 30 s, once it was in vain for long
			t.Errorf("its binding is tried %d times in six hours", n)
		}
		heal()
		w.losing("worker-0", 8*time.Hour)
		if n := w.bound("urgent"); n != 1 {
			t.Errorf("%d pods bound eight hours later; %q", n, w.waitsFor("urgent"))
		}
	})
}
