package loop

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// A lease that is read in an older version than before was put back, and nothing is sent any more.
func TestALeaseThatWasPutBackIsNoticed(t *testing.T) {
	kube, version := fake.NewClientset(), ""
	answer := func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "volcano", ResourceVersion: version}}, nil
	}
	kube.PrependReactor("get", "leases", answer)
	kube.PrependReactor("update", "leases", answer)
	v := &leaseVersions{LeasesGetter: kube.CoordinationV1()}
	l := &leadership{lease: v}
	leases := v.Leases("ns")
	for _, step := range []struct {
		version  string
		update   bool
		restored bool
	}{{"5", false, false}, {"7", true, false}, {"7", false, false}, {"x", false, false}, {"6", false, true},
		{"9", false, true}} {
		version = step.version
		_, err := leases.Get(t.Context(), "volcano", metav1.GetOptions{})
		if step.update {
			_, err = leases.Update(t.Context(), &coordinationv1.Lease{}, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if l.leaseRestored() != step.restored {
			t.Errorf("after version %s it is held to have been put back: %v, want %v", version, l.leaseRestored(), step.restored)
		}
	}
}
