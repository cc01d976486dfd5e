package loop

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

var (
	claimsKind  = resourcev1.SchemeGroupVersion.WithResource("resourceclaims")
	slicesKind  = resourcev1.SchemeGroupVersion.WithResource("resourceslices")
	classesKind = resourcev1.SchemeGroupVersion.WithResource("deviceclasses")
)

const card = "example.com/gpu"

// cards has a node publish devices, and a class of them stand for an extended resource.
func (w *living) cards(node string, n int) {
	w.reads = []model.Kind{devices.Claim, devices.Slice, devices.Class}
	w.kube.Resources = append(w.kube.Resources, &metav1.APIResourceList{GroupVersion: "resource.k8s.io/v1",
		APIResources: []metav1.APIResource{{Name: "resourceclaims"}, {Name: "resourceslices"}, {Name: "deviceclasses"}}})
	name := card
	w.must(w.core.Create(classesKind, &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu", UID: "gpu"},
		Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &name}}, ""))
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID(node)},
		Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: &node,
			Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}}
	for i := range n {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", i)})
	}
	w.must(w.core.Create(slicesKind, s, ""))
}

// leave makes a claim that a scheduler which ended made for a pod of a uid, with the first device of a node.
func (w *living) leave(pod, uid, node string) {
	c := (&devices.Special{Requests: []resourcev1.DeviceRequest{{Name: "r",
		Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", Count: 1,
			AllocationMode: resourcev1.DeviceAllocationModeExactCount}}}}).Claim(
		ledger.Key{Namespace: "ns", Name: pod}, uid, pod+"-extended-resources-old")
	c.UID, c.Finalizers = "old", []string{resourcev1.Finalizer}
	c.Status.Allocation = &resourcev1.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{{Request: "r",
		Driver: "gpu.example.com", Pool: node, Device: "gpu-0"}}
	w.must(w.core.Create(claimsKind, c, "ns"))
}

// asking makes a gang of one pod, which asks for cores and one device.
func (w *living) asking(group, cpu string) (uid string) {
	w.group(group, 1, noOwner)
	p := waiting(group + "-0")
	p.UID = types.UID(p.Name)
	p.Annotations = map[string]string{"scheduling.k8s.io/group-name": group}
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = cores(cpu)
	p.Spec.Containers[0].Resources.Requests[card] = cores("1")
	w.must(w.core.Create(podsKind, p, "ns"))
	return string(p.UID)
}

// A claim that was made for a pod by a scheduler that ended holds the one device; the pod is too large for any node.
// Another pod has the device after a minute, and not before: a binding of the scheduler that ended may come until then.
func TestWhatIsLeftOfAPodThatWaitsIsGivenBack(t *testing.T) {
	inVirtualTimeWith(t, 1, func(w *living) {
		w.cards("n0", 1)
		w.leave("large-0", w.asking("large", "9"), "n0")
		w.asking("small", "1")
	}, func(w *living) {
		on := func() string { return w.members("small")[0].Spec.NodeName }
		w.after(50 * time.Second)
		if _, err := w.core.Get(claimsKind, "ns", "large-0-extended-resources-old"); err != nil || on() != "" {
			t.Fatalf("before a minute has passed the other pod is on %q, and reading the claim says %v", on(), err)
		}
		w.after(30 * time.Second)
		if _, err := w.core.Get(claimsKind, "ns", "large-0-extended-resources-old"); err == nil || on() == "" {
			t.Errorf("the other pod is on %q, and the claim is there: %v", on(), err == nil)
		}
	})
}

// makeIdle makes claims without devices for a pod of its uid, as a tenant can.
func (w *living) makeIdle(pod string, names ...string) {
	for _, name := range names {
		c := (&devices.Special{}).Claim(ledger.Key{Namespace: "ns", Name: pod}, pod, name)
		c.UID = types.UID(name)
		w.must(w.core.Create(claimsKind, c, "ns"))
	}
}

// The pod's tenant makes claims without devices for it all the time, which come first by name: another pod has the
// device as soon as without them.
func TestClaimsWithoutDevicesHoldUpNoneThatHasSome(t *testing.T) {
	inVirtualTimeWith(t, 1, func(w *living) {
		w.cards("n0", 1)
		w.leave("large-0", w.asking("large", "9"), "n0")
		w.asking("small", "1")
	}, func(w *living) {
		for n := range 16 {
			w.makeIdle("large-0", fmt.Sprintf("a-%04d", 2*n), fmt.Sprintf("a-%04d", 2*n+1))
			w.after(5 * time.Second)
		}
		if on := w.members("small")[0].Spec.NodeName; on == "" {
			t.Error("after 80 s the other pod waits still for the device")
		}
	})
}

// Claims that a tenant makes for its pods that wait are deleted eight at a time: bindings of others have to wait for no
// more of them.
func TestClaimsMadeForPodsThatWaitAreDeleted(t *testing.T) {
	const groups, each = 4, 8
	inVirtualTimeWith(t, 1, func(w *living) {
		w.cards("n0", 1)
		for g := range groups {
			w.asking(fmt.Sprint("g", g), "9")
		}
	}, func(w *living) {
		for g := range groups {
			for n := range each {
				w.makeIdle(fmt.Sprintf("g%d-0", g), fmt.Sprintf("c-%d-%d", g, n))
			}
		}
		before := groups * each
		for range 18 {
			w.after(lookForLeft)
			list, err := w.core.List(claimsKind, resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"), "ns")
			w.must(err)
			left := len(list.(*resourcev1.ResourceClaimList).Items)
			if before-left > 8 {
				t.Errorf("in five seconds %d claims were deleted, want eight at most", before-left)
			}
			before = left
		}
		if before > 0 {
			t.Errorf("%d claims are left after a minute and a half", before)
		}
	})
}

// Those of each namespace are seen to in turn, the first ones first.
func TestLeftClaimsOfEachNamespaceInTurn(t *testing.T) {
	now, since := time.Unix(0, 0), map[string]time.Time{}
	of := func(namespace, uid string, seen int) devices.Leftover {
		since[uid] = now.Add(time.Duration(seen) * time.Second)
		return devices.Leftover{Pod: ledger.Key{Namespace: namespace, Name: "p"}, Claimed: devices.Claimed{UID: uid}}
	}
	list := []devices.Leftover{of("a", "a3", 3), of("a", "a2", 2), of("a", "a1", 1), of("b", "b5", 5), of("c", "c4", 4),
		of("c", "c6", 6)}
	inTurn(list, since)
	order := ""
	for _, c := range list {
		order += c.Claimed.UID + " "
	}
	if want := "a1 c4 b5 a2 c6 a3 "; order != want {
		t.Errorf("the order is %s, want %s", order, want)
	}
}

// Claims that a tenant makes for its pods that run, as if a scheduler had made them, are deleted a minute later, eight
// at a time; what the pods use stays, over a restart too.
func TestClaimsMadeForPodsThatRunAreDeleted(t *testing.T) {
	const groups, each = 3, 6
	inVirtualTimeWith(t, 1, func(w *living) {
		w.cards("n0", groups)
		for g := range groups {
			w.asking(fmt.Sprint("g", g), "1")
		}
	}, func(w *living) {
		claims := func() (used, idle int) {
			list, err := w.core.List(claimsKind, resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"), "ns")
			w.must(err)
			for _, c := range list.(*resourcev1.ResourceClaimList).Items {
				if c.Status.Allocation != nil {
					used++
				} else {
					idle++
				}
			}
			return used, idle
		}
		w.after(20 * time.Second)
		if used, idle := claims(); used != groups || idle != 0 {
			t.Fatalf("%d claims are used and %d idle, want one for each of %d pods", used, idle, groups)
		}
		for g := range groups {
			pod := fmt.Sprintf("g%d-0", g)
			for n := range each {
				w.makeIdle(pod, fmt.Sprint(pod, "-extended-resources-", n))
			}
		}
		w.restart()
		w.after(50 * time.Second)
		if _, idle := claims(); idle != groups*each {
			t.Errorf("before a minute has passed %d claims are left, want all %d", idle, groups*each)
		}
		before := groups * each
		for range 12 {
			w.after(lookForLeft)
			used, idle := claims()
			if used != groups || before-idle > 8 {
				t.Fatalf("of %d idle claims %d are left, and %d are used of %d", before, idle, used, groups)
			}
			before = idle
		}
		if before > 0 {
			t.Errorf("%d idle claims are left", before)
		}
	})
}
