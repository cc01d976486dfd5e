package devices_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

const extended = "example.com/gpu"

// standing is a class with an extended resource that stands for its devices; age is when it was made.
func standing(name string, age int64) *resourcev1.DeviceClass {
	c, as := class(name), extended
	c.Spec.ExtendedResourceName, c.CreationTimestamp = &as, metav1.Time{Time: time.Unix(age, 0)}
	return c
}

func asks(name, of string) *corev1.Pod {
	p := pod(name)
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceName(of)] = resource.MustParse("2")
	return p
}

func offers(n *corev1.Node, amount string) *corev1.Node {
	n.Status.Allocatable[extended] = resource.MustParse(amount)
	return n
}

// A pod that asks for an extended resource goes to a node that has it by a device plugin, or has devices of the class
// that stands for it; where no node has either it waits, and the reason names the class.
func TestAnExtendedResourceIsMetByDevices(t *testing.T) {
	const implicit = resourcev1.ResourceDeviceClassPrefix + "gpu"
	other := func(age int64) *resourcev1.DeviceClass {
		c := standing("other", age)
		c.Spec.Selectors[0].CEL.Expression = "false"
		return c
	}
	gpus := slice("n1", 4)
	for name, c := range map[string]struct {
		objects []metav1.Object
		asks    string
		binds   string
		why     trace.Code
		class   string // of ResourceOfClass
	}{
		"the class says so": {objects: []metav1.Object{standing("gpu", 1), gpus}, asks: extended,
			binds: "p on n1: n1/gpu-0 n1/gpu-1"},
		"its own name says so": {objects: []metav1.Object{class("gpu"), gpus}, asks: implicit,
			binds: "p on n1: n1/gpu-0 n1/gpu-1"},
		"the newest of two": {objects: []metav1.Object{standing("gpu", 2), other(1), gpus}, asks: extended,
			binds: "p on n1: n1/gpu-0 n1/gpu-1"},
		"the newest of two, of which there are none": {objects: []metav1.Object{standing("gpu", 1), other(2), gpus},
			asks: extended,
			why:  trace.ResourceOfClass, class: "other"},
		"the first by name of two equally old": {objects: []metav1.Object{standing("gpu", 1), other(1), gpus}, asks: extended,
			binds: "p on n1: n1/gpu-0 n1/gpu-1"},
		"no class does": {objects: []metav1.Object{class("gpu"), gpus}, asks: extended,
			why: trace.NotEnoughResources},
		"there is no class of that name": {objects: []metav1.Object{class("other"), gpus}, asks: implicit,
			why: trace.NotEnoughResources},
		"there are no devices": {objects: []metav1.Object{standing("gpu", 1)}, asks: extended,
			why: trace.ResourceOfClass, class: "gpu"},
		"there are too few": {objects: []metav1.Object{standing("gpu", 1), slice("n1", 1)}, asks: extended,
			why: trace.NotEnoughResources},
		"others have them": {objects: []metav1.Object{standing("gpu", 1), gpus,
			allocated(claim("c", 3), "n1", []string{"gpu-0", "gpu-1", "gpu-2"}, "x")}, asks: extended, why: trace.NodeDevices},
		"a node has it by a plugin": {objects: []metav1.Object{standing("gpu", 1), offers(node("n2"), "2")},
			asks: extended, binds: "p on n2"},
		"too little of it, and another": {objects: []metav1.Object{standing("gpu", 1), gpus, offers(node("n2"), "1")},
			asks: extended, binds: "p on n1: n1/gpu-0 n1/gpu-1"},
		"none of it now, and devices": {objects: []metav1.Object{standing("gpu", 1), slice("n2", 2),
			offers(node("n2"), "0")}, asks: extended, binds: "p on n2: n2/gpu-0 n2/gpu-1"},
		"too little of it, beside devices": {objects: []metav1.Object{standing("gpu", 1), slice("n2", 2),
			offers(node("n2"), "1")}, asks: extended, why: trace.NotEnoughResources},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, profile("enqueue", "allocate", "backfill", "preempt"),
				append(c.objects, node("n1"), asks("p", c.asks))...)
			if got := binds(t, w.decide()); got != c.binds {
				t.Errorf("bound was %q, want %q", got, c.binds)
			}
			r := w.why("p")
			if c.binds == "" && (r.Code != c.why || c.class != "" && r.Text != c.class) {
				t.Errorf("it waits because %+v, want %s %s", r, c.why, c.class)
			}
			if r.Code == trace.ResourceOfClass && (len(r.Shorts) != 1 || r.Shorts[0].Dim != c.asks || r.Shorts[0].Need == 0) {
				t.Errorf("it waits because %+v, without amounts", r)
			}
		})
	}
}

// A pod that waits goes on when devices come, or a class that stands for them; and waits again when those are gone.
func TestWhatAnExtendedResourceWaitsFor(t *testing.T) {
	w := newWorld(t, standing("gpu", 1), node("n1"), asks("p", extended))
	waits := func(why trace.Code) {
		t.Helper()
		if got := binds(t, w.decide()); got != "" {
			t.Fatalf("bound was %q", got)
		}
		if r := w.why("p"); r.Code != why {
			t.Fatalf("it waits because %+v, want %s", r, why)
		}
	}
	waits(trace.ResourceOfClass)
	w.tell(slice("n1", 4))
	w.e.Apply(gone(t, standing("gpu", 1)))
	waits(trace.NotEnoughResources)
	again := class("gpu") // it has another name for its devices
	as := "example.com/card"
	again.Spec.ExtendedResourceName, again.ResourceVersion = &as, "5"
	w.tell(again)
	waits(trace.NotEnoughResources)
	again = standing("gpu", 2)
	again.ResourceVersion = "6"
	w.tell(again)
	w.e.Apply(gone(t, slice("n1", 4)))
	waits(trace.ResourceOfClass)
	back := slice("n1", 2)
	back.ResourceVersion = "7"
	w.tell(back)
	if got := binds(t, w.decide()); got != "p on n1: n1/gpu-0 n1/gpu-1" {
		t.Errorf("bound was %q", got)
	}
}

// chosenFor is what was chosen for a pod, with a claim that is to be made.
func chosenFor(t *testing.T, items []sched.Item, pod string) devices.Writes {
	t.Helper()
	for _, i := range items {
		if i.Pod.Name == pod && i.Kind == sched.BindPod {
			w, err := devices.WritesOf(i.Chosen)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	}
	t.Fatalf("%s is not bound", pod)
	return devices.Writes{}
}

// What an extended resource has counts in the node's amounts once, and is asked for by one claim; the pod's
// status names its requests by container and resource.
func TestAnExtendedResourceCountsOnce(t *testing.T) {
	w := newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 4), asks("p", extended))
	made := chosenFor(t, w.decide(), "p")
	if len(made.Claims) != 1 || made.Claims[0].Special == nil {
		t.Fatalf("chosen was %+v", made)
	}
	of := made.Claims[0].Special
	if m := of.Mappings; len(m) != 1 || m[0] != (corev1.ContainerExtendedResourceRequest{ContainerName: "c",
		ResourceName: extended, RequestName: of.Requests[0].Name}) {
		t.Errorf("the mappings are %+v of %+v", m, of.Requests)
	}
	led := w.e.Ledger()
	d, _ := led.Dims.Lookup(extended)
	n, _ := led.Nodes.Find("n1")
	if has, used := led.Nodes.Allocatable(d)[n], led.Nodes.Used(d, n); has != 4000 || used != 2000 {
		t.Errorf("the node offers %d and %d are used, want 4000 and 2000", has, used)
	}
}

// A gang that asks for more than there is has nothing; two pods never share a device, whatever they ask for it by.
func TestAnExtendedResourceAndClaimsShareNoDevice(t *testing.T) {
	c := claim("c", 2)
	w := newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 5), asks("p", extended), c, pod("q", "c"),
		asks("r", extended))
	items := w.decide()
	if got := once(t, items); got != 4 || bound(items) != 2 {
		t.Errorf("%d devices were given to %d pods, want 4 to 2", got, bound(items))
	}
}

// left is a claim that was made for a pod before a scheduler ended.
func left(w devices.Writes, p *corev1.Pod, name string) *resourcev1.ResourceClaim {
	c := w.Claims[0].Special.Claim(ledger.Key{Namespace: p.Namespace, Name: p.Name}, string(p.UID), name)
	c.UID, c.ResourceVersion = types.UID("uid-"+name), "1"
	c.Status.Allocation, _ = w.Claims[0].Allocated()
	return c
}

// What a scheduler made for a pod before it ended is the pod's alone: the next gives it the same devices by a claim of
// its own, and says which are to be deleted.
func TestAClaimThatIsLeftIsMadeAnew(t *testing.T) {
	p, q := asks("p", extended), asks("q", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 2)}
	made := chosenFor(t, newWorld(t, append(objects, p)...).decide(), "p")
	old := left(made, p, "p-extended-resources-abcde")
	w := newWorld(t, append(objects, old, q)...)
	if got := binds(t, w.decide()); got != "" {
		t.Fatalf("bound was %q: another pod had the devices", got)
	}
	p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: old.Name}
	w.tell(p)
	items := w.decide()
	if got := binds(t, items); got != "p on n1: n1/gpu-0 n1/gpu-1" {
		t.Fatalf("bound was %q", got)
	}
	if got := chosenFor(t, items, "p"); !slices.Equal(got.Left, []devices.Claimed{{Name: old.Name,
		UID: string(old.UID)}}) || got.Unsaid {
		t.Errorf("left is %+v", got)
	}

	w = newWorld(t, standing("gpu", 1), offers(node("n1"), "2"), slice("n1", 2), old, p)
	items = w.decide()
	if got := chosenFor(t, items, "p"); len(got.Claims) != 0 || len(got.Left) != 1 || !got.Unsaid {
		t.Errorf("on a node that has it by a plugin chosen is %+v", got)
	}
}

// A claim that looks as if it was made for a pod, and that another pod uses, is no more the pod's than any other.
func TestAClaimThatLooksMadeForAnother(t *testing.T) {
	p := asks("p", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 2)}
	made := chosenFor(t, newWorld(t, append(objects, p)...).decide(), "p")
	for name, change := range map[string]func(*resourcev1.ResourceClaim){
		"another uses it":         func(c *resourcev1.ResourceClaim) { heldBy(c, "uid-other") },
		"it is in another place":  func(c *resourcev1.ResourceClaim) { c.Namespace = "other" },
		"it is another pod's":     func(c *resourcev1.ResourceClaim) { c.OwnerReferences[0].UID = "uid-other" },
		"a Deployment owns it":    func(c *resourcev1.ResourceClaim) { c.OwnerReferences[0].Kind = "Deployment" },
		"the pod only owns it":    func(c *resourcev1.ResourceClaim) { c.OwnerReferences[0].Controller = nil },
		"it does not say that":    func(c *resourcev1.ResourceClaim) { c.Annotations = nil },
		"another and it both use": func(c *resourcev1.ResourceClaim) { heldBy(c, "uid-p", "uid-other") },
	} {
		t.Run(name, func(t *testing.T) {
			c := left(made, p, "mine")
			change(c)
			w := newWorld(t, append(objects, c, p)...)
			if got := binds(t, w.decide()); got != "" {
				t.Errorf("bound was %q", got)
			}
			if r := w.why("p"); r.Code != trace.NodeDevices {
				t.Errorf("it waits because %+v", r)
			}
		})
	}
}

// A claim that a pod's spec names stays where the pod is placed, though its template says of it what a scheduler says
// of those that it makes.
func TestAClaimThatThePodNamesIsNotLeft(t *testing.T) {
	p := asks("p", extended)
	objects := []metav1.Object{standing("gpu", 1), node("n1"), slice("n1", 4)}
	named := left(chosenFor(t, newWorld(t, append(objects, p)...).decide(), "p"), p, "mine")
	for name, change := range map[string]func(*resourcev1.ResourceClaim){
		"it has devices":    func(*resourcev1.ResourceClaim) {},
		"it is reserved":    func(c *resourcev1.ResourceClaim) { heldBy(c, "uid-p") },
		"it has no devices": func(c *resourcev1.ResourceClaim) { c.Status = resourcev1.ResourceClaimStatus{} },
	} {
		t.Run(name, func(t *testing.T) {
			claim, pod := named.DeepCopy(), p.DeepCopy()
			change(claim)
			names("mine")(pod)
			if w := chosenFor(t, newWorld(t, append(objects, claim, pod)...).decide(), "p"); len(w.Left) > 0 {
				t.Errorf("to be deleted is %+v", w.Left)
			}
		})
	}
}

func heldBy(c *resourcev1.ResourceClaim, uids ...string) {
	for _, u := range uids {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods",
			Name: u, UID: types.UID(u)})
	}
}

// Evicting pods frees the devices that they have for an extended resource.
func TestDevicesOfAnExtendedResourceAreFreed(t *testing.T) {
	low, high := asks("low", extended), asks("high", extended)
	least, most := int32(0), int32(100)
	low.Spec.Priority, high.Spec.Priority = &least, &most
	made := chosenFor(t, newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 2), low).decide(), "low")
	c := left(made, low, "low-extended-resources-abcde")
	heldBy(c, string(low.UID))
	runs := low.DeepCopy()
	runs.Spec.NodeName, runs.Status.Phase, runs.ResourceVersion = "n1", corev1.PodRunning, "2"
	w := newWorldOf(t, profile("enqueue", "allocate", "preempt"), standing("gpu", 1), node("n1"), slice("n1", 2), c,
		runs, high)
	items := w.decide()
	if !slices.ContainsFunc(items, func(i sched.Item) bool { return i.Kind == sched.EvictPod && i.Pod.Name == "low" }) {
		t.Fatalf("planned was %+v, and it waits because %+v", items, w.why("high"))
	}
	w.answer(items, sched.Done)
	w.e.Apply(gone(t, runs))
	if got := binds(t, w.decide()); got != "" {
		t.Errorf("bound was %q before the claim was given back", got)
	}
	w.e.Apply(gone(t, c))
	if got := binds(t, w.decide()); got != "high on n1: n1/gpu-0 n1/gpu-1" {
		t.Errorf("bound was %q, and it waits because %+v", got, w.why("high"))
	}
}

// A claim is made of what each container asks for: by Kubernetes' rules, which its kubelet counts on.
func TestWhatAPodsContainersAskFor(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	container := func(name string, of ...string) corev1.Container {
		c := corev1.Container{Name: name}
		c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("1")}
		for i := 0; i < len(of); i += 2 {
			c.Resources.Requests[corev1.ResourceName(of[i])] = resource.MustParse(of[i+1])
		}
		return c
	}
	sidecar := func(c corev1.Container) corev1.Container {
		c.RestartPolicy = &always
		return c
	}
	const implicit = resourcev1.ResourceDeviceClassPrefix + "gpu"
	for name, c := range map[string]struct {
		inits, containers []corev1.Container
		requests          []string
		mappings          []string
	}{
		"one": {containers: []corev1.Container{container("a", extended, "2")},
			requests: []string{"container-0-request-1 2"}, mappings: []string{"a example.com/gpu container-0-request-1"}},
		"two, of which one asks for none": {containers: []corev1.Container{container("a"), container("b", extended, "1")},
			requests: []string{"container-1-request-1 1"}, mappings: []string{"b example.com/gpu container-1-request-1"}},
		"two names of one class": {containers: []corev1.Container{container("a", extended, "1", implicit, "2")},
			requests: []string{"container-0-request-1 2", "container-0-request-2 1"},
			mappings: []string{"a deviceclass.resource.kubernetes.io/gpu container-0-request-1",
				"a example.com/gpu container-0-request-2"}},
		"init containers use what comes after them": {inits: []corev1.Container{container("i", extended, "2")},
			containers: []corev1.Container{container("a", extended, "1"), container("b", extended, "1"),
				container("c", extended, "1")},
			requests: []string{"container-1-request-1 1", "container-2-request-1 1", "container-3-request-1 1"},
			mappings: []string{"a example.com/gpu container-1-request-1", "b example.com/gpu container-2-request-1",
				"c example.com/gpu container-3-request-1",
				"i example.com/gpu container-1-request-1", "i example.com/gpu container-2-request-1"}},
		"and share what they lack": {inits: []corev1.Container{container("i", extended, "2"), container("j", extended, "4")},
			containers: []corev1.Container{container("a", extended, "1")},
			requests:   []string{"container-1-request-1 3", "container-2-request-1 1"},
			mappings: []string{"a example.com/gpu container-2-request-1", "i example.com/gpu container-2-request-1",
				"i example.com/gpu container-1-request-1",
				"j example.com/gpu container-2-request-1", "j example.com/gpu container-1-request-1"}},
		"but not what came before them": {inits: []corev1.Container{sidecar(container("s", extended, "1")),
			container("i", extended, "1")},
			containers: []corev1.Container{container("a")},
			requests:   []string{"container-0-request-1 1", "container-1-request-1 1"},
			mappings:   []string{"s example.com/gpu container-0-request-1", "i example.com/gpu container-1-request-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod("p")
			p.Spec.InitContainers, p.Spec.Containers = c.inits, c.containers
			w := newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 8), p)
			of := chosenFor(t, w.decide(), "p").Claims[0].Special
			var requests, mappings []string
			for _, r := range of.Requests {
				requests = append(requests, r.Name+" "+resource.NewQuantity(r.Exactly.Count, resource.DecimalSI).String())
			}
			for _, m := range of.Mappings {
				mappings = append(mappings, m.ContainerName+" "+m.ResourceName+" "+m.RequestName)
			}
			slices.Sort(c.mappings)
			slices.Sort(mappings)
			if !slices.Equal(requests, c.requests) || !slices.Equal(mappings, c.mappings) {
				t.Errorf("requests are %q, mappings %q; want %q, %q", requests, mappings, c.requests, c.mappings)
			}
		})
	}
}

// A simulated pod's claim is there as long as the pod is.
func TestWhatIsWrittenForAnExtendedResource(t *testing.T) {
	w := newWorld(t, standing("gpu", 1), node("n1"), slice("n1", 2), asks("p", extended))
	there := map[model.Ref]any{}
	see := func(r model.Ref) any { return there[r] }
	for _, i := range w.decide() {
		for _, f := range devices.Written(i.Chosen, i.Pod, i.UID, see) {
			there[f.Ref] = f.Object.(*model.Opaque).Content
		}
	}
	if len(there) != 1 {
		t.Fatalf("written was %v", there)
	}
	p := asks("p", extended)
	out := devices.Freed(p, string(p.UID), see)
	if len(out) != 1 || out[0].Object != nil || there[out[0].Ref] == nil {
		t.Errorf("given back is %+v of %v", out, there)
	}
}

// A device that several claims may share counts for as many requests as its capacity has room for.
func TestASharedDeviceMeetsAnExtendedResourceMoreThanOnce(t *testing.T) {
	yes, each := true, resource.MustParse("20Gi")
	s := slice("n1", 1) // 40Gi of memory
	s.Spec.Devices[0].AllowMultipleAllocations = &yes
	memory := s.Spec.Devices[0].Capacity["memory"]
	memory.RequestPolicy = &resourcev1.CapacityRequestPolicy{Default: &each}
	s.Spec.Devices[0].Capacity["memory"] = memory
	objects := []metav1.Object{standing("gpu", 1), node("n1"), s}
	for _, name := range []string{"p", "q", "r"} {
		p := asks(name, extended)
		p.Spec.Containers[0].Resources.Requests[extended] = resource.MustParse("1")
		objects = append(objects, p)
	}
	w := newWorld(t, objects...)
	if got := binds(t, w.decide()); got != "p on n1: n1/gpu-0, q on n1: n1/gpu-0" {
		t.Errorf("bound was %q", got)
	}
	if r := w.why("r"); r.Code != trace.NotEnoughResources {
		t.Errorf("the third waits because %+v", r)
	}
}
