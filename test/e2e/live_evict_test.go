package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/test/e2e/faults"
)

// A gang that is worth more, or whose queue has less than it deserves, gets the room of two of
// four victims: they are told why and given their grace, the gang is nominated to their node,
// no other pod gets the room while they terminate, and it is bound there once they have gone.
func TestLiveEvict(t *testing.T) {
	plane, _ := privateWorld(t)
	for name, action := range map[string]string{"within a queue": "preempt", "across queues": "reclaim",
		"within a queue, gangs whole": "gangpreempt", "across queues, gangs whole": "gangreclaim"} {
		t.Run(name, func(t *testing.T) {
			w := evictingWorld(t, plane, "evict-"+action, action)
			queue := w.ns
			if action == "reclaim" || action == "gangreclaim" {
				queue = w.second()
			}
			w.run()
			w.full()
			w.urgent(queue)
			leaving := w.awaitLeaving(2)
			for _, v := range leaving {
				w.toldWhy(v, action)
			}
			w.awaitNominated(w.ns + "-a")

			w.gang("later", 1) // of the victims' own worth
			w.gone(leaving[0])
			w.staysOut("later-0", time.Second)
			w.gone(leaving[1])
			w.awaitUrgent(w.ns + "-a")
			w.stay(2)
			if n := bound(w.pods("later")); n != 0 {
				t.Error("a pod that came later has room that was freed for somebody else")
			}
		})
	}
}

// second makes another queue of the same weight.
func (w evicting) second() string {
	w.t.Helper()
	other := w
	other.ns += "-second"
	other.queue()
	return other.ns
}

// toldWhy says that a victim shows the job that it was evicted for, and has its own grace.
func (w evicting) toldWhy(v corev1.Pod, action string) {
	w.t.Helper()
	if g := v.DeletionGracePeriodSeconds; g == nil || *g != graceOfVictims {
		w.t.Errorf("%s has %v seconds to go, want its own %d", v.Name, g, graceOfVictims)
	}
	found := map[corev1.PodConditionType]corev1.PodCondition{}
	for _, c := range v.Status.Conditions {
		found[c.Type] = c
	}
	if c := found[corev1.DisruptionTarget]; c.Status != corev1.ConditionTrue ||
		c.Reason != corev1.PodReasonPreemptionByScheduler {
		w.t.Errorf("%s does not say that it was preempted: %+v", v.Name, c)
	}
	if c := found[corev1.PodReady]; c.Status != corev1.ConditionFalse || c.Reason != "Evict" {
		w.t.Errorf("%s does not say, as Volcano does, that it was evicted: %+v", v.Name, c)
	}
	on := map[string]bool{"Pod " + v.Name: false}
	if group := v.Annotations[schedulingv1beta1.KubeGroupNameAnnotationKey]; group != "" {
		on["PodGroup "+group] = false
	}
	w.await("see events on "+v.Name+" and its PodGroup", func(ctx context.Context) error {
		all, err := w.kube.CoreV1().Events(w.ns).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range all.Items {
			if of := e.InvolvedObject.Kind + " " + e.InvolvedObject.Name; e.Reason == "Evict" && containsAll(e.Message, action) {
				on[of] = true
			}
		}
		for of, said := range on {
			if !said {
				return fmt.Errorf("%s has none that names %s", of, action)
			}
		}
		return nil
	})
}

// staysOut says that a pod is not bound for so long.
func (w evicting) staysOut(name string, d time.Duration) {
	w.t.Helper()
	w.holds(d, func() {
		for _, p := range w.pods(name) {
			if p.Spec.NodeName != "" {
				w.t.Fatalf("%s is bound to %s: the room is not its", name, p.Spec.NodeName)
			}
		}
	})
}

// The scheduler is killed between the evictions and the bindings. The next one sees the room
// promised by what the pods show, and evicts no pod for the same need again.
func TestLiveEvictAndRestart(t *testing.T) {
	plane, _ := privateWorld(t)
	for name, told := range map[string]bool{"the pods show their nominations": true,
		"the nominations were not written": false} {
		t.Run(name, func(t *testing.T) {
			w := evictingWorld(t, plane, fmt.Sprint("restart-", told), "preempt")
			kill := w.child(w.proxy.Config(), "first")
			w.full()
			lost := &faults.Injection{}
			if !told {
				lost = w.proxy.Inject(nomination, 1, 0, faults.Lose)
			}
			w.urgent(w.ns)
			leaving := w.awaitLeaving(2)
			if told {
				w.awaitNominated(w.ns + "-a")
			} else {
				w.await("have a nomination lost", func(context.Context) error {
					if lost.Met() == 0 {
						return fmt.Errorf("none was: the test would show nothing")
					}
					return nil
				})
			}
			kill()
			w.gang("later", 1)
			w.child(w.config, "second")
			w.gone(leaving[0])
			w.staysOut("later-0", time.Second)
			w.gone(leaving[1])
			w.awaitUrgent(w.ns + "-a")
			w.stay(2)
		})
	}
}

// If the pod that room was freed for does not come, any pod may take the room.
func TestLiveEvictForAPodThatIsDeleted(t *testing.T) {
	plane, _ := privateWorld(t)
	w := evictingWorld(t, plane, "deleted", "preempt")
	w.run()
	w.full()
	w.urgent(w.ns)
	leaving := w.awaitLeaving(2)
	w.awaitNominated(w.ns + "-a")
	w.gang("later", 1)
	for _, p := range w.pods("urgent") {
		w.gone(p)
	}
	w.gone(leaving[0])
	w.await("see the later pod bound", func(context.Context) error {
		if bound(w.pods("later")) != 1 {
			return fmt.Errorf("it is not")
		}
		return nil
	})
	w.stay(2)
}

// The node goes away before the room is used: the nomination is taken back, and the gang starts
// where there is room.
func TestLiveEvictFromANodeThatGoes(t *testing.T) {
	plane, _ := privateWorld(t)
	w := evictingWorld(t, plane, "gone", "preempt")
	w.run()
	w.full()
	w.urgent(w.ns)
	leaving := w.awaitLeaving(2)
	w.awaitNominated(w.ns + "-a")
	if err := w.kube.CoreV1().Nodes().Delete(t.Context(), w.ns+"-a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.awaitNominated("")
	for _, v := range leaving {
		w.gone(v)
	}
	w.node(w.ns+"-b", "4") // the two that stay behind count as their queue's until somebody removes them
	w.awaitUrgent(w.ns + "-b")
	w.stay(2)
}

// An eviction that the server forbids for good is given up and so is the promise of its room;
// somebody else goes for the same need, and who could not be evicted is not tried again at once.
func TestLiveEvictionForbidden(t *testing.T) {
	plane, _ := privateWorld(t)
	t.Run("of one victim", func(t *testing.T) {
		w := evictingWorld(t, plane, "forbids-one", "preempt")
		w.run()
		w.full()
		forbidden := w.proxy.Inject(podDeletion, 1, 1, faults.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0))
		w.urgent(w.ns)
		for _, v := range w.awaitLeaving(2) {
			w.gone(v)
		}
		w.awaitUrgent(w.ns + "-a")
		w.stay(2)
		if n := forbidden.Met(); n != 1 {
			t.Errorf("%d evictions were forbidden, want 1", n)
		}
	})
	t.Run("of everybody", func(t *testing.T) {
		w := evictingWorld(t, plane, "forbids-all", "preempt")
		w.run()
		w.full()
		var mu sync.Mutex
		tried := map[string]int{}
		no := faults.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)
		forbidden := w.proxy.Inject(podDeletion, 1, 0, func(answer http.ResponseWriter, r *http.Request,
			pass http.HandlerFunc) {
			mu.Lock()
			tried[r.URL.Path]++
			mu.Unlock()
			no(answer, r, pass)
		})
		w.urgent(w.ns)
		w.awaitGivenUp(forbidden)
		mu.Lock()
		defer mu.Unlock()
		for path, n := range tried {
			if n != 1 {
				t.Errorf("%s was sent %d times, want each victim tried once in a minute", path, n)
			}
		}
		w.stay(4)
	})
}

// awaitGivenUp waits until evictions were forbidden, none was tried for five seconds, and nobody is
// nominated any more.
func (w evicting) awaitGivenUp(forbidden *faults.Injection) {
	w.t.Helper()
	met, since := 0, time.Now()
	w.await("see the evictions given up", func(context.Context) error {
		if n := forbidden.Met(); n != met {
			met, since = n, time.Now()
		}
		for _, p := range w.pods("urgent") {
			if p.Status.NominatedNodeName != "" {
				return fmt.Errorf("%s is nominated to %s", p.Name, p.Status.NominatedNodeName)
			}
		}
		if met < 2 || time.Since(since) < 5*time.Second {
			return fmt.Errorf("%d were tried, the last %v ago", met, time.Since(since))
		}
		return nil
	})
}
