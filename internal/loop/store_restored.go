package loop

import (
	"context"
	"errors"
	"sync/atomic"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"ashlar.sh/internal/kube/translate"
)

// errStoreRestored ends a run when the API server's store was put back: Kubernetes says to start every component anew
// then.
var errStoreRestored = errors.New("an object is older than it was: the API server's store was put back, as from a " +
	"backup; nothing more is decided, and this scheduler has to start anew")

// storeRestored reports whether the store was put back while this scheduler ran.
func (l *loop) storeRestored() bool { return l.lead.leaseRestored() || l.observer.StoreRestored() }

// leaseVersions watches over the versions in which the lease is read. It is renewed every few seconds, so that a store
// which was put back shows it in an older one at once, before any watch shows anything.
type leaseVersions struct {
	coordinationclient.LeasesGetter
	newest   uint64 // of the election's goroutine only
	restored atomic.Bool
}

// Leases implements coordinationclient.LeasesGetter.
func (v *leaseVersions) Leases(namespace string) coordinationclient.LeaseInterface {
	return &versionedLeases{v.LeasesGetter.Leases(namespace), v}
}

func (v *leaseVersions) note(lease *coordinationv1.Lease, err error) (*coordinationv1.Lease, error) {
	if err != nil {
		return lease, err
	}
	n := translate.Version(lease.ResourceVersion)
	if n == 0 {
		return lease, nil // versions that are no numbers say nothing
	}
	if n < v.newest {
		v.restored.Store(true)
	}
	v.newest = n
	return lease, nil
}

type versionedLeases struct {
	coordinationclient.LeaseInterface
	versions *leaseVersions
}

// Get implements coordinationclient.LeaseInterface.
func (l *versionedLeases) Get(ctx context.Context, name string, o metav1.GetOptions) (*coordinationv1.Lease, error) {
	return l.versions.note(l.LeaseInterface.Get(ctx, name, o))
}

// Update implements coordinationclient.LeaseInterface.
func (l *versionedLeases) Update(ctx context.Context, lease *coordinationv1.Lease, o metav1.UpdateOptions) (
	*coordinationv1.Lease, error) {
	return l.versions.note(l.LeaseInterface.Update(ctx, lease, o))
}
