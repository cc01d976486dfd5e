package loop

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// leadership is whether this scheduler acts.
type leadership struct {
	elector *leaderelection.LeaderElector // nil: there is no election, this scheduler acts
	margin  time.Duration                 // the last part of the lease, in which nothing is sent any more
	won     chan struct{}
	lost    chan struct{}
	cancel  context.CancelFunc
	ended   chan struct{}
	lock    *lock
	lease   *leaseVersions // nil: there is no election
}

// lock is the lease. It is given up only once resign says that it may be. Without that it runs out by itself, also if
// it could not be renewed in time: the elector would give it up then.
//
// Each of its requests gets half of the time for a renewal: one that is never answered would else keep a scheduler that
// stands by from ever acting, and a renewal from a second try.
type lock struct {
	resourcelock.Interface
	mayRelease atomic.Bool   // it may be given up
	within     time.Duration // for one request
	relabel    func()        // gives the lease its labels of now, before it is written
}

// Get implements resourcelock.Interface.
func (l *lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	return l.Interface.Get(ctx)
}

// Create implements resourcelock.Interface.
func (l *lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	l.relabel()
	return l.Interface.Create(ctx, r)
}

var errKept = errors.New("requests may still be carried out: the lease is left to run out")

// Update implements resourcelock.Interface.
func (l *lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if r.HolderIdentity == "" && !l.mayRelease.Load() {
		return errKept
	}
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	l.relabel()
	return l.Interface.Update(ctx, r)
}

// elect takes part in the election until the lease is lost or resigned. While this scheduler has the lease, it
// carries the labels.
func elect(ctx context.Context, o Options, kube kubernetes.Interface, labels func() map[string]string) (*leadership,
	error) {
	l := &leadership{won: make(chan struct{}, 1), lost: make(chan struct{}), ended: make(chan struct{})}
	if o.Election == nil {
		l.cancel = func() {}
		close(l.ended)
		l.won <- struct{}{}
		return l, nil
	}
	e := o.Election.withDefaults()
	l.margin = e.LeaseDuration - e.RenewDeadline
	ctx, l.cancel = context.WithCancel(ctx)
	l.lease = &leaseVersions{LeasesGetter: kube.CoordinationV1()}
	lease := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name},
		Client:     l.lease,
		LockConfig: resourcelock.ResourceLockConfig{Identity: e.Identity},
	}
	l.lock = &lock{within: e.RenewDeadline / 2, Interface: lease, relabel: func() { lease.Labels = labels() }}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          l.lock,
		LeaseDuration: e.LeaseDuration, RenewDeadline: e.RenewDeadline, RetryPeriod: e.RetryPeriod,
		ReleaseOnCancel: true, Name: e.Name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				klog.InfoS("Acting as the scheduler", "lease", e.Namespace+"/"+e.Name, "identity", e.Identity)
				l.won <- struct{}{}
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		l.cancel()
		return nil, fmt.Errorf("the lease %s/%s: %w", e.Namespace, e.Name, err)
	}
	l.elector = elector
	go func() {
		defer close(l.ended)
		elector.Run(ctx)
		if ctx.Err() == nil {
			close(l.lost)
		}
	}()
	return l, nil
}

func (e Election) withDefaults() Election {
	if e.LeaseDuration <= 0 {
		e.LeaseDuration = 15 * time.Second
	}
	if e.RenewDeadline <= 0 {
		e.RenewDeadline = 10 * time.Second
	}
	if e.RetryPeriod <= 0 {
		e.RetryPeriod = 2 * time.Second
	}
	if e.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "ashlar"
		}
		e.Identity = host + "_" + rand.Text()
	}
	return e
}

// leading reports whether this scheduler may act. By the monotonic clock it turns false before another
// scheduler can have taken the lease, even if this process was paused.
func (l *leadership) leading() bool {
	if l == nil {
		return false
	}
	if l.elector == nil {
		return true
	}
	return l.elector.IsLeader() && l.elector.Check(-l.margin) == nil && !l.leaseRestored()
}

// isLost reports whether the lease was lost.
func (l *leadership) isLost() bool {
	select {
	case <-l.lost:
		return true
	default:
		return false
	}
}

// leaseRestored reports whether the lease was read in an older version than before.
func (l *leadership) leaseRestored() bool { return l.lease != nil && l.lease.restored.Load() }

// leader is the identity of the scheduler that acts, as far as it is known; "" without an election.
func (l *leadership) leader() string {
	if l == nil || l.elector == nil {
		return ""
	}
	return l.elector.GetLeader()
}

// identity is that of this scheduler in the Lease; "" without an election.
func (l *leadership) identity() string {
	if l == nil || l.lock == nil {
		return ""
	}
	return l.lock.Identity()
}

// resign ends this scheduler's part in the election. A lease that it holds is released, or left to run out.
func (l *leadership) resign(release bool) {
	if l.lock != nil {
		l.lock.mayRelease.Store(release)
	}
	l.cancel()
	<-l.ended
}
