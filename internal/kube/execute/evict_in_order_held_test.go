package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// held is a server at which a deletion was denied before. It is asked for again by the evictions for m0, and the server
// has no time to answer at first.
type held struct {
	*denying
	x *execute.Executor

	mu     sync.Mutex
	answer error // to the deletion
	bound  []string
}

func (h *held) answers(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = err
}

func newHeld(ctx context.Context, t *testing.T) *held {
	t.Helper()
	h := &held{denying: newDenying(), answer: apierrors.NewTooManyRequests("later", 1)}
	h.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		b, is := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding)
		h.mu.Lock()
		defer h.mu.Unlock()
		if is {
			h.bound = append(h.bound, b.Name)
		}
		return is, nil, nil
	})
	never := func(int) error { return nil }
	h.x = h.carrierWith(ctx, &maker{shop: &shop{before: never, after: never}})
	h.denies["kept"] = true
	h.carries(ctx, h.x, func() { h.x.Execute(evictions(1, "m0", "kept")) })
	h.x.Receipts()
	h.kube.PrependReactor("delete", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		if a.(k8stesting.DeleteAction).GetName() != "kept" {
			return false, nil, nil
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		return true, nil, h.answer
	})
	h.x.Execute(evictions(2, "m0", "worker", "kept"))
	synctest.Wait()
	return h
}

// bindOf binds a pod after other statements.
func bindOf(statement uint64, pod string, chosen ledger.Chosen, after ...uint64) sched.Item {
	return sched.Item{ID: 1000 + statement, Kind: sched.BindPod, Statement: statement, UID: pod, Node: "other",
		Chosen: chosen, After: after, Pod: ledger.Key{Namespace: "ns", Name: pod}}
}

// A gang's member for which evictions wait for others is not bound, and so are none that come after it: in a plan of
// their own or in the same one, bound in order or not. They fail with it, or are bound once the evictions are accepted.
func TestBindingsAreHeldWithOneThatWaitsForEvictions(t *testing.T) {
	for _, c := range []struct{ denied, inOrder, prepared, together bool }{
		{}, {denied: true}, {inOrder: true}, {denied: true, inOrder: true}, {prepared: true},
		{denied: true, prepared: true}, {together: true}, {denied: true, together: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				h := newHeld(ctx, t)
				first, later := bindOf(3, "m0", ""), bindOf(4, "m1", "", 3)
				if c.prepared {
					first.Chosen = makes(devices.Writes{Unsaid: true})
				}
				switch {
				case c.together:
					h.x.Execute([]sched.Item{first, later})
				case c.inOrder:
					h.x.BindInOrder([]sched.Item{first}, nil)
					h.x.Execute([]sched.Item{later})
				default:
					h.x.Execute([]sched.Item{first})
					h.x.Execute([]sched.Item{later})
				}
				<-time.After(time.Second)
				if len(h.bound) > 0 {
					t.Errorf("bound %q, though what it comes after was not", h.bound)
				}
				var want []string
				if c.denied {
					h.answers(apierrors.NewForbidden(podsResource, "kept", errors.New("it stays")))
				} else {
					h.answers(nil)
					want = []string{"m0", "m1"}
				}
				got := outcomes(h.x, 4)
				slices.Sort(h.bound)
				became := map[bool]sched.Outcome{true: sched.Failed, false: sched.Done}[c.denied]
				if got["m0"] != became || got["m1"] != became || !slices.Equal(h.bound, want) {
					t.Errorf("the outcomes are %v, want %v of both; bound is %q, want %q", got, became, h.bound, want)
				}
			})
		})
	}
}

// The answer that denies an eviction is known, and not given yet. What comes after the binding that fails with it is
// not bound in that moment either.
func TestABindingFailsWithOneThatFailedWithEvictions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		h := newHeld(ctx, t)
		h.x.Execute([]sched.Item{bindOf(3, "m0", "")})
		h.answers(apierrors.NewForbidden(podsResource, "kept", errors.New("it stays")))
		h.x.Wait(ctx)
		h.x.Execute([]sched.Item{bindOf(4, "m1", "", 3)})
		if got := outcomes(h.x, 4); got["m1"] != sched.Failed || len(h.bound) > 0 {
			t.Errorf("the outcomes are %v, bound is %q", got, h.bound)
		}
	})
}
