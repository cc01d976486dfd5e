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
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// The cluster of these tests has one node with 64 CPUs and eight devices of class gpu: CPUs are never short.

func newReclaimer(t *testing.T, objects ...metav1.Object) *world {
	t.Helper()
	p := policy.Profile{Actions: []string{"enqueue", "allocate", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, {Plugin: "capacity", Hierarchy: true}}}}
	e, err := sched.New(p, sched.WithPlugin(filters.Predicates()), sched.WithPlugin(filters.Capacity()))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, e}
	w.tell(append(cluster(), objects...)...)
	return w
}

func deserves(q *schedulingv1beta1.Queue, amount string) *schedulingv1beta1.Queue {
	q.Spec.Deserved = corev1.ResourceList{gpus: resource.MustParse(amount)}
	return q
}

func guarantees(q *schedulingv1beta1.Queue, amount string) *schedulingv1beta1.Queue {
	q.Spec.Guarantee.Resource = corev1.ResourceList{gpus: resource.MustParse(amount)}
	return q
}

// has is a claim with devices, the first of which is gpu-FROM, that a pod holds.
func has(c *resourcev1.ResourceClaim, pod string, from, count int) *resourcev1.ResourceClaim {
	c.Status.Allocation = &resourcev1.AllocationResult{}
	for i := range count {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: "r0", Driver: "d", Pool: "n", Device: fmt.Sprint("gpu-", from+i)})
	}
	c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod}}
	return c
}

// running is a job of single pods that each run with a claim of two devices.
func running(name, queue string, from, pods int) (out []metav1.Object) {
	for i := range pods {
		one := fmt.Sprint(name, i)
		c := has(claim(one, exactly(2)), one+"-0", from+2*i, 2)
		o := job(one, queue, 1, one)
		p := o[1].(*corev1.Pod)
		p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
		c.Status.ReservedFor[0].UID = p.UID
		out = append(append(out, c), o...)
	}
	return out
}

// evicts are the pods that a cycle evicts, sorted, and those that it binds.
func (w *world) evicts() (evicted, bound string) {
	w.Helper()
	plan, _, _ := w.e.Decide(1)
	if found := w.e.Audit(); found != nil {
		w.Errorf("audit: %s", strings.Join(found, "\n"))
	}
	var out, in []string
	for _, i := range plan.Items {
		switch i.Kind {
		case sched.EvictPod:
			out = append(out, i.Pod.Name)
		case sched.BindPod:
			in = append(in, i.Pod.Name)
		}
	}
	slices.Sort(out)
	slices.Sort(in)
	return strings.Join(out, " "), strings.Join(in, " ")
}

func TestTheQueueFurtherBelowItsDeservedDevicesIsServedFirst(t *testing.T) {
	w := newReclaimer(t, deserves(queue("a", ""), "2"), deserves(queue("b", ""), "6"))
	w.tell(running("a", "a", 0, 1)...)
	w.tell(running("b", "b", 2, 2)...)
	w.tell(slices.Concat([]metav1.Object{claim("x", exactly(2)), claim("y", exactly(2))}, job("x", "a", 1, "x"),
		job("y", "b", 1, "y"))...)
	if evicted, bound := w.evicts(); bound != "y-0" || evicted != "" {
		t.Errorf("bound %q, evicted %q, want the last two devices for b, which holds 4 of 6, not for a, which holds 2 of 2",
			bound, evicted)
	}
}

func TestAQueueAboveItsDeservedDevicesGivesThemToOneBelow(t *testing.T) {
	for name, c := range map[string]struct{ a, b, evicted string }{
		"above":              {"4", "4", "a0-0"},
		"all are deserved":   {"8", "4", ""},
		"nothing is owed":    {"4", "0", ""},
		"less than is asked": {"4", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newReclaimer(t, deserves(queue("a", ""), c.a), deserves(queue("b", ""), c.b), claim("x", exactly(2)))
			held := running("a", "a", 0, 4)
			w.tell(held...)
			w.tell(job("x", "b", 1, "x")...)
			evicted, _ := w.evicts()
			if (evicted == "") != (c.evicted == "") || len(strings.Fields(evicted)) > 1 {
				t.Errorf("evicted %q, want %q: the cheapest one alone", evicted, c.evicted)
			}
		})
	}
}

// reclaimed is a cluster in which a pod of queue a is evicted for a pod of queue b that asks for two devices, with
// what holds the devices and the name of the pod.
func reclaimed(t *testing.T) (w *world, held []metav1.Object, evicted string) {
	t.Helper()
	w = newReclaimer(t, deserves(queue("a", ""), "4"), deserves(queue("b", ""), "4"), claim("x", exactly(2)))
	held = running("a", "a", 0, 4)
	w.tell(held...)
	w.tell(job("x", "b", 1, "x")...)
	if evicted, _ = w.evicts(); evicted == "" {
		t.Fatal("no pod is evicted")
	}
	return w, held, evicted
}

// The devices that a victim frees are promised: they go to the pod for which it was evicted, and to no pod that comes
// meanwhile.
func TestFreedDevicesGoToThePodForWhichTheyWereFreed(t *testing.T) {
	w, held, evicted := reclaimed(t)
	w.tell(append(job("z", "a", 1, "z"), claim("z", exactly(2)))...)
	if more, bound := w.evicts(); more != "" || bound != "" {
		t.Errorf("evicted %q and bound %q while the victim is leaving, want nothing", more, bound)
	}
	for _, o := range held {
		if p, ok := o.(*corev1.Pod); ok && p.Name == evicted {
			w.gone(p)
		}
	}
	if _, bound := w.evicts(); bound != "" {
		t.Errorf("bound %q before the claim was given back", bound)
	}
	for _, o := range held {
		if c, ok := o.(*resourcev1.ResourceClaim); ok && c.Name+"-0" == evicted {
			free := claim(c.Name, exactly(2))
			free.ResourceVersion = "2"
			w.tell(free)
		}
	}
	if _, bound := w.evicts(); bound != "x-0" {
		t.Errorf("bound %q, want x-0: its devices are free", bound)
	}
}

func TestGuaranteedDevicesAreKeptFree(t *testing.T) {
	w := newReclaimer(t, guarantees(queue("a", ""), "4"), queue("b", ""), claim("x", exactly(2)), claim("y", exactly(2)))
	w.tell(running("b", "b", 0, 2)...)
	w.tell(job("x", "b", 1, "x")...)
	w.expect("", "x", "QueueDevices root "+gpus+" 10000 of 8000")
	w.tell(job("y", "a", 1, "y")...)
	w.expect("y-0")
}

func TestNoQueueLosesDevicesThatItIsGuaranteed(t *testing.T) {
	a := guarantees(deserves(queue("a", ""), "2"), "8")
	w := newReclaimer(t, a, deserves(queue("b", ""), "4"), claim("x", exactly(2)))
	w.tell(running("a", "a", 0, 4)...)
	w.tell(job("x", "b", 1, "x")...)
	if evicted, _ := w.evicts(); evicted != "" {
		t.Errorf("evicted %q, want none: a is guaranteed all eight", evicted)
	}
}

// At the gate counts what queues can ever hold: the cluster's devices less what others are guaranteed.
func TestAJobThatCouldNeverHaveItsDevicesIsNotLetIn(t *testing.T) {
	w := newReclaimer(t, guarantees(queue("a", ""), "5"), queue("top", "", gpus, "3"), queue("b", "top"),
		claim("x", exactly(4)))
	x := job("x", "b", 1, "x")
	least := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	x[0].(*schedulingv1beta1.PodGroup).Spec.MinResources = &least
	w.tell(x...)
	w.expect("", "x", "QueueDevices b "+gpus+" 4000 of 3000")
}

// A queue's report has its devices: what it holds, asks for and deserves.
func TestTheReportOfAQueueHasItsDevices(t *testing.T) {
	w := newReclaimer(t, deserves(queue("a", ""), "4"), claim("x", exactly(8)))
	w.tell(running("a", "a", 0, 1)...)
	w.tell(job("x", "a", 1, "x")...)
	w.binds()
	for _, q := range w.e.Report().Queues {
		if q.Name != "a" {
			continue
		}
		held, _ := q.Allocated.Get(gpus)
		asked, _ := q.Request.Get(gpus)
		deserved, _ := q.Deserved.Get(gpus)
		if held != 2000 || asked != 10000 || deserved != 4000 {
			t.Errorf("queue a holds %d, asks for %d and deserves %d thousandths, want 2000, 10000 and 4000", held, asked,
				deserved)
		}
	}
}

// An engine that is given the facts and commitments of another has the same devices promised, and gives them to
// no other pod.
func TestPromisedDevicesOutliveAnEngine(t *testing.T) {
	w, held, evicted := reclaimed(t)
	twin := newReclaimer(t)
	twin.e.Apply(w.e.Facts()...)
	twin.e.Restore(w.e.Commitments())
	for _, at := range []*world{w, twin} {
		for _, o := range held {
			switch o := o.(type) {
			case *corev1.Pod:
				if o.Name == evicted {
					at.gone(o)
				}
			case *resourcev1.ResourceClaim:
				if o.Name+"-0" == evicted {
					free := claim(o.Name, exactly(2))
					free.ResourceVersion = "2"
					at.tell(free)
				}
			}
		}
		at.tell(append(job("z", "a", 1, "z"), claim("z", exactly(2)))...)
		if _, bound := at.evicts(); bound != "x-0" {
			t.Errorf("bound %q, want x-0 alone: what was freed is promised to it", bound)
		}
	}
}
