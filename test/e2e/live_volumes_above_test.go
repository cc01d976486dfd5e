package e2e

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
)

// A gang needs three of its four members, and two of these need volumes that are to be made. While the volumes are not
// there no member is bound, also none above the minimum, and none is when the provisioner cannot make them: it would
// hold room and do no work. When they are made all four are bound.
func TestAMemberAboveTheMinimumWaitsForTheVolumesOfTheMinimum(t *testing.T) {
	ns := namespace(t)
	node(t, ns+"-n", "16")
	storage(t, ns)
	createClaim(t, ns, "made", ns+"-made", "")
	createClaim(t, ns, "too", ns+"-made", "")
	queue(t, ns)
	live(t, ns)
	group := object("PodGroup", "g", map[string]any{"minMember": int64(3), "queue": ns})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, names := range [][]string{{"made"}, {"too"}, nil, nil} {
		p := claims(ns, fmt.Sprintf("g-%d", i), names...)
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": "g"}
		create(t, p)
	}
	selected := func() bool { return volumeClaim(t, ns, "made").Annotations[volume.AnnSelectedNode] != "" }
	failed := func(pod string) int { return len(events(t, ns, "Pod", pod, "FailedScheduling")) }
	held := func() string {
		return fmt.Sprint(volumeClaim(t, ns, "made").Annotations, list(t, ns, "g-"))
	}
	const failures = 2 // of the provisioner: it takes the node from the claim
	for n := range failures {
		eventually(t, "a node for the claim to be made", func(ctxless) (bool, error) { return selected(), nil }, held)
		if n := bound(list(t, ns, "g-")); n != 0 {
			t.Fatalf("%d members are bound while the minimum waits for its volumes, want none: %s", n, held())
		}
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, volume.AnnSelectedNode)
		if _, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Patch(t.Context(), "made", types.MergePatchType,
			[]byte(patch), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the member to say that its volume could not be made", func(ctxless) (bool, error) {
			return failed("g-0")+failed("g-1") > n, nil
		}, held)
	}
	eventually(t, "all four to be bound", func(ctxless) (bool, error) {
		provision(t, ns)
		return bound(list(t, ns, "g-")) == 4, nil
	}, held)
}
