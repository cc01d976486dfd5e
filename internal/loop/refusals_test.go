package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// If one member of a gang is always refused and its controller makes pods anew, the gang gives
// its room back once, is tried less and less often, and says so. Other jobs do not wait for
// it; and when no member is refused any more it starts.
func TestARefusedGangIsAskedForLessAndLess(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.gangOf4()
		w.remade(10 * time.Minute)
		if n := w.deletions(); n != 3 {
			t.Errorf("after ten minutes %d pods were deleted, want the three that were bound, once", n)
		}
		if n := w.bound("g"); n != 0 {
			t.Errorf("%d members hold room between two tries, want none", n)
		}
		w.group("other", 2, noOwner)
		w.pods("other", 0, 2, "4")
		w.after(time.Second)
		if n := w.bound("other"); n != 2 {
			t.Errorf("%d members of another gang are bound after a second, want both", n)
		}
		w.delete("other-0", "other-1")
		w.remade(50 * time.Minute)
		if d, b := w.deletions(), w.bindings("g-0", "g-1", "g-2", "g-3"); d != 3 || b > 23 {
			t.Errorf("in an hour %d pods were deleted and %d bindings asked for, want 3 and at most 23", d, b)
		}
		says := w.waitsFor("g")
		for _, part := range []string{"ns/g-3", "refused", "in a row", "the next try is at 2000-01-01T0"} {
			if !strings.Contains(says, part) {
				t.Errorf("the PodGroup says %q, want it to say %q", says, part)
			}
		}
		w.refuse("")
		w.remade(longestBackoff + time.Minute)
		if n := w.bound("g"); n != 4 {
			t.Errorf("half an hour after the last refusal %d members are bound, want 4", n)
		}
		if _, kept := w.record("g"); kept || w.deletions() != 3 {
			t.Errorf("it runs, keeps a record: %t, and %d pods were deleted, want none and 3", kept, w.deletions())
		}
		w.right("g")
	})
}

// The backoffs double up to half an hour.
func TestPausesDouble(t *testing.T) {
	var sum time.Duration
	last := time.Duration(0)
	for n := int32(1); n <= 40; n++ {
		p := backoffAfter(n)
		if p < last || p > longestBackoff || n > 1 && p != longestBackoff && p != 2*last {
			t.Errorf("backoff %d is %v after %v", n, p, last)
		}
		sum, last = sum+p, p
	}
	if last != longestBackoff || backoffAfter(1<<30) != longestBackoff || backoffAfter(0) != firstBackoff {
		t.Errorf("the fortieth backoff is %v", last)
	}
}

// Pods that a controller makes anew, of no PodGroup, go on with the backoff of those before.
// Its siblings that are not refused are bound at once.
func TestRefusedPodsPauseByTheirController(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.adopts = true
		w.restart()
		w.refuse("d-0")
		w.clusterOf("deploy")
		w.owned("d-0", "", "deploy", "1")
		for range 60 {
			w.after(time.Minute)
			w.delete("d-0")
			w.owned("d-0", "", "deploy", "1")
		}
		if n := w.bindings("d-0"); n < 8 || n > 20 {
			t.Errorf("in an hour, of sixty pods made one after the other, %d bindings were asked for, want 8 to 20", n)
		}
		w.clusterOf("another")
		w.owned("e-0", "", "another", "1")
		w.after(time.Second)
		if w.bindings("e-0") != 1 {
			t.Error("the pod of another controller waits for it")
		}
	})
}

// A pod may name a controller by a UID that nothing has: it is remembered for an hour, and tenants write it.
func TestNoLongUIDOfAControllerIsRemembered(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("g", 1, hasty)
		w.refuse("g-0")
		w.owned("g-0", "g", "ray", "1", func(p *corev1.Pod) {
			p.OwnerReferences[0].UID = types.UID(strings.Repeat("x", longestName+1))
		})
		w.after(time.Minute)
		if n := w.bindings("g-0"); n < 2 {
			t.Errorf("%d bindings were asked for", n)
		}
		for life := range w.loop.refusals.memory.by {
			if len(life.uid) > longestName {
				t.Errorf("a UID of %d bytes is remembered", len(life.uid))
			}
		}
	})
}

// Of a job that has its minimum only the pod that is refused is in a backoff.
func TestARefusedPodOfARunningJobPausesAlone(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.gang("1")
		w.after(soon)
		w.refuse("g-2")
		w.pods("g", 2, 1, "1")
		w.after(5 * time.Minute)
		before := w.bindings("g-2")
		w.pods("g", 3, 2, "1")
		w.after(time.Second)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members are bound, want four: two that came first and two that came last", n)
		}
		if n := w.bindings("g-2"); n != before || n > 13 {
			t.Errorf("the one that is refused was asked for %d times in five minutes and %d times since others came, want at "+
				"most 13 and none", before, n-before)
		}
		if w.bound("g") != 4 || w.deletions() != 0 || w.status("g").Phase != schedulingv1beta1.PodGroupRunning {
			t.Errorf("the gang is %s, %d of it are bound and %d deleted", w.status("g").Phase, w.bound("g"), w.deletions())
		}
	})
}

// A scheduler that starts anew goes on with the backoff that its PodGroup keeps; so does a
// PodGroup that was made anew for the same controller, and none of another.
func TestAPauseOutlivesTheSchedulerAndThePodGroup(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.gangOf4()
		w.remade(30 * time.Minute)
		before := w.bindings()
		w.restart()
		w.remade(10 * time.Minute)
		if n := w.bindings() - before; n > 1 {
			t.Errorf("within ten minutes of a restart %d bindings were asked for, want one at most", n)
		}
		w.must(w.groups.Delete(groupsKind, "ns", "g"))
		for i := range 4 {
			w.delete(fmt.Sprint("g-", i))
		}
		w.after(2 * time.Second)
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: types.UID("second")},
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 4, Queue: "default"}}
		w.must(w.groups.Create(groupsKind, g, "ns"))
		before = w.bindings()
		w.remade(5 * time.Minute)
		if n := w.bindings() - before; n > 1 {
			t.Errorf("within five minutes of a new PodGroup %d bindings were asked for, want one at most", n)
		}
		w.refuse("")
		for i := range 4 {
			w.delete(fmt.Sprint("g-", i))
		}
		w.must(w.groups.Delete(groupsKind, "ns", "g"))
		g.UID, g.ResourceVersion = "third", ""
		w.must(w.groups.Create(groupsKind, g, "ns"))
		w.clusterOf("again")
		for i := range 4 {
			w.owned(fmt.Sprint("g-", i), "g", "again", "1")
		}
		w.after(time.Second)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members of a new gang of a new controller are bound after a second, want 4", n)
		}
	})
}

// Two gangs of one controller: what is refused of one is nothing to the other while that is there.
func TestAGangOfTheSameControllerDoesNotPause(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-3")
		w.gangOf4()
		w.remade(5 * time.Minute)
		w.group("h", 2, hasty)
		w.owned("h-0", "h", "ray", "1")
		w.owned("h-1", "h", "ray", "1")
		w.after(time.Second)
		if n := w.bound("h"); n != 2 {
			t.Errorf("%d members of the other gang are bound after a second, want both", n)
		}
	})
}

// An annotation of a PodGroup with an error is left out and reported.
func TestARecordThatIsNoneIsAProblem(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.group("g", 2, noOwner)
		w.regroup("g", func(g *schedulingv1beta1.PodGroup) {
			g.Annotations = map[string]string{"ashlar.sh/refused-binds": `{"uid":"g","tries":1e99}`}
		})
		w.pods("g", 0, 2, "1")
		w.after(time.Minute)
		if n := w.bound("g"); n != 2 {
			t.Errorf("%d members are bound, want both", n)
		}
		if w.events("g", "Problem") != 1 {
			t.Errorf("%d events tell of the annotation, want one", w.events("g", "Problem"))
		}
		for _, p := range w.members("g") {
			if p.Status.Phase != corev1.PodRunning {
				t.Errorf("%s is %s", p.Name, p.Status.Phase)
			}
		}
	})
}

// What somebody writes about a controller of another namespace is nothing to that.
func TestAPauseStaysInItsNamespace(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "hostile", Name: "h", UID: "h"},
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "default"}}
		g.Annotations = map[string]string{
			"ashlar.sh/refused-binds": `{"uid":"h","controller":"ray","tries":1000,"next":"2999-01-01T00:00:00Z",` +
				`"pod":"p","answer":"no"}`}
		w.must(w.groups.Create(groupsKind, g, "hostile"))
		w.after(time.Second)
		w.must(w.groups.Delete(groupsKind, "hostile", "h"))
		w.after(2 * time.Second)
		w.gangOf4()
		w.after(time.Second)
		if n := w.bound("g"); n != 4 {
			t.Errorf("%d members are bound after a second, want 4", n)
		}
	})
}

// A scheduler that stands by goes on where the one that acted has come to, not where that was
// when it first heard of it.
func TestAStandbyKnowsTheNewestRefusals(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.options.Election = &Election{Namespace: "ns", Name: "volcano"}
		w.restart()
		first := w.end
		w.schedule() // stands by
		w.refuse("g-3")
		w.gangOf4()
		w.remade(20 * time.Minute)
		if w.deletions() != 3 {
			t.Errorf("%d pods were deleted, want 3: one of the two acts", w.deletions())
		}
		before := w.bindings()
		first()
		w.remade(5 * time.Minute)
		if n := w.bindings() - before; n > 1 || w.deletions() != 3 {
			t.Errorf("within five minutes of taking over it asked for %d bindings and deleted %d pods, want one at most and "+
				"none", n, w.deletions()-3)
		}
	})
}
