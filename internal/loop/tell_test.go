package loop

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
		if c := w.status("g").Conditions[0]; c.TransitionID != "GangIncomplete.NodeUnschedulable" {
			t.Errorf("in the end it says %+v, want that its node is shut", c)
		}
	})
}

// A PodGroup that is not let in shows the phase Pending with the words that say why, as kubectl
// lists it.
func TestAPodGroupThatIsNotLetInShowsPending(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.must(w.groups.Create(groupsKind, &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "lost", UID: "lost"},
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "nowhere"}}, "ns"))
		w.pods("lost", 0, 1, "1")
		w.after(soon)
		s := w.status("lost")
		if s.Phase != schedulingv1beta1.PodGroupPending || len(s.Conditions) != 1 || s.Conditions[0].TransitionID != "QueueNotFound" {
			t.Errorf("it says %+v, want Pending and that its queue does not exist", s)
		}
		if n, _ := w.written("lost", "lost-0"); n != 1 {
			t.Errorf("its PodGroup was written %d times, want once", n)
		}
	})
}

// Members that come and go one by one are counted once a minute at the most.
func TestCountsAloneAreWrittenSeldom(t *testing.T) {
	inVirtualTime(t, 4, func(w *living) {
		w.group("g", 1, nobody)
		w.pods("g", 0, 20, "1")
		w.after(soon)
		before, _ := w.written("g", "g-0")
		for _, p := range w.members("g")[:18] { // for six minutes
			w.ends(p.Name, corev1.PodSucceeded)
			w.after(20 * time.Second)
		}
		if n, _ := w.written("g", "g-0"); n-before > 6 {
			t.Errorf("while 18 members ended in six minutes its PodGroup was written %d times, want six at the most", n-before)
		}
		w.after(2 * time.Minute)
		if s := w.status("g"); s.Running != 2 || s.Succeeded != 18 {
			t.Errorf("two run and eighteen have ended, and it says %d and %d", s.Running, s.Succeeded)
		}
	})
}

// What somebody wiped, or what was lost on its way, is said again.
func TestWhatTheAPIDoesNotShowIsSaidAgain(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("waits", 2, nobody)
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
		if s := w.status("waits"); len(s.Conditions) != 1 || s.Conditions[0].Type != schedulingv1beta1.PodGroupUnschedulableType {
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
				w.volcano.PrependReactor("patch", "queues", func(a k8stesting.Action) (bool, runtime.Object, error) {
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
