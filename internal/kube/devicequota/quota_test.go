package devicequota_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

const (
	gpus   = "deviceclass/gpu"
	memory = "memory.deviceclass/gpu"
)

func in(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

// queue is below a parent, "" for none, with a capability: a name and its amount, in turn.
func queue(name, parent string, capability ...string) *schedulingv1beta1.Queue {
	q := &schedulingv1beta1.Queue{ObjectMeta: in("", name), Spec: schedulingv1beta1.QueueSpec{Weight: 1, Parent: parent,
		Capability: corev1.ResourceList{}}}
	for i := 0; i < len(capability); i += 2 {
		q.Spec.Capability[corev1.ResourceName(capability[i])] = resource.MustParse(capability[i+1])
	}
	return q
}

// cluster is a node with eight devices of class gpu, and a default queue.
func cluster() []metav1.Object {
	n := &corev1.Node{ObjectMeta: in("", "n")}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"),
		corev1.ResourcePods: resource.MustParse("110")}
	name := "n"
	s := &resourcev1.ResourceSlice{ObjectMeta: in("", "n-gpus"),
		Spec: resourcev1.ResourceSliceSpec{Driver: "d", NodeName: &name,
			Pool: resourcev1.ResourcePool{Name: "n", Generation: 1, ResourceSliceCount: 1}}}
	for i := range 8 {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", i)})
	}
	return []metav1.Object{n, s, &resourcev1.DeviceClass{ObjectMeta: in("", "gpu")}, queue("default", "")}
}

func claim(name string, requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: in("ns", name)}
	for i := range requests {
		requests[i].Name = fmt.Sprint("r", i)
	}
	c.Spec.Devices.Requests = requests
	return c
}

func exactly(n int64) resourcev1.DeviceRequest {
	return resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu",
		AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: n}}
}

func all() resourcev1.DeviceRequest {
	return resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu",
		AllocationMode: resourcev1.DeviceAllocationModeAll}}
}

func admin() resourcev1.DeviceRequest {
	r, yes := all(), true
	r.Exactly.AdminAccess = &yes
	return r
}

// job is a gang in a queue; each member names a claim, or several separated by commas.
func job(name, queue string, least int32, claims ...string) (out []metav1.Object) {
	out = append(out, &schedulingv1beta1.PodGroup{ObjectMeta: in("ns", name),
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: least, Queue: queue}})
	for i, names := range claims {
		p := &corev1.Pod{ObjectMeta: in("ns", fmt.Sprint(name, "-", i))}
		p.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: name}
		p.Spec.SchedulerName = translate.DefaultScheduler
		p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
		for _, c := range strings.Split(names, ",") {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: &c})
		}
		out = append(out, p)
	}
	return out
}

type world struct {
	*testing.T
	e *sched.Engine
}

func newWorld(t *testing.T, arguments policy.Arguments, objects ...metav1.Object) *world {
	t.Helper()
	p := policy.Profile{Actions: []string{"enqueue", "allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}},
			{{Plugin: "predicates"}, {Plugin: "capacity", Hierarchy: true, Arguments: arguments}}}}
	e, err := sched.New(p, sched.WithPlugin(filters.Predicates()), sched.WithPlugin(filters.Capacity()))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, e}
	w.tell(append(cluster(), objects...)...)
	return w
}

func (w *world) tell(objects ...metav1.Object) {
	w.Helper()
	for _, o := range objects {
		f, ok := translate.Fact(o, translate.Options{})
		if !ok {
			w.Fatalf("%T is translated into no fact", o)
		}
		w.e.Apply(f)
	}
}

func (w *world) gone(objects ...metav1.Object) {
	for _, o := range objects {
		f, _ := translate.Fact(o, translate.Options{})
		f.Object, f.Version = nil, f.Version+1
		w.e.Apply(f)
	}
}

// binds are the pods that a cycle binds, sorted. Every cycle leaves the books in order.
func (w *world) binds() string {
	w.Helper()
	plan, _, _ := w.e.Decide(1)
	if found := w.e.Audit(); found != nil {
		w.Errorf("audit: %s", strings.Join(found, "\n"))
	}
	var out []string
	for _, i := range plan.Items {
		if i.Kind == sched.BindPod {
			out = append(out, i.Pod.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// why is why a job waits: the code, and of devices the queue, what it would hold and what it may.
func (w *world) why(job string) string {
	for _, j := range w.e.Report().Jobs {
		if j.Name == job {
			r := j.Reason.Root()
			if len(r.Shorts) == 0 {
				return string(r.Code)
			}
			return fmt.Sprintf("%s %s %s %d of %d", r.Code, r.Queue, r.Shorts[0].Dim, r.Shorts[0].Need, r.Shorts[0].Have)
		}
	}
	return "no such job"
}

func (w *world) expect(binds string, waits ...string) {
	w.Helper()
	if got := w.binds(); got != binds {
		w.Errorf("bound %q, want %q", got, binds)
	}
	for i := 0; i < len(waits); i += 2 {
		if got := w.why(waits[i]); got != waits[i+1] {
			w.Errorf("%s waits for %q, want %q", waits[i], got, waits[i+1])
		}
	}
}

func TestAQueueHoldsNoMoreDevicesThanItsCapability(t *testing.T) {
	w := newWorld(t, nil, queue("q", "", gpus, "3"), queue("free", ""), claim("two", exactly(2)),
		claim("more", exactly(2)), claim("one", exactly(1)), claim("other", exactly(3)))
	w.tell(job("a", "q", 1, "two")...)
	w.expect("a-0")
	w.tell(slices.Concat(job("b", "q", 1, "more"), job("c", "q", 1, "one"), job("d", "free", 1, "other"))...)
	w.expect("c-0 d-0", "b", "QueueDevices q "+gpus+" 5000 of 3000")
	w.gone(job("a", "q", 1, "two")[1])
	w.expect("b-0")
}

// Devices that pods have by extended resources count under the names by which they are asked for, and once.
func TestAnExtendedResourceCountsUnderItsOwnName(t *testing.T) {
	const name = resourcev1.ResourceDeviceClassPrefix + "gpu"
	w := newWorld(t, nil, queue("q", "", gpus, "1", name, "4"), claim("one", exactly(1)), claim("more", exactly(1)))
	for _, job := range []string{"a", "b", "c"} {
		group := &schedulingv1beta1.PodGroup{ObjectMeta: in("ns", job),
			Spec: schedulingv1beta1.PodGroupSpec{MinMember: 1, Queue: "q",
				MinResources: &corev1.ResourceList{corev1.ResourceName(name): resource.MustParse("2")}}}
		w.tell(group) // it is let in before it has pods, as Volcano's controller wants it
	}
	w.expect("")
	for _, name := range []string{"a", "b", "c"} {
		w.tell(extendedPod(name))
	}
	w.expect("a-0 b-0")
	held, _ := w.e.Ledger().Dims.Lookup(name)
	q, _ := w.e.Ledger().Queues.Find("q")
	if got := w.e.Ledger().Queue(q).Allocated.Get(held); got != 4000 {
		t.Errorf("the queue holds %d of it, want 4000", got)
	}
	w.tell(slices.Concat(job("d", "q", 1, "one"), job("e", "q", 1, "more"))...)
	w.expect("d-0", "e", "QueueDevices q "+gpus+" 2000 of 1000")
}

// extendedPod is the pod of a job that asks for two devices.
func extendedPod(of string) *corev1.Pod {
	p := job(of, "q", 1, "x")[1].(*corev1.Pod)
	p.Spec.ResourceClaims = nil
	const name = corev1.ResourceName(resourcev1.ResourceDeviceClassPrefix + "gpu")
	p.Spec.Containers[0].Resources.Requests[name] = resource.MustParse("2")
	return p
}

func TestMembersAboveTheMinimumStopAtTheCapability(t *testing.T) {
	w := newWorld(t, nil, queue("q", "", gpus, "2"), claim("x", exactly(1)), claim("y", exactly(1)),
		claim("z", exactly(1)))
	w.tell(job("a", "q", 1, "x", "y", "z")...)
	w.expect("a-0 a-1")
}

func TestAGangThatNeedsMoreIsNotLetIn(t *testing.T) {
	w := newWorld(t, nil, queue("q", "", gpus, "2"), claim("x", exactly(1)), claim("y", exactly(2)))
	a := job("a", "q", 2, "x", "y")
	least := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	a[0].(*schedulingv1beta1.PodGroup).Spec.MinResources = &least
	w.tell(a...)
	w.expect("", "a", "QueueDevices q "+gpus+" 3000 of 2000")
	if phase := w.e.Report().Jobs[0].Phase; phase.String() != "Pending" {
		t.Errorf("the job is %s, want Pending: its queue has no room for it", phase)
	}
	w.tell(queue("q", "", gpus, "3"))
	w.expect("a-0 a-1")
}

// The gate keeps no devices for a job that was let in: the one that is placed first has them.
func TestAdmissionKeepsNoDevices(t *testing.T) {
	w := newWorld(t, nil, queue("q", "", gpus, "2"), claim("x", exactly(2)), claim("y", exactly(2)))
	w.tell(job("first", "q", 2, "x")...) // its second member has not come
	w.expect("", "first", "NotEnoughTasks")
	if phase := w.e.Report().Jobs[0].Phase; phase.String() != "Inqueue" {
		t.Errorf("the first job is %s, want Inqueue", phase)
	}
	w.tell(job("second", "q", 1, "y")...)
	w.expect("second-0", "first", "NotEnoughTasks")
}

func TestASharedClaimCountsOnce(t *testing.T) {
	w := newWorld(t, nil, queue("q", "", gpus, "2"), claim("shared", exactly(2)), claim("one", exactly(1)))
	a := job("a", "q", 3, "shared", "shared", "shared")
	w.tell(a...)
	w.expect("a-0 a-1 a-2")
	w.tell(job("b", "q", 1, "one")...)
	w.expect("", "b", "QueueDevices q "+gpus+" 3000 of 2000")
	w.gone(a[1], a[2])
	w.expect("", "b", "QueueDevices q "+gpus+" 3000 of 2000")
	w.gone(a[3])
	w.expect("b-0")
}

func TestQueuesAboveAreBoundedToo(t *testing.T) {
	w := newWorld(t, nil, queue("top", "", gpus, "3"), queue("left", "top", gpus, "9"), queue("right", "top"),
		claim("two", exactly(2)), claim("more", exactly(2)))
	w.tell(job("a", "left", 1, "two")...)
	w.expect("a-0")
	w.tell(job("b", "right", 1, "more")...)
	w.expect("", "b", "QueueDevices top "+gpus+" 4000 of 3000")
	w.tell(queue("right", ""))
	w.expect("b-0")
}

// Claims in forms without a known number of devices, or with an absurd one.
func TestClaimsInEveryForm(t *testing.T) {
	first := func(counts ...int64) resourcev1.DeviceRequest {
		var r resourcev1.DeviceRequest
		for i, n := range counts {
			r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{Name: fmt.Sprint("s", i),
				DeviceClassName: "gpu",
				AllocationMode:  resourcev1.DeviceAllocationModeExactCount, Count: n})
		}
		return r
	}
	for name, c := range map[string]struct {
		requests []resourcev1.DeviceRequest
		why      string // "": it is bound
	}{
		"as many as may be":         {[]resourcev1.DeviceRequest{exactly(3)}, ""},
		"one too many":              {[]resourcev1.DeviceRequest{exactly(3), exactly(1)}, "4000 of 3000"},
		"all there are, 32 at most": {[]resourcev1.DeviceRequest{all()}, "32000 of 3000"},
		"for an administrator":      {[]resourcev1.DeviceRequest{admin()}, ""},
		"an absurd number":          {[]resourcev1.DeviceRequest{exactly(1<<63 - 1)}, "1152921504606846976 of 3000"},
		"many absurd numbers": {[]resourcev1.DeviceRequest{exactly(1<<63 - 1), exactly(1<<63 - 1),
			exactly(1 << 62)}, "1152921504606846976 of 3000"},
		"the largest of the alternatives": {[]resourcev1.DeviceRequest{first(2, 4)}, "4000 of 3000"},
		"alternatives that all fit":       {[]resourcev1.DeviceRequest{first(3, 1)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, queue("q", "", gpus, "3"), claim("c", c.requests...))
			w.tell(job("a", "q", 1, "c")...)
			if c.why == "" {
				w.expect("a-0")
				return
			}
			w.expect("", "a", "QueueDevices q "+gpus+" "+c.why)
		})
	}
}

// A claim that has its devices counts for those, not for what it might have had.
func TestAClaimThatHasDevicesCountsForThose(t *testing.T) {
	c := claim("c", all())
	c.Status.Allocation = &resourcev1.AllocationResult{}
	for i := range 2 {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: "r0", Driver: "d", Pool: "n", Device: fmt.Sprint("gpu-", i)})
	}
	w := newWorld(t, nil, queue("q", "", gpus, "3"), c, claim("one", exactly(1)), claim("more", exactly(1)))
	w.tell(job("a", "q", 1, "c")...)
	w.expect("a-0")
	w.tell(slices.Concat(job("b", "q", 1, "one"))...)
	w.expect("b-0")
	w.tell(slices.Concat(job("d", "q", 1, "more"))...)
	w.expect("", "d", "QueueDevices q "+gpus+" 4000 of 3000")
}

func TestConsumedCapacityCountsWhereItIsAskedFor(t *testing.T) {
	r := exactly(2)
	r.Exactly.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{
		"memory": resource.MustParse("8Gi")}}
	for consumed, want := range map[string]string{"true": fmt.Sprintf("QueueDevices q %s %d of %d", memory, 16000<<30,
		10000<<30), "false": "NodeDevices"} {
		w := newWorld(t, policy.Arguments{"capacity.DRAConsumableCapacityEnable": consumed}, queue("q", "", memory, "10Gi"),
			claim("c", r))
		w.tell(job("a", "q", 1, "c")...)
		if w.binds(); w.why("a") != want {
			t.Errorf("consumed %s: it waits for %q, want %q", consumed, w.why("a"), want)
		}
	}
}

func TestTheQuotaCanBeSwitchedOff(t *testing.T) {
	w := newWorld(t, policy.Arguments{"capacity.DynamicResourceAllocationEnable": "false"}, queue("q", "", gpus, "1"),
		claim("c", exactly(2)))
	w.tell(job("a", "q", 1, "c")...)
	w.expect("a-0")
}

// What runs in a queue when its PodGroup names another counts where it did; and a new engine knows
// from facts alone what queues hold.
func TestANewEngineCountsWhatRuns(t *testing.T) {
	a := job("a", "q", 1, "c")
	p := a[1].(*corev1.Pod)
	p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
	w := newWorld(t, nil, append(a, queue("q", "", gpus, "2"), claim("c", exactly(2)), claim("one", exactly(1)))...)
	w.tell(job("b", "q", 1, "one")...)
	w.expect("", "b", "QueueDevices q "+gpus+" 3000 of 2000")
}
