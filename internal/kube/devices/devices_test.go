package devices_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Eight devices a node, as they come.
func two(gpus int) []metav1.Object {
	return []metav1.Object{node("n1"), node("n2"), class("gpu"), slice("n1", gpus), slice("n2", gpus)}
}

// large selects devices with a large memory.
const large = `device.capacity["` + driver + `"].memory.compareTo(quantity("80Gi")) >= 0`

// tainted is a node's slice of which the device may be used only where its taint is tolerated.
func tainted(on string) *resourcev1.ResourceSlice {
	s := slice(on, 1)
	s.Spec.Devices[0].Taints = []resourcev1.DeviceTaint{{Key: "hot", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	return s
}

// paired is claim a of two devices that have the same root.
func paired(selectors ...string) *resourcev1.ResourceClaim {
	root := resourcev1.FullyQualifiedName(driver + "/root")
	c := claim("a", 2, selectors...)
	c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &root}}
	return c
}

// with is the base and more.
func with(base []metav1.Object, more ...metav1.Object) []metav1.Object {
	return append(append([]metav1.Object{}, base...), more...)
}

func TestAPodGoesWhereItsDevicesAre(t *testing.T) {
	n1, n2 := "n1", "n2"
	rival := allocated(claim("rival", 1), "n2", []string{"gpu-0"}, "somebody")
	old := slice(n1, 2)
	old.Name, old.Spec.Pool.Generation, old.Spec.Pool.ResourceSliceCount = "n1-old", 0, 1
	tolerates := claim("a", 1)
	tolerates.Spec.Devices.Requests[0].Exactly.Tolerations = []resourcev1.DeviceToleration{
		{Key: "hot", Operator: resourcev1.DeviceTolerationOpExists}}
	all := claim("a", 0)
	all.Spec.Devices.Requests[0].Exactly.AllocationMode = resourcev1.DeviceAllocationModeAll
	either := claim("a", 1)
	either.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "four", DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 4},
		{Name: "two", DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2}}}}
	admin := claim("a", 1)
	yes := true
	admin.Spec.Devices.Requests[0].Exactly.AdminAccess = &yes
	spread := slice(n2, 1)
	spread.Name, spread.Spec.NodeName, spread.Spec.AllNodes = "anywhere", nil, &yes
	spread.Spec.Pool.Name = "fabric"
	here, there := []metav1.Object{node(n1), class("gpu")}, []metav1.Object{node(n2), class("gpu")}
	for name, c := range map[string]struct {
		objects []metav1.Object
		binds   string
	}{
		"the devices of the node, in their order": {with(here, slice(n1, 3), claim("a", 2)),
			"p on n1: n1/gpu-0 n1/gpu-1"},
		"only one node has any": {with(here, node(n2), slice(n2, 1), claim("a", 1)),
			"p on n2: n2/gpu-0"},
		"a selector of the claim's own": {with(here, slice(n1, 4), claim("a", 2, large)),
			"p on n1: n1/gpu-1 n1/gpu-3"},
		"what another claim has is left to it": {with(there, slice(n2, 2), rival, claim("a", 1)),
			"p on n2: n2/gpu-1"},
		"what is had for administration is shared": {with(there, slice(n2, 1), rival, admin), "p on n2: n2/gpu-0"},
		"all there are": {with(here, slice(n1, 3), all),
			"p on n1: n1/gpu-0 n1/gpu-1 n1/gpu-2"},
		"the second of two alternatives": {with(here, slice(n1, 3), either), "p on n1: n1/gpu-0 n1/gpu-1"},
		"two that share an attribute": {with(there, slice(n2, 4), rival, paired()),
			"p on n2: n2/gpu-2 n2/gpu-3"},
		"a taint that is tolerated":              {with(here, tainted(n1), tolerates), "p on n1: n1/gpu-0"},
		"devices that every node reaches":        {with(here, spread, claim("a", 1)), "p on n1: fabric/gpu-0"},
		"the newest generation of a pool counts": {with(here, slice(n1, 1), old, claim("a", 1)), "p on n1: n1/gpu-0"},
		"a claim that has devices holds its pod to their node": {with(here, node(n2), slice(n1, 1), slice(n2, 1),
			allocated(claim("a", 1), n2, []string{"gpu-0"}, "uid-p", "other")),
			"p on n2: as allocated"},
		"devices that no pod uses are moved with their pod": {
			with(here, slice(n1, 1), allocated(claim("a", 1), n2, []string{"gpu-0"})), "p on n1: n1/gpu-0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(c.objects, pod("p", "a"))...)
			if got := binds(t, w.decide()); got != c.binds {
				t.Errorf("bound %q, want %q", got, c.binds)
			}
		})
	}
}

func TestAPodWaitsForDevices(t *testing.T) {
	n1, n2 := "n1", "n2"
	part := slice(n1, 2)
	part.Spec.Pool.ResourceSliceCount = 2
	going := claim("a", 1)
	going.DeletionTimestamp = &metav1.Time{}
	strange := claim("a", 1, "device.nonsense(")
	here := []metav1.Object{node(n1), class("gpu")}
	refused := trace.Reason{Code: trace.NodeDevices, Text: "gpu", Need: 1}
	for name, c := range map[string]struct {
		objects []metav1.Object
		why     trace.Reason
	}{
		"too few": {with(here, slice(n1, 1), claim("a", 2)),
			trace.Reason{Code: trace.NodeDevices, Text: "gpu", Need: 2, Have: 1}},
		"too few are large": {with(here, slice(n1, 2), claim("a", 2, large)),
			trace.Reason{Code: trace.NodeDevices, Text: "gpu", Need: 2, Have: 1}},
		"no two large ones share what they should": {with(here, slice(n1, 4), paired(large)),
			trace.Reason{Code: trace.NodeDevices, Text: "a"}},
		"a taint that is not":                {with(here, tainted(n1), claim("a", 1)), refused},
		"a pool of which a slice is missing": {with(here, part, claim("a", 1)), refused},
		"no slices at all":                   {with(here, claim("a", 1)), refused},
		"a claim that is used elsewhere": {with(here, allocated(claim("a", 1), n2, []string{"gpu-0"}, "other")),
			trace.Reason{Code: trace.ClaimElsewhere, Text: "a"}},
		"the claim is missing": {here, trace.Reason{Code: trace.ClaimNotFound, Text: "a"}},
		"the claim is being deleted": {with(here, slice(n1, 1), going),
			trace.Reason{Code: trace.ClaimUnusable, Text: "a is being deleted"}},
		"the class is missing": {[]metav1.Object{node(n1), slice(n1, 1), claim("a", 1)},
			trace.Reason{Code: trace.DeviceClassNotFound, Text: "gpu"}},
		"a selector that is none": {with(here, slice(n1, 1), strange), refused},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(c.objects, pod("p", "a"))...)
			if got := binds(t, w.decide()); got != "" {
				t.Fatalf("bound %q, want nothing", got)
			}
			got := w.why("p")
			have, need := got.Have, got.Need
			if len(got.Nodes) > 0 {
				have, need = got.Nodes[0].Have, got.Nodes[0].Need
			}
			if got.Code != c.why.Code || got.Text != c.why.Text || have != c.why.Have || need != c.why.Need {
				t.Errorf("it waits because %+v, want %+v", got, c.why)
			}
		})
	}
}

func TestAClaimFromATemplateIsAwaited(t *testing.T) {
	w := newWorld(t, two(1)...)
	p, c := made(pod("p"), 1)
	waits := p.DeepCopy()
	waits.Status.ResourceClaimStatuses = nil
	w.tell(waits)
	if got := binds(t, w.decide()); got != "" {
		t.Fatalf("bound %q before its claim was made", got)
	}
	if r := w.why("p"); r.Code != trace.ClaimNotFound || r.Text != "gpu (to be made from template one)" {
		t.Errorf("it waits because %+v", r)
	}
	p.ResourceVersion = "2"
	w.tell(p)
	if got := binds(t, w.decide()); got != "" || w.why("p").Text != c.Name {
		t.Errorf("bound %q, and it waits because %+v", got, w.why("p"))
	}
	stolen := c.DeepCopy()
	stolen.OwnerReferences[0].UID = "another"
	w.tell(stolen)
	if got := binds(t, w.decide()); got != "" || w.why("p").Code != trace.ClaimUnusable {
		t.Errorf("bound %q with another's claim, or it waits because %+v", got, w.why("p"))
	}
	c.ResourceVersion = "2"
	w.tell(c)
	if got := bound(w.decide()); got != 1 {
		t.Errorf("with its claim %d pods are bound", got)
	}
	none := pod("q", "x")
	none.Spec.ResourceClaims[0] = corev1.PodResourceClaim{Name: "x", ResourceClaimTemplateName: &none.Name}
	none.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "x"}}
	w.tell(none)
	if got := bound(w.decide()); got != 1 {
		t.Errorf("a pod for which no claim was to be made is not bound")
	}
}

// What one pod of a template has to wait for is no matter of the others.
func TestAMemberWithoutItsClaimDoesNotHoldUpTheOthers(t *testing.T) {
	objects := append(two(2), gangOf("g", 3, 2, 1)...)
	first := objects[len(two(2))+1].(*corev1.Pod)
	first.Status.ResourceClaimStatuses = nil
	w := newWorld(t, objects...)
	if got := w.decide(); bound(got) != 2 || once(t, got) != 2 {
		t.Errorf("bound was %q, want the two members that have claims", binds(t, got))
	}
}

func TestAGangHasAllItsDevicesOrNone(t *testing.T) {
	w := newWorld(t, append(two(8), gangOf("g", 9, 9, 2)...)...)
	if got := binds(t, w.decide()); got != "" {
		t.Errorf("of 18 devices 16 are there, and bound was %q", got)
	}
	r := w.why("g")
	if r.Code != trace.NodeDevices || r.Text != "gpu" || len(r.Nodes) != 1 || r.Nodes[0].Need != 2 ||
		r.Nodes[0].Have != 0 || r.Nodes[0].Count != 2 {
		t.Errorf("it waits because %+v", r)
	}
	// What it tried is not taken: another gang gets all.
	w.tell(gangOf("h", 8, 8, 2)...)
	got := w.decide()
	if bound(got) != 8 || once(t, got) != 16 {
		t.Errorf("the other gang: %q", binds(t, got))
	}
}

func TestTwoGangsNeverShareADevice(t *testing.T) {
	w := newWorld(t, append(append(two(8), gangOf("a", 6, 6, 2)...), gangOf("b", 6, 6, 2)...)...)
	got := w.decide()
	if bound(got) != 6 || once(t, got) != 12 {
		t.Fatalf("bound was %q, want one gang", binds(t, got))
	}
	// Its claims are written, its pods run; two nodes more let the other in.
	w.tell(node("n3"), slice("n3", 8))
	more := w.decide()
	if bound(more) != 6 {
		t.Errorf("with eight devices more: %q", binds(t, more))
	}
	once(t, append(got, more...))
}

func TestEqualInputGivesEqualDevices(t *testing.T) {
	objects := append(append(two(8), gangOf("a", 5, 5, 2)...), gangOf("b", 2, 2, 3)...)
	want := binds(t, newWorld(t, objects...).decide())
	for range 5 {
		back := append([]metav1.Object{}, objects...)
		for i := range back {
			back[i] = objects[len(objects)-1-i]
		}
		if got := binds(t, newWorld(t, back...).decide()); got != want {
			t.Fatalf("in another order: %q, want %q", got, want)
		}
	}
}

func TestASharedClaimCountsOnce(t *testing.T) {
	w := newWorld(t, append(two(2), claim("shared", 2), pod("p", "shared"), pod("q", "shared"), claim("own", 2),
		pod("r", "own"))...)
	got := w.decide()
	on := map[string]string{}
	for _, i := range got {
		if i.Kind == sched.BindPod {
			on[i.Pod.Name] = i.Node
		}
	}
	if len(on) != 3 || on["p"] != on["q"] || on["p"] == on["r"] {
		t.Errorf("bound was %q, want p and q together and r apart", binds(t, got))
	}
}

func TestNoMorePodsThanAClaimMayHave(t *testing.T) {
	var uids []string
	for i := range resourcev1.ResourceClaimReservedForMaxSize - 1 {
		uids = append(uids, fmt.Sprint("u", i))
	}
	w := newWorld(t, append(two(2), allocated(claim("shared", 1), "n1", []string{"gpu-0"}, uids...), pod("p", "shared"),
		pod("q", "shared"))...)
	if got := bound(w.decide()); got != 1 {
		t.Errorf("%d pods are bound, and the claim has room for one", got)
	}
	codes := []trace.Code{w.why("p").Code, w.why("q").Code}
	if codes[0] != trace.ClaimUnusable && codes[1] != trace.ClaimUnusable {
		t.Errorf("they wait because %v", codes)
	}
}

func TestAFailedBindGivesItsDevicesBack(t *testing.T) {
	w := newWorld(t, node("n1"), class("gpu"), slice("n1", 1), claim("a", 1), pod("p", "a"))
	plan := w.decide()
	w.e.Apply(gone(t, pod("p", "a")))
	w.answer(plan, sched.Missing)
	w.tell(claim("b", 1), pod("q", "b"))
	if got := binds(t, w.decide()); got != "q on n1: n1/gpu-0" {
		t.Errorf("the next pod: %q", got)
	}
}

func TestARestartKeepsWhatWasChosen(t *testing.T) {
	w := newWorld(t, append(two(2), claim("a", 2), claim("b", 1), pod("p", "a"))...)
	if bound(w.decide()) != 1 {
		t.Fatal("the pod was not placed")
	}
	twin := newWorld(t)
	twin.e.Apply(w.e.Facts()...)
	twin.e.Restore(w.e.Commitments())
	var got []string
	for _, each := range []*world{w, twin} {
		each.tell(pod("q", "b"))
		got = append(got, binds(t, each.decide()))
	}
	if got[0] == "" || got[0] != got[1] {
		t.Errorf("the next pod: %q, after a restart %q", got[0], got[1])
	}
}

func TestFactsBeatChoices(t *testing.T) {
	w := newWorld(t, append(two(1), claim("a", 1), pod("p", "a"))...)
	plan := w.decide()
	other := map[string]string{"n1": "n2", "n2": "n1"}[plan[0].Node]
	taken := allocated(claim("a", 1), other, []string{"gpu-0"}, "somebody")
	taken.ResourceVersion = "2"
	w.tell(taken)
	w.answer(plan, sched.Failed)
	if got := binds(t, w.decide()); got != "p on "+other+": as allocated" {
		t.Errorf("its claim has devices on %s now: %q", other, got)
	}
}

// Which claims have devices may change while a pod that is bound holds the rest of a node.
func TestDevicesThatAreGivenBackLetTheNextIn(t *testing.T) {
	has := allocated(claim("a", 1), "n1", []string{"gpu-0"}, "uid-p")
	w := newWorld(t, node("n1"), class("gpu"), slice("n1", 1), has, claim("b", 1), pod("q", "b"))
	if got := binds(t, w.decide()); got != "" {
		t.Fatalf("bound was %q", got)
	}
	free := claim("a", 1)
	free.ResourceVersion = "2"
	w.tell(free)
	if got := binds(t, w.decide()); got != "q on n1: n1/gpu-0" {
		t.Errorf("with the device given back: %q", got)
	}
}

// Shares of one device have ids that follow from the claims.
func TestADeviceThatSeveralMayHaveIsShared(t *testing.T) {
	yes := true
	s := slice("n1", 1)
	s.Spec.Devices[0].AllowMultipleAllocations = &yes
	ask := func(name string) *resourcev1.ResourceClaim {
		c := claim(name, 1)
		c.Spec.Devices.Requests[0].Exactly.Capacity = &resourcev1.CapacityRequirements{
			Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("15Gi")}}
		return c
	}
	objects := []metav1.Object{node("n1"), class("gpu"), s, ask("a"), ask("b"), ask("c"), pod("p", "a"),
		pod("q", "b"), pod("r", "c")}
	plan := newWorld(t, objects...).decide()
	if bound(plan) != 2 {
		t.Fatalf("of 40Gi twice 15Gi can be had, and bound was %q", binds(t, plan))
	}
	again := newWorld(t, objects...).decide()
	for i := range plan {
		if plan[i].Chosen != again[i].Chosen {
			t.Errorf("another time it is\n%s\nnot\n%s", again[i].Chosen, plan[i].Chosen)
		}
	}
}

// The devices of pods that would leave count as free if no other pod has their claim; then they are promised.
func TestDevicesOfTheEvictedAreCountedOn(t *testing.T) {
	for name, c := range map[string]struct {
		holders []string // the uids of the pods that hold the claim
		evicts  bool
	}{
		"its own": {[]string{"uid-low"}, true},
		"another pod that runs elsewhere holds it, too": {[]string{"uid-low", "uid-else"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			victim := pod("low", "a")
			victim.Spec.NodeName, victim.Status.Phase = "n1", corev1.PodRunning
			high := pod("high", "b")
			priority := int32(100)
			high.Spec.Priority = &priority
			p := profile("enqueue", "allocate", "preempt", "gangpreempt", "reclaim", "gangreclaim", "backfill")
			p.Tiers[0] = append(p.Tiers[0], policy.Choice{Plugin: "conformance"})
			w := newWorldOf(t, p, node("n1"), class("gpu"), slice("n1", 1),
				allocated(claim("a", 1), "n1", []string{"gpu-0"}, c.holders...), claim("b", 1), victim, high)
			evicted := false
			for _, i := range w.decide() {
				evicted = evicted || i.Kind == sched.EvictPod && i.Pod.Name == "low"
			}
			want := trace.NodeDevices
			if c.evicts {
				want = trace.Reserved
			}
			if r := w.why("high"); evicted != c.evicts || r.Code != want {
				t.Errorf("evicted: %t; it waits because %+v", evicted, r)
			}
		})
	}
}

// A claim that is a riddle is given up, whatever the devices; others are served.
func TestARiddleIsGivenUp(t *testing.T) {
	root := resourcev1.FullyQualifiedName(driver + "/root")
	hard := claim("hard", 1)
	hard.Spec.Devices.Requests = nil
	for i := range 12 {
		hard.Spec.Devices.Requests = append(hard.Spec.Devices.Requests, resourcev1.DeviceRequest{Name: fmt.Sprint("r", i),
			Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}})
	}
	for i := range 11 {
		hard.Spec.Devices.Constraints = append(hard.Spec.Devices.Constraints, resourcev1.DeviceConstraint{
			Requests: []string{fmt.Sprint("r", i/2*2), fmt.Sprint("r", 11)}, MatchAttribute: &root})
	}
	w := newWorld(t, node("n1"), class("gpu"), slice("n1", 64), hard, pod("p", "hard"), claim("a", 1), pod("q", "a"))
	if got := binds(t, w.decide()); got != "q on n1: n1/gpu-0" {
		t.Errorf("bound was %q", got)
	}
	if r := w.why("p"); r.Code != trace.ClaimSearchExhausted {
		t.Errorf("the riddle waits because %+v", r)
	}
}
