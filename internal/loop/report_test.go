package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// cordon makes a node take pods or not.
func (w *living) cordon(name string, yes bool) {
	o, err := w.core.Get(nodesKind, "", name)
	w.must(err)
	n := o.(*corev1.Node).DeepCopy()
	n.Spec.Unschedulable = yes
	w.must(w.core.Update(nodesKind, n, ""))
}

// A reason that changes to and fro must hold for longer each time before it is told, and
// the one that stays is told in the end.
func TestAReasonThatFlapsIsToldSeldom(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.gang("6")
		const changes = 200
		for i := range changes {
			w.cordon("n0", i%2 == 0)
			w.after(4 * time.Second)
		}
		n, _ := w.written("g", "g-0")
		events := w.events("g", "Unschedulable")
		if n > 6 || events > 6 {
			t.Errorf("a reason that changed %d times was written %d times and told by %d events, want a few", changes, n, events)
		}
		w.cordon("n0", true)
		w.after(longest + 2*time.Second)
		if c := w.status("g").Conditions[0]; !strings.HasPrefix(c.TransitionID, "GangIncomplete.NodeUnschedulable") {
			t.Errorf("in the end it says %+v, want that its node is shut", c)
		}
	})
}

// Every pod that waits says so, whatever it waits for, and once: operators and kubectl describe look
// for the event FailedScheduling and the condition. Autoscalers look for the reason Unschedulable,
// which it has only if a node more would end the wait.
func TestEveryPodThatWaitsSaysSo(t *testing.T) {
	for what, c := range map[string]struct{ queue, cpu, refused, reason string }{
		"quota":   {"small", "1", "", "QueueCapability"},
		"nodes":   {"default", "64", "", corev1.PodReasonUnschedulable},
		"webhook": {"default", "1", "g-0", corev1.PodReasonSchedulerError},
	} {
		inVirtualTime(t, 1, func(w *living) {
			w.refuse(c.refused)
			w.must(w.groups.Create(queuesKind, &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "small",
				UID: "small"},
				Spec: schedulingv1beta1.QueueSpec{Weight: 1, Capability: corev1.ResourceList{"cpu": resource.MustParse("1")}}}, ""))
			w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
				Name: "g", UID: "g"},
				Spec: schedulingv1beta1.PodGroupSpec{MinMember: 3, Queue: c.queue}}, "ns"))
			w.pods("g", 0, 3, c.cpu)
			w.after(time.Minute)
			for i := range 3 {
				name := fmt.Sprint("g-", i)
				o, err := w.core.Get(podsKind, "ns", name)
				w.must(err)
				if o.(*corev1.Pod).Spec.NodeName != "" && name != c.refused {
					continue
				}
				if n := w.events(name, "FailedScheduling"); n != 1 {
					t.Errorf("%s: %s has %d events FailedScheduling, want 1", what, name, n)
				}
				said := ""
				for _, condition := range o.(*corev1.Pod).Status.Conditions {
					if condition.Type == corev1.PodScheduled {
						said = condition.Reason
					}
				}
				if said != c.reason {
					t.Errorf("%s: %s says it waits for %q, want %q", what, name, said, c.reason)
				}
			}
		})
	}
}

// A PodGroup that is not let in shows the phase Pending with the words that say why, as kubectl
// lists it.
func TestAPodGroupThatIsNotLetInShowsPending(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
			Name: "lost", UID: "lost"},
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "nowhere"}}, "ns"))
		w.pods("lost", 0, 1, "1")
		w.after(soon)
		s := w.status("lost")
		if s.Phase != schedulingv1beta1.PodGroupPending || len(s.Conditions) != 1 ||
			s.Conditions[0].TransitionID != "QueueNotFound" {
			t.Errorf("it says %+v, want Pending and that its queue does not exist", s)
		}
		if n, _ := w.written("lost", "lost-0"); n != 1 {
			t.Errorf("its PodGroup was written %d times, want once", n)
		}
	})
}

// How many members of a gang run is right within five seconds, however they come and go:
// one by one, in heaps, and while it starts.
func TestHowManyRunIsRightWithinFiveSeconds(t *testing.T) {
	for name, happen := range map[string]func(w *living, i int) (pause time.Duration){
		"one ends every twenty seconds": func(w *living, i int) time.Duration {
			w.ends(fmt.Sprint("g-", i), corev1.PodSucceeded)
			return 20 * time.Second
		},
		"two fail a second": func(w *living, i int) time.Duration {
			w.ends(fmt.Sprint("g-", i), corev1.PodFailed)
			return 500 * time.Millisecond
		},
		"one is deleted every seven seconds": func(w *living, i int) time.Duration {
			w.delete(fmt.Sprint("g-", i))
			return 7 * time.Second
		},
		"others come for those that are deleted": func(w *living, i int) time.Duration {
			if i%2 == 0 {
				w.delete(fmt.Sprint("g-", i))
				return 300 * time.Millisecond
			}
			w.pods("g", i-1, 1, "1")
			return 4 * time.Second
		},
		"kubelets take their time with each": func(w *living, i int) time.Duration {
			w.kubelets = time.Duration(i) * 3 * time.Second
			w.pods("g", 20+i, 1, "500m")
			return time.Second
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 4, func(w *living) {
				w.kubelets = 0
				w.group("g", 12, hasty)
				w.pods("g", 0, 20, "1")
				wasTrue, stale := map[int32]time.Time{0: time.Now()}, time.Duration(0)
				look := func(d time.Duration) {
					for end := time.Now().Add(d); time.Now().Before(end); {
						w.after(100 * time.Millisecond)
						wasTrue[w.running("g")] = time.Now()
						stale = max(stale, time.Since(wasTrue[w.status("g").Running]))
					}
				}
				look(soon)
				for i := range 18 {
					look(happen(w, i))
				}
				look(time.Minute)
				if stale > 5*time.Second {
					t.Errorf("it showed a number of members that run which was true %v before", stale)
				}
				if n, _ := w.written("g", "g-0"); n > 24 {
					t.Errorf("its PodGroup was written %d times while 18 things happened", n)
				}
				w.after(soon)
				if shows, run := w.status("g").Running, w.running("g"); shows != run {
					t.Errorf("at last %d run, and it shows %d", run, shows)
				}
			})
		})
	}
}

// running is how many members of a group run.
func (w *living) running(group string) (n int32) {
	for _, p := range w.members(group) {
		if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

// If a gang loses a member and another pod takes the room, the gang is Unknown, with the reason, as
// soon as it is clear that no new member has room; and Running when it is complete
// again.
func TestAGangThatLosesAMemberIsUnknown(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("g", 4, hasty)
		w.pods("g", 0, 4, "2")
		w.after(soon)
		w.ends("g-3", corev1.PodFailed)
		w.after(time.Minute + soon) // its room is no longer kept for it (docs/design/0023)
		w.group("other", 1, noOwner)
		w.pods("other", 0, 1, "2")
		w.after(200 * time.Millisecond)
		w.pods("g", 4, 1, "2")
		w.after(5 * time.Second)
		s := w.status("g")
		if s.Phase != schedulingv1beta1.PodGroupUnknown || s.Running != 3 || s.Failed != 1 {
			t.Errorf("one of four was lost and has no room, and after five seconds it says %s, %d running, %d failed", s.Phase,
				s.Running, s.Failed)
		}
		if c := s.Conditions[len(s.Conditions)-1]; c.Type != schedulingv1beta1.PodGroupUnschedulableType ||
			c.Status != corev1.ConditionTrue ||
			!strings.HasPrefix(c.Message, "1/5 tasks in gang unschedulable") {
			t.Errorf("it says %+v, want that one of five is unschedulable", c)
		}
		w.restart()
		w.after(soon)
		w.delete("other-0")
		w.after(soon)
		if s := w.status("g"); s.Phase != schedulingv1beta1.PodGroupRunning || s.Running != 4 {
			t.Errorf("it is whole again, and says %s, %d running", s.Phase, s.Running)
		}
	})
}

// What somebody wiped, or what was lost on its way, is said again.
func TestWhatTheAPIDoesNotShowIsSaidAgain(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("waits", 2, noOwner)
		w.pods("waits", 0, 2, "6")
		w.gang("2")
		w.after(quiet)
		for _, name := range []string{"g", "waits"} {
			o, err := w.groups.Get(groupsKind, "ns", name)
			w.must(err)
			g := o.(*schedulingv1beta1.PodGroup).DeepCopy()
			g.Status = schedulingv1beta1.PodGroupStatus{Phase: g.Status.Phase}
			w.must(w.groups.Update(groupsKind, g, "ns"))
		}
		w.change("waits-0", func(p *corev1.Pod) { p.Status.Conditions = nil })
		w.after(believed + 2*time.Minute)
		w.right("g")
		if s := w.status("waits"); len(s.Conditions) != 1 ||
			s.Conditions[0].Type != schedulingv1beta1.PodGroupUnschedulableType {
			t.Errorf("it waits, and after its status was wiped it says %+v", s.Conditions)
		}
		for _, p := range w.members("waits") {
			if len(p.Status.Conditions) != 1 || p.Status.Conditions[0].Reason != corev1.PodReasonUnschedulable {
				t.Errorf("%s waits for a node and says %+v", p.Name, p.Status.Conditions)
			}
		}
	})
}

// A queue's figures are right in the end also where a write of them arrives late, or not.
func TestAQueueShowsWhatItHoldsInTheEnd(t *testing.T) {
	for name, spoil := range map[string]func(w *living, nth int, a k8stesting.Action) (spoilt bool, err error){
		"the first arrives after its time": func(w *living, nth int, a k8stesting.Action) (bool, error) {
			if nth > 1 {
				return false, nil
			}
			time.AfterFunc(8*time.Second, func() {
				_, _, err := k8stesting.ObjectReaction(w.groups)(a)
				w.must(err)
			})
			return true, nil
		},
		"none is taken for a minute": func(w *living, _ int, _ k8stesting.Action) (bool, error) {
			return time.Since(inTheBeginning) < time.Minute, apierrors.NewServiceUnavailable("later")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				nth := 0
				w.answers(&w.volcano.Fake, "patch", "queues", func(a k8stesting.Action) (bool, runtime.Object, error) {
					nth++
					spoilt, err := spoil(w, nth, a)
					return spoilt, nil, err
				})
				w.gang("2")
				w.after(3 * time.Second)
				w.full("1")
				w.after(quiet)
				o, err := w.groups.Get(queuesKind, "", "default")
				w.must(err)
				if cpu := o.(*schedulingv1beta1.Queue).Status.Allocated.Cpu().String(); cpu != "6" {
					t.Errorf("two gangs hold six cores, and their queue says %s", cpu)
				}
			})
		})
	}
}

// inTheBeginning is when virtual time begins.
var inTheBeginning = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A reason keeps its code and is told anew when its amounts or names are not true any more, first within seconds, and
// more and more seldom while they go on changing. It counts from when the job began to wait for it.
func TestAReasonIsToldAnewWhenItsAmountsChange(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.gang("6")
		w.after(soon)
		unschedulable := func() schedulingv1beta1.PodGroupCondition {
			for _, c := range w.status("g").Conditions {
				if c.Type == schedulingv1beta1.PodGroupUnschedulableType {
					return c
				}
			}
			t.Fatalf("it says %+v, want why it waits", w.status("g"))
			return schedulingv1beta1.PodGroupCondition{}
		}
		first := unschedulable()
		w.node("n9", "5")
		w.after(3 * time.Second)
		second := unschedulable()
		if first.TransitionID != second.TransitionID || !second.LastTransitionTime.Equal(&first.LastTransitionTime) ||
			first.Message == second.Message || !strings.Contains(second.Message, "2 nodes") {
			t.Errorf("first it says %+v, and with another node %+v", first, second)
		}
		before, _ := w.written("g", "g-0")
		for i := range 200 {
			w.node(fmt.Sprint("m", i), "5")
			w.after(4 * time.Second)
		}
		if after, _ := w.written("g", "g-0"); after-before > 12 {
			t.Errorf("200 changes of its amounts wrote it %d times, want a few", after-before)
		}
	})
}

// What was written for a queue is forgotten once the queue is gone: queues come and go for as long as a scheduler runs.
func TestWhatWasWrittenForAQueueThatIsGoneIsForgotten(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.must(w.groups.Create(queuesKind, &schedulingv1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: "brief",
			UID: "brief"}, Spec: schedulingv1beta1.QueueSpec{Weight: 1}}, ""))
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns",
			Name: "g", UID: "g"}, Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "brief"}}, "ns"))
		w.pods("g", 0, 1, "1")
		w.after(5 * time.Second)
		if _, there := w.loop.reported.queues["brief"]; !there {
			t.Fatal("nothing was written for the queue")
		}
		w.must(w.groups.Delete(queuesKind, "", "brief"))
		w.after(5 * time.Second)
		if _, there := w.loop.reported.queues["brief"]; there {
			t.Error("what was written for the queue is still known")
		}
	})
}
