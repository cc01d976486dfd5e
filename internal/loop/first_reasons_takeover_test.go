package loop

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
)

// A pod that comes after one scheduler has lost the Lease and before the next one acts is told its first reason within
// three seconds of when that one acts, and once. What the first has told is not told again, be it that a reason was
// told long before or in the last moment.
func TestFirstReasonsOverATakeOver(t *testing.T) {
	for _, late := range []time.Duration{soon, 1500 * time.Millisecond, 1200 * time.Millisecond, 300 * time.Millisecond} {
		t.Run(late.String(), func(t *testing.T) {
			election := func(identity string) *Election {
				return &Election{Namespace: "ns", Name: "lease", Identity: identity}
			}
			prepare := func(w *living) { w.options.Election = election("first") }
			inVirtualTimeWith(t, 1, prepare, func(w *living) { takesOver(w, late, election("second")) })
		})
	}
}

// takesOver lives with one scheduler until it has lost the Lease, a while after a pod came, and then with another one
// that has waited for it.
func takesOver(w *living, late time.Duration, second *Election) {
	var broken atomic.Bool
	w.answers(&w.kube.Fake, "update", "leases", func(a k8stesting.Action) (bool, runtime.Object, error) {
		o := a.(k8stesting.UpdateAction).GetObject().(*coordinationv1.Lease)
		if broken.Load() && *o.Spec.HolderIdentity == "first" {
			return true, nil, apierrors.NewServiceUnavailable("no leader in the store")
		}
		return false, nil, nil
	})
	waits := func(name string) {
		w.group(name, 1, noOwner)
		w.pods(name, 0, 1, "64")
	}
	waits("old")
	w.after(soon)
	if w.message("old-0") == "" {
		w.Fatal("the first scheduler tells nothing")
	}
	endFirst, first := w.end, w.loop.lead
	w.mayLose = true
	w.options.Election = second
	w.schedule()
	broken.Store(true)
	w.after(Election{}.withDefaults().RenewDeadline - late)
	waits("late")
	<-first.lost
	w.after(10 * time.Millisecond)
	told := w.message("late-0") != ""
	for i := range 3 {
		waits(fmt.Sprint("new-", i))
		w.after(100 * time.Millisecond)
	}
	endFirst()
	for w.holder() != second.Identity {
		w.after(10 * time.Millisecond)
	}
	acts := time.Now()
	for i := range 3 {
		name := fmt.Sprint("new-", i)
		for w.message(name+"-0") == "" && time.Since(acts) < time.Minute {
			w.after(10 * time.Millisecond)
		}
		if took := time.Since(acts); took > withinThreeSeconds {
			w.Errorf("%s is told after %s", name, took)
		}
	}
	w.after(quiet)
	for _, name := range []string{"old", "late", "new-0", "new-1", "new-2"} {
		toGroup, toPod := w.written(name, name+"-0")
		if events := w.events(name+"-0", "FailedScheduling"); toGroup > 1 || toPod != 1 || events != 1 {
			w.Errorf("%s (told by the first: %t): its PodGroup is written %d times, it %d times, and it has %d events", name,
				told, toGroup, toPod, events)
		}
		if said := w.message(name + "-0"); !strings.Contains(said, "64 asked") {
			w.Errorf("%s says %q", name, said)
		}
	}
}

// holder is the scheduler that has the Lease.
func (w *living) holder() string {
	lease, err := w.kube.CoordinationV1().Leases("ns").Get(w.Context(), "lease", metav1.GetOptions{})
	w.must(err)
	return *lease.Spec.HolderIdentity
}
