package loop

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
		"update": func(ctx context.Context, l *lock) error { return l.Update(ctx, resourcelock.LeaderElectionRecord{}) },
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
	if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{}); err != nil || labelled != 2 {
		t.Errorf("a lease is renewed with labels of %d moments: %v", labelled, err)
	}
}
