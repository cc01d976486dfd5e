package devicequota_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// TestAQuotaThatFollowsCountsAsOneMadeAnew plays random histories of queues that move in their tree, of jobs that name
// other queues, and of pods that come, run and go: an engine that has followed them decides, and reports of its queues,
// the same as one that is made of the facts and commitments now.
func TestAQuotaThatFollowsCountsAsOneMadeAnew(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := func(most int) int { return rapid.IntRange(0, most).Draw(r, "n") }
		w := newWorld(t, nil)
		version := 1
		tell := func(o metav1.Object, is bool) {
			version++
			if o.SetResourceVersion(fmt.Sprint(version)); is {
				w.tell(o)
			} else {
				w.gone(o)
			}
		}
		for i := range 3 {
			tell(claim(fmt.Sprint("c", i), exactly(int64(1+n(2)))), true)
		}
		for range 1 + n(7) {
			for range 1 + n(3) {
				switch n(3) {
				case 0:
					tell(queue(fmt.Sprint("q", n(2)), []string{"", "q0", "q1", "q2"}[n(3)], gpus, fmt.Sprint(n(6))), n(5) < 5)
				case 1:
					name := fmt.Sprint("j", n(2))
					tell(&schedulingv1beta1.PodGroup{ObjectMeta: in("ns", name), Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1,
						Queue: fmt.Sprint("q", n(2))}}, n(5) < 5)
				default:
					j := fmt.Sprint("j", n(2))
					p := job(j, "", 1, "c0", fmt.Sprint("c", n(2)))[1+n(1)].(*corev1.Pod)
					if n(1) == 1 {
						p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
					}
					tell(p, n(5) < 5)
				}
			}
			w.binds()
		}
		anew := newWorld(t, nil)
		anew.e.Apply(w.e.Facts()...)
		anew.e.Restore(w.e.Commitments())
		if was, is := w.binds(), anew.binds(); was != is {
			r.Fatalf("%q is bound, and %q by an engine that is made anew", was, is)
		}
		was, _ := json.Marshal(w.e.Report().Queues)
		if is, _ := json.Marshal(anew.e.Report().Queues); string(was) != string(is) {
			r.Fatalf("queues are\n%s\nand of an engine that is made anew\n%s", was, is)
		}
	})
}
