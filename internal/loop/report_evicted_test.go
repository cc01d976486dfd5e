package loop

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
)

// pressed has pods evicted for others of a higher priority class.
func pressed(w *living) {
	withWire(w, &wire{})
	w.spoil = nil
}

// The PodGroup tells of an eviction that was carried out, once for all pods of a round.
func TestAPodGroupTellsOfItsEvictions(t *testing.T) {
	inVirtualTimeWith(t, 2, pressed, func(w *living) {
		w.ranked("old", "low", 2, "6")
		w.after(10 * time.Second)
		w.ranked("urgent", "high", 2, "6")
		w.after(10 * time.Second)
		if m := evictedOf(w, "old"); len(m) != 1 || !strings.HasPrefix(m[0], "Evict: preempt: 2 pods evicted for a job of") {
			t.Errorf("the PodGroup says %q, want one event about both pods", m)
		}
	})
}

// It tells of none that was not: the API server refuses one deletion, and the other pod ends by itself.
func TestAPodGroupDoesNotTellOfEvictionsThatWereNot(t *testing.T) {
	inVirtualTimeWith(t, 2, pressed, func(w *living) {
		w.ranked("old", "low", 2, "6")
		w.after(10 * time.Second)
		w.answers(&w.kube.Fake, "delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(podsKind.GroupResource(), a.(k8stesting.DeleteAction).GetName(), nil)
		})
		w.ranked("urgent", "high", 2, "6")
		w.after(10 * time.Second)
		if n := w.deletions(); n == 0 {
			t.Fatal("no eviction was tried")
		}
		w.ends("old-0", corev1.PodSucceeded)
		w.after(time.Minute)
		if m := evictedOf(w, "old"); len(m) != 0 {
			t.Errorf("the PodGroup says %q, though no pod was evicted", m)
		}
	})
}

func evictedOf(w *living, group string) (out []string) {
	for _, m := range w.messages(group) {
		if strings.HasPrefix(m, "Evict: ") {
			out = append(out, m)
		}
	}
	return out
}
