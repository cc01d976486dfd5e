package loop

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
)

// busyFor has the API server turn away all deletions of pods for a while from now on.
func (w *living) busyFor(d time.Duration) {
	free := time.Now().Add(d)
	w.answers(&w.kube.Fake, "delete", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
		if time.Now().Before(free) {
			return true, nil, apierrors.NewTooManyRequests("busy", 1)
		}
		return false, nil, nil
	})
}

// replaced lets time pass until the bound pods of the gang were deleted; their controller makes them anew.
func (w *living) replaced(within time.Duration) {
	w.Helper()
	was := w.events("g", "GangReleased")
	for range within / time.Second {
		w.remade(time.Second)
		if w.events("g", "GangReleased") > was && w.bound("g") == 0 {
			return
		}
	}
	w.Fatalf("%v later %d members of the gang hold room, and %d events tell of a release, want none and %d",
		within, w.bound("g"), w.events("g", "GangReleased"), was+1)
}

// A gang gives its room back whenever it stands half, also if its deletions take longer than a round.
func TestAGangIsReleasedAgainAfterSlowDeletions(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		w.busyFor(37 * time.Second) // some seconds longer than until it is released
		w.replaced(time.Minute)
		w.refuse("g-0 g-1 g-2")
		for range 40 { // until a try binds the member that was refused before
			if w.remade(time.Minute); w.bound("g") == 1 {
				break
			}
		}
		w.replaced(40 * time.Minute)
	})
}

// A gang is released again if its members could not be deleted: it counts as one that never had its minimum still.
func TestAGangIsReleasedAgainAfterDeletionsThatFail(t *testing.T) {
	inVirtualTime(t, 1, func(w *living) {
		w.halfway()
		w.busyFor(75 * time.Second)
		w.after(75 * time.Second)
		if w.events("g", "GangReleased") == 0 || w.bound("g") != 3 {
			t.Fatalf("%d events tell of a release, and %d members hold room", w.events("g", "GangReleased"), w.bound("g"))
		}
		w.replaced(3 * time.Minute)
		if n, _ := sum(t, w.loop, "ashlar_released_pods_total"); n != 3 {
			t.Errorf("%v pods are counted as released, want the three that were deleted", n)
		}
		if n, _ := sum(t, w.loop, "ashlar_plan_items_total", "kind", "evict"); n != 0 {
			t.Errorf("%v evictions of plans are counted, want none", n)
		}
	})
}

// A gang is not completed while its members are being deleted: it would lose these after it had its minimum. That holds
// also where a panic has the scheduler forget which members are.
func TestNoGangIsCompletedWhileItsMembersAreDeleted(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		inVirtualTime(t, 1, func(w *living) {
			w.options.Stranded = 80 * time.Second // 22 s before a try, and deletions may take 30 s
			w.restart()
			w.halfway()
			w.busyFor(75 * time.Second)
			for range 60 {
				if w.after(time.Second); w.events("g", "GangReleased") > 0 {
					break
				}
			}
			w.refuse("")
			if forgets {
				w.loop.origins.forget()
			}
			w.wholeForGood()
			if w.events("g", "GangReleased") == 0 {
				t.Errorf("no event tells of a release (it forgets: %t)", forgets)
			}
		})
	}
}

// wholeForGood lets time pass until the gang is complete, and longer. It then has to keep its members.
func (w *living) wholeForGood() {
	w.Helper()
	first := ""
	for range 600 {
		w.remade(time.Second)
		var now strings.Builder
		for _, p := range w.members("g") {
			if p.Spec.NodeName != "" {
				now.WriteString(string(p.UID) + " ")
			}
		}
		switch {
		case first == "" && w.bound("g") == 4:
			first = now.String()
		case first != "" && now.String() != first:
			w.Fatalf("the gang had members %s, and then %s", first, now.String())
		}
	}
	if first == "" {
		w.Error("the gang was never complete")
	}
}

// A gang that cannot be read is read again soon, and released then. It does not matter whether that befalls the reading
// before it is told what will be deleted, or the one before the deletions.
func TestAGangIsReleasedThoughAReadingFails(t *testing.T) {
	for _, begins := range []time.Duration{0, 45 * time.Second} {
		inVirtualTime(t, 1, func(w *living) {
			from, failed := time.Now().Add(begins), 0
			w.answers(&w.kube.Fake, "list", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
				of := a.(k8stesting.ListAction).GetListRestrictions().Fields.String()
				if failed > 1 || time.Now().Before(from) || !strings.Contains(of, "status.phase!=Failed") {
					return false, nil, nil
				}
				failed++
				return true, nil, apierrors.NewInternalError(errors.New("server closed"))
			})
			w.halfway()
			w.replaced(75 * time.Second)
			if failed != 2 {
				t.Errorf("%d readings failed, want 2", failed)
			}
		})
	}
}
