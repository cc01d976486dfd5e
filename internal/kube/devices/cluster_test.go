package devices_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

func fact(t rapid.TB, o metav1.Object) model.Fact {
	t.Helper()
	f, ok := translate.Fact(o, translate.Options{})
	if !ok {
		t.Fatalf("%T is translated into no fact", o)
	}
	return f
}

func gone(t rapid.TB, o metav1.Object) model.Fact {
	f := fact(t, o)
	f.Object = nil
	f.Version++
	return f
}

func in(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"}
}

func node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: in("", name)}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64"),
		corev1.ResourcePods: resource.MustParse("110")}
	return n
}

const driver = "gpu.example.com"

// class selects the devices of the one driver.
func class(name string) *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: in("", name),
		Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
			{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "` + driver + `"`}}}}}
}

// slice is so many devices of a node; every other one is large.
func slice(on string, n int) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: in("", on+"-gpus"), Spec: resourcev1.ResourceSliceSpec{
		Driver: driver, NodeName: &on, Pool: resourcev1.ResourcePool{Name: on, Generation: 1, ResourceSliceCount: 1}}}
	for i := range n {
		memory, root := resource.MustParse(fmt.Sprint(40+40*(i%2), "Gi")), fmt.Sprint("root-", i/2)
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"root": {StringValue: &root}},
			Capacity:   map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: memory}}})
	}
	return s
}

// claim asks for so many devices of class gpu; more may be asked of each.
func claim(name string, n int64, selectors ...string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: in("ns", name)}
	exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu",
		AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: n}
	for _, s := range selectors {
		exactly.Selectors = append(exactly.Selectors,
			resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: s}})
	}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: exactly}}
	return c
}

// allocated is a claim that has devices of a node, reserved for the pods of some uids.
func allocated(c *resourcev1.ResourceClaim, on string, gpus []string, uids ...string) *resourcev1.ResourceClaim {
	a := &resourcev1.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn,
			Values: []string{on}}}}}}}
	for _, g := range gpus {
		a.Devices.Results = append(a.Devices.Results, resourcev1.DeviceRequestAllocationResult{Request: "r", Driver: driver,
			Pool: on, Device: g})
	}
	c.Status.Allocation = a
	for _, u := range uids {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{Resource: "pods",
			Name: u, UID: types.UID(u)})
	}
	return c
}

// pod asks for a CPU and names claims.
func pod(name string, claims ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: in("ns", name)}
	p.Spec.SchedulerName = translate.DefaultScheduler
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
	for _, c := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: c, ResourceClaimName: &c})
	}
	return p
}

// made is a pod and the claim that was made for it from a template.
func made(p *corev1.Pod, n int64) (*corev1.Pod, *resourcev1.ResourceClaim) {
	template, name, yes := "one", p.Name+"-gpu-x7k2p", true
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}
	p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &name}}
	c := claim(name, n)
	c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: p.Name,
		UID: p.UID, Controller: &yes}}
	return p, c
}

// member makes a pod one of a gang.
func member(gang string, p *corev1.Pod) *corev1.Pod {
	p.Annotations = map[string]string{schedulingv1beta1.KubeGroupNameAnnotationKey: gang}
	return p
}

// gangOf is a gang of which each member asks for devices by a claim made from a template.
func gangOf(name string, members, least int, devices int64) (out []metav1.Object) {
	out = append(out, &schedulingv1beta1.PodGroup{ObjectMeta: in("ns", name),
		Spec: schedulingv1beta1.PodGroupSpec{MinMember: int32(least), Queue: "default"}})
	for i := range members {
		p, c := made(member(name, pod(fmt.Sprint(name, "-", i))), devices)
		out = append(out, p, c)
	}
	return out
}

// world is an engine with the plugin.
type world struct {
	t testing.TB
	e *sched.Engine
}

func profile(actions ...string) policy.Profile {
	return policy.Profile{Actions: actions, Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}},
		{{Plugin: "predicates"}, {Plugin: "nodeorder"}}}}
}

func newWorld(t testing.TB, objects ...metav1.Object) *world {
	t.Helper()
	return newWorldOf(t, profile("enqueue", "allocate", "backfill"), objects...)
}

func newWorldOf(t testing.TB, p policy.Profile, objects ...metav1.Object) *world {
	t.Helper()
	e, err := sched.New(p, sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: model.DefaultQueue},
		Object: &model.Queue{Meta: model.Meta{Name: model.DefaultQueue}, Weight: 1}})
	w := &world{t, e}
	w.tell(objects...)
	return w
}

func (w *world) tell(objects ...metav1.Object) {
	w.t.Helper()
	for _, o := range objects {
		w.e.Apply(fact(w.t, o))
	}
}

// decide runs a cycle and returns its plan. Every cycle leaves the books in order.
func (w *world) decide() []sched.Item {
	w.t.Helper()
	plan, _, _ := w.e.Decide(1)
	if found := w.e.Audit(); found != nil {
		w.t.Errorf("audit: %s", strings.Join(found, "\n"))
	}
	return slices.Clone(plan.Items)
}

// binds lists each bound pod with its node and devices, "pod on node: pool/device …", sorted.
func binds(t testing.TB, items []sched.Item) string {
	t.Helper()
	var out []string
	for _, i := range items {
		if i.Kind != sched.BindPod {
			continue
		}
		text := i.Pod.Name + " on " + i.Node
		if got := has(t, i); len(got) > 0 {
			text += ": " + strings.Join(got, " ")
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// has are the devices that an item gives to its pod's claims.
func has(t testing.TB, i sched.Item) (out []string) {
	t.Helper()
	w, err := devices.WritesOf(i.Chosen)
	if err != nil || w.Refused != "" {
		t.Fatalf("%s is bound with %+v, %v", i.Pod, w, err)
	}
	for _, c := range w.Claims {
		a, err := c.Allocated()
		if err != nil {
			t.Fatal(err)
		}
		if a == nil {
			out = append(out, "as allocated")
			continue
		}
		for _, r := range a.Devices.Results {
			out = append(out, r.Pool+"/"+r.Device)
		}
	}
	return out
}

// once fails when two claims got one device. It counts the devices.
func once(t testing.TB, items []sched.Item) int {
	t.Helper()
	of := map[string]string{}
	for _, i := range items {
		for _, d := range has(t, i) {
			if other, taken := of[d]; taken {
				t.Errorf("%s went to %s and to %s", d, other, i.Pod.Name)
			}
			of[d] = i.Pod.Name
		}
	}
	return len(of)
}

// why is the root of why a job waits.
func (w *world) why(job string) trace.Reason {
	for _, j := range w.e.Report().Jobs {
		if j.Name == job {
			return *j.Reason.Root()
		}
	}
	return trace.Reason{Code: "no such job"}
}

func bound(items []sched.Item) (n int) {
	for _, i := range items {
		if i.Kind == sched.BindPod {
			n++
		}
	}
	return n
}

// answer tells the engine what became of a plan: everything was done.
func (w *world) answer(items []sched.Item, outcome sched.Outcome) {
	for _, i := range items {
		w.e.Receive(sched.Receipt{Item: i, Outcome: outcome})
	}
}
