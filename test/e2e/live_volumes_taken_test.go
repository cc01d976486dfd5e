package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
)

// halfway is a gang of two; a volume for its first member is being made: a node is selected
// for claim made, and nothing provides it yet. Its second member has the claim that is named.
func halfway(t *testing.T, ns, second string) {
	t.Helper()
	queue(t, ns)
	live(t, ns)
	group := object("PodGroup", "g", map[string]any{"minMember": int64(2), "queue": ns})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, c := range []string{"made", second} {
		p := claims(ns, fmt.Sprintf("g-%d", i), c)
		p.Annotations = map[string]string{"scheduling.k8s.io/group-name": "g"}
		create(t, p)
	}
	eventually(t, "a node for the claim to be made", func(ctxless) (bool, error) {
		return volumeClaim(t, ns, "made").Annotations[volume.AnnSelectedNode] != "", nil
	}, func() string { return fmt.Sprint(volumeClaim(t, ns, "made")) })
}

func volumeClaim(t *testing.T, ns, name string) *corev1.PersistentVolumeClaim {
	t.Helper()
	got, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func volumeRef(t *testing.T, name string) *corev1.ObjectReference {
	t.Helper()
	got, err := shared.kube.CoreV1().PersistentVolumes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got.Spec.ClaimRef
}

// awaitRefusal waits until the gang's second member says that it could not have its volume.
func awaitRefusal(t *testing.T, ns string) {
	t.Helper()
	eventually(t, "the second member to say that it could not have what was chosen", func(ctxless) (bool, error) {
		return len(events(t, ns, "Pod", "g-1", "FailedScheduling")) > 0, nil
	}, func() string { return fmt.Sprint(get(t, ns, "g-1")) })
}

func awaitGang(t *testing.T, ns string) {
	t.Helper()
	eventually(t, "the gang to be bound", func(ctxless) (bool, error) {
		provision(t, ns)
		return get(t, ns, "g-0").Spec.NodeName != "" && get(t, ns, "g-1").Spec.NodeName != "", nil
	}, func() string { return fmt.Sprint(get(t, ns, "g-0").Status, get(t, ns, "g-1").Status) })
}

// A volume that was chosen for the second pod of a gang, while the first one's is being made,
// is given to another tenant's claim meanwhile. It stays that claim's, and the gang starts with
// the next that comes.
func TestAVolumeThatAnotherClaimHasByNowStays(t *testing.T) {
	ns, other := namespace(t), namespace(t)
	zoned(t, ns+"-big", "east", "16")
	storage(t, ns)
	createDisk(t, disk(ns+"-static", ns))
	createClaim(t, ns, "made", ns+"-made", "")
	createClaim(t, ns, "mine", ns, "")
	halfway(t, ns, "mine")
	createClaim(t, other, "theirs", ns, ns+"-static")
	eventually(t, "the other tenant's claim to be bound", func(ctxless) (bool, error) {
		return volumeClaim(t, other, "theirs").Status.Phase == corev1.ClaimBound, nil
	}, func() string { return fmt.Sprint(volumeClaim(t, other, "theirs")) })
	provision(t, ns)
	awaitRefusal(t, ns)
	createDisk(t, disk(ns+"-more", ns))
	awaitGang(t, ns)
	if ref := volumeRef(t, ns+"-static"); ref == nil || ref.Namespace != other {
		t.Errorf("the other tenant's volume is %v's", ref)
	}
	if ref := volumeRef(t, ns+"-more"); ref == nil || ref.Name != "mine" {
		t.Errorf("the volume that came later is %v's", ref)
	}
}

// A claim that is made again under its name while its gang waits is another claim: it asks for
// more, and the volume that was chosen for the first is not given to it.
func TestAVolumeIsNotGivenToTheNextClaimOfItsName(t *testing.T) {
	ns := namespace(t)
	zoned(t, ns+"-big", "east", "16")
	storage(t, ns)
	createDisk(t, disk(ns+"-static", ns))
	createClaim(t, ns, "made", ns+"-made", "")
	createClaim(t, ns, "mine", ns, "")
	halfway(t, ns, "mine")
	api := shared.kube.CoreV1().PersistentVolumeClaims(ns)
	c := volumeClaim(t, ns, "mine")
	if _, err := api.Patch(t.Context(), "mine", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := api.Delete(t.Context(), "mine", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	again := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "mine"},
		Spec: *c.Spec.DeepCopy()}
	again.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("2Gi")
	eventually(t, "the first claim to be gone and another of its name to be made", func(ctxless) (bool, error) {
		_, err := api.Create(t.Context(), again.DeepCopy(), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return false, nil // a controller may have set its finalizer again
		}
		return err == nil, err
	}, func() string { return "it is there" })
	provision(t, ns)
	awaitRefusal(t, ns)
	large := disk(ns+"-large", ns)
	large.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("2Gi")
	createDisk(t, large)
	awaitGang(t, ns)
	if ref := volumeRef(t, ns+"-static"); ref != nil {
		t.Errorf("the volume that is too small is %v's", ref)
	}
}

// While a gang waits for its volumes, another scheduler has one of them made on another node.
// That decision is not written over: the pod goes there.
func TestANodeThatAnotherSchedulerSelectedStays(t *testing.T) {
	ns := namespace(t)
	zones := map[string]string{ns + "-big": "east", ns + "-small": "west"}
	zoned(t, ns+"-big", "east", "16")
	zoned(t, ns+"-small", "west", "4")
	storage(t, ns)
	createClaim(t, ns, "made", ns+"-made", "")
	createClaim(t, ns, "shared", ns+"-made", "")
	halfway(t, ns, "shared")
	theirs := ""
	for on := range zones {
		if on != volumeClaim(t, ns, "made").Annotations[volume.AnnSelectedNode] {
			theirs = on
		}
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, volume.AnnSelectedNode, theirs)
	if _, err := shared.kube.CoreV1().PersistentVolumeClaims(ns).Patch(t.Context(), "shared", types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRefusal(t, ns)
	awaitGang(t, ns)
	if on := volumeClaim(t, ns, "shared").Annotations[volume.AnnSelectedNode]; on != theirs {
		t.Errorf("another scheduler had selected %s, and the claim says %s", theirs, on)
	}
	if on := get(t, ns, "g-1").Spec.NodeName; on != theirs {
		t.Errorf("the pod is on %s, and its volume is made for %s", on, theirs)
	}
}
