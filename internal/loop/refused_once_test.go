package loop

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// refusedFor makes a gang of four that fills the only node, and a pod that waits for the room of one member. The API
// server refuses to bind g-3 for a while.
func (w *living) refusedFor(d time.Duration) {
	w.runs("before", "", "ray", "4", "n0")
	w.refuse("g-3")
	w.gangOf4()
	w.after(time.Second)
	w.group("other", 1, noOwner)
	w.pods("other", 0, 1, "1")
	w.after(d)
	w.refuse("")
}

// A member that is refused for a moment keeps its room until it is bound.
func TestAMemberThatIsRefusedForAMomentKeepsItsRoom(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refusedFor(0)
		w.after(2 * time.Second)
		if n, others := w.bound("g"), w.bound("other"); n != 4 || others != 0 {
			t.Errorf("%d members of the gang are bound and %d pods that wait for their room, want 4 and none", n, others)
		}
		if _, kept := w.record("g"); kept || w.deletions() > 0 || w.events("g", "GangStranded") > 0 {
			t.Errorf("there is a record: %t, and %d pods were deleted, want neither", kept, w.deletions())
		}
		w.after(5 * time.Second) // until it runs
		w.right("g")
	})
}

// Where others have taken the room of a member that was refused, so that it is not tried again, the gang gives its room
// back as if it had been refused ever since, and starts once there is room.
func TestAGangThatLostItsRoomAfterARefusalIsReleased(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refusedFor(5 * time.Second)
		if n, others := w.bound("g"), w.bound("other"); n != 3 || others != 1 {
			t.Fatalf("%d members of the gang are bound and %d pods that waited for the room, want 3 and 1", n, others)
		}
		w.replaced(80 * time.Second)
		if w.after(time.Minute); w.bound("g") > 0 {
			t.Errorf("%d members hold room, though there is none for all, want none", w.bound("g"))
		}
		w.delete("other-0")
		w.remade(10 * time.Second)
		if n, d := w.bound("g"), w.deletions(); n != 4 || d != 3 {
			t.Errorf("with room for all %d members are bound, and %d pods were deleted, want 4 and 3", n, d)
		}
		w.right("g")
	})
}

// A gang with a member above its minimum, and with two that are always refused, is taken apart once: the member above
// the minimum is not bound where the others are not.
func TestAMemberAboveTheMinimumDoesNotStartAlone(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-0 g-1")
		w.clusterOf("ray")
		w.group("g", 3, hasty)
		for i := range 4 {
			w.owned(fmt.Sprint("g-", i), "g", "ray", "1")
		}
		w.remade(time.Hour)
		if n := w.deletions(); n != 2 || w.bound("g") > 0 {
			t.Errorf("in an hour %d pods were deleted and %d are bound, want the two that were bound at first, and none", n,
				w.bound("g"))
		}
		w.refuse("")
		w.remade(longestBackoff + time.Minute)
		if n, d := w.bound("g"), w.deletions(); n != 4 || d != 2 {
			t.Errorf("half an hour after the last refusal %d are bound, and %d pods were deleted, want 4 and 2", n, d)
		}
		w.right("g")
	})
}

// A member that is always refused does not keep a gang from starting that has its minimum without it: one above the
// minimum, or one in place of which another can be bound.
func TestAGangStartsWithoutARefusedMemberThatItDoesNotNeed(t *testing.T) {
	for name, c := range map[string]struct {
		other         string // what holds room at first
		first, always string // which members are refused
		most          int    // deletions
	}{
		"above the minimum":                                 {"1", "g-0 g-1 g-3", "g-3", 1},
		"above the minimum, and in part at first":           {"1", "g-1 g-3", "g-3", 2},
		"of the minimum, with no room for another at first": {"5", "g-0", "g-0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *living) {
				w.runs("other", "", "ray", c.other, "n0")
				w.refuse(c.first)
				w.clusterOf("ray")
				w.group("g", 3, hasty)
				for i := range 4 {
					w.owned(fmt.Sprint("g-", i), "g", "ray", "1")
				}
				w.remade(10 * time.Second)
				w.delete("other")
				w.remade(3 * time.Minute)
				w.refuse(c.always)
				w.remade(2 * longestBackoff)
				if n, d := w.bound("g"), w.deletions(); n != 3 || d > c.most {
					t.Errorf("%d members are bound in the end, and %d pods were deleted, want 3 and at most %d", n, d, c.most)
				}
				w.right("g")
			})
		})
	}
}

// A gang by its subgroups that is always refused costs the tries at once no more than once.
func TestARefusedGangOfSubgroupsIsBoundInOrder(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.refuse("g-0 g-1")
		w.group("g", 1, noOwner)
		w.regroup("g", func(g *schedulingv1beta1.PodGroup) {
			two, one := int32(2), int32(1)
			g.Spec.SubGroupPolicy = []schedulingv1beta1.SubGroupPolicySpec{{Name: "s", SubGroupSize: &two, MinSubGroups: &one,
				LabelSelector: &metav1.LabelSelector{}}}
		})
		w.pods("g", 0, 2, "1")
		if w.after(time.Hour); w.bindings("g-0", "g-1") > 23 {
			t.Errorf("%d bindings were asked for in an hour, want at most 23", w.bindings("g-0", "g-1"))
		}
	})
}

// A scheduler that is asked to end while a refused member waits for its next try binds that member and gives its lease
// back.
func TestARefusedMemberIsBoundBeforeTheEnd(t *testing.T) {
	inVirtualTimeWith(t, 1, func(w *living) {
		w.options.Election = &Election{Namespace: "ns", Name: "lease", Identity: "first"}
	}, func(w *living) {
		w.after(3 * time.Second)
		w.refuse("g-3")
		w.gangOf4()
		w.after(time.Second)
		w.refuse("")
		w.end()
		w.end = func() {}
		synctest.Wait()
		o, err := w.core.Get(coordinationv1.SchemeGroupVersion.WithResource("leases"), "ns", "lease")
		w.must(err)
		if holder := *o.(*coordinationv1.Lease).Spec.HolderIdentity; holder != "" || w.bound("g") != 4 {
			t.Errorf("the lease is held by %q after a graceful end, and %d are bound, want nobody and 4", holder, w.bound("g"))
		}
	})
}

// A gang is not completed while its members are being deleted, also where only the pod that was refused was in a
// backoff, as after a restart: it would lose these members after it had its minimum.
func TestNoGangIsCompletedWhileItIsReleasedAfterARestart(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.runs("before", "", "ray", "4", "n0")
		w.halfway()
		w.end()
		w.runs("taker", "", "ray", "1", "n0")
		w.after(time.Minute) // the next try of the refused member has passed
		w.schedule()
		w.refuse("")
		w.after(2 * time.Second)
		w.owned("g-4", "g", "ray", "1")
		var busy atomic.Bool
		busy.Store(true)
		w.answers(&w.kube.Fake, "delete", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			if busy.Load() {
				return true, nil, apierrors.NewTooManyRequests("busy", 1)
			}
			return false, nil, nil
		})
		for range 90 {
			if w.after(time.Second); w.events("g", "GangReleased") > 0 {
				break
			}
		}
		w.ends("taker", corev1.PodSucceeded)
		most := 0
		for second := range 200 {
			w.after(time.Second)
			busy.Store(second < 15)
			if n := w.bound("g"); n < most && most >= 4 {
				w.Fatalf("the gang had %d members, and then %d", most, n)
			} else {
				most = max(most, n)
			}
		}
		if w.events("g", "GangReleased") == 0 {
			t.Error("no event tells of a release")
		}
	})
}
