package execute_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
)

// A gang's minimum waits for evictions of which one was denied before, and a member above it comes after the minimum.
// The eviction is denied again: neither is bound.
func TestABindingWaitsForOneThatWaitsForEvictions(t *testing.T) {
	for name, chosen := range map[string]ledger.Chosen{"without devices": "",
		"with devices": makes(devices.Writes{Unsaid: true})} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := newDenying()
				var order []string
				d.kube.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
					if b, is := a.(k8stesting.CreateAction).GetObject().(*corev1.Binding); is {
						order = append(order, b.Name)
						return true, nil, nil
					}
					return false, nil, nil
				})
				never := func(int) error { return nil }
				x := d.carrierWith(ctx, &maker{shop: &shop{before: never, after: never}})
				d.denies["kept"] = true
				d.carries(ctx, x, func() { x.Execute(evictions(1, "m0", "kept")) })
				x.Receipts()
				x.Execute(evictions(2, "m0", "worker", "kept"))
				x.Execute([]sched.Item{{ID: 999, Kind: sched.BindPod, Statement: 3, UID: "m0", Node: "other", Chosen: chosen,
					Pod: ledger.Key{Namespace: "ns", Name: "m0"}}})
				x.Execute([]sched.Item{{ID: 1000, Kind: sched.BindPod, Statement: 4, UID: "m1", Node: "other",
					After: []uint64{3}, Pod: ledger.Key{Namespace: "ns", Name: "m1"}}})
				<-time.After(time.Minute) // of the bubble
				if len(order) > 0 {
					t.Errorf("bound %q, though what it comes after was not", order)
				}
				failed := 0
				for _, r := range x.Receipts() {
					if r.Item.Kind == sched.BindPod && r.Outcome == sched.Failed {
						failed++
					}
				}
				if failed != 2 {
					t.Errorf("%d bindings are answered as failed, want 2", failed)
				}
			})
		})
	}
}
