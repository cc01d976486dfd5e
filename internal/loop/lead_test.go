package loop

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corescheme "k8s.io/client-go/kubernetes/scheme"
	k8stesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// deaf is a lease of which the first requests are never answered.
type deaf struct {
	resourcelock.Interface
	ignores atomic.Int64
}

func (d *deaf) await(ctx context.Context) error {
	if d.ignores.Add(-1) < 0 {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (d *deaf) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{}, nil, d.await(ctx)
}

func (d *deaf) Create(ctx context.Context, _ resourcelock.LeaderElectionRecord) error {
	return d.await(ctx)
}

func (d *deaf) Update(ctx context.Context, _ resourcelock.LeaderElectionRecord) error {
	return d.await(ctx)
}

// A request for the lease that is never answered costs half of the time for a renewal, and not the election.
func TestALeaseThatIsNotAnsweredIsAskedForAgain(t *testing.T) {
	for what, request := range map[string]func(context.Context, *lock) error{
		"get":    func(ctx context.Context, l *lock) error { _, _, err := l.Get(ctx); return err },
		"create": func(ctx context.Context, l *lock) error { return l.Create(ctx, resourcelock.LeaderElectionRecord{}) },
		"update": func(ctx context.Context, l *lock) error {
			return l.Update(ctx, resourcelock.LeaderElectionRecord{HolderIdentity: "first"})
		},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deaf{}
				d.ignores.Store(1)
				l := &lock{Interface: d, within: 5 * time.Second, relabel: func() {}}
				began := time.Now()
				if request(t.Context(), l) == nil || time.Since(began) != l.within {
					t.Errorf("a request without an answer lasted %s, want an error after %s", time.Since(began), l.within)
				}
				if err := request(t.Context(), l); err != nil {
					t.Errorf("the next request: %v", err)
				}
			})
		})
	}
}

// Each write of the lease has the labels of that moment.
func TestALeaseHasTheLabelsOfNow(t *testing.T) {
	labelled := 0
	l := &lock{Interface: &deaf{}, within: time.Second, relabel: func() { labelled++ }}
	if err := l.Create(t.Context(), resourcelock.LeaderElectionRecord{}); err != nil || labelled != 1 {
		t.Errorf("a lease is created with labels of %d moments: %v", labelled, err)
	}
	renewed := resourcelock.LeaderElectionRecord{HolderIdentity: "first"}
	if err := l.Update(t.Context(), renewed); err != nil || labelled != 2 {
		t.Errorf("a lease is renewed with labels of %d moments: %v", labelled, err)
	}
}

// A lease that cannot be renewed runs out, also if the API server takes writes again as soon as it is lost: what was
// sent before may still be carried out.
func TestALeaseThatCannotBeRenewedRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, kube := newTracker(corescheme.Scheme), fake.NewClientset()
		store.serve(&kube.Fake)
		var renewed atomic.Int64 // when it was renewed last
		var broken atomic.Bool
		kube.PrependReactor("update", "leases", func(a k8stesting.Action) (bool, runtime.Object, error) {
			o := a.(k8stesting.UpdateAction).GetObject().(*coordinationv1.Lease)
			if *o.Spec.HolderIdentity != "first" {
				return false, nil, nil
			}
			if broken.Load() {
				return true, nil, apierrors.NewServiceUnavailable("no leader in the store")
			}
			renewed.Store(time.Now().UnixNano())
			return false, nil, nil
		})
		part := func(identity string) *leadership {
			o := Options{Election: &Election{Namespace: "ns", Name: "lease", Identity: identity}}
			l, err := elect(t.Context(), o, kube, func() map[string]string { return nil })
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		first := part("first")
		<-first.won
		<-time.After(5 * time.Second)
		second := part("second")
		<-time.After(5 * time.Second)
		synctest.Wait()
		broken.Store(true)
		<-first.lost
		first.resign(true)
		<-second.won
		lease := Election{}.withDefaults().LeaseDuration
		if early := lease - time.Since(time.Unix(0, renewed.Load())); early > 0 {
			t.Errorf("another scheduler acts %v before the lease ran out", early)
		}
		second.resign(true)
		third := part("third")
		<-third.won
		if took := time.Since(time.Unix(0, renewed.Load())); took > 2*lease {
			t.Errorf("a lease that is given up is taken %v after it was renewed last", took)
		}
		third.resign(true)
	})
}
