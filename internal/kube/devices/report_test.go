package devices_test

import (
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// told is what is reported of each device, by node and name.
func told(pools []*sched.DevicePool) map[string]string {
	out := map[string]string{}
	for _, p := range pools {
		for i, d := range p.Devices {
			text := string(d.State) + " " + strings.Join(d.Classes, ",")
			for _, h := range d.Holders {
				text += fmt.Sprintf(" %s/%s%v", h.Namespace, h.Claim, h.Pods)
				for _, c := range h.Consumes {
					text += " " + c.Key + "=" + c.Value
				}
				if h.Admin {
					text += " admin"
				}
			}
			if d.Fault.Code != "" {
				text += fmt.Sprintf(" %s %s %s/%s", d.Fault.Code, d.Fault.Text, d.Fault.Have, d.Fault.Need)
			}
			if _, _, held := p.Details.Of(i); len(held) > 0 {
				text += " held " + held[0].Value
			}
			out[p.Node+":"+p.Name+"/"+d.Name] = strings.TrimSpace(text)
		}
	}
	return out
}

func says(t *testing.T, w *world, want map[string]string) {
	t.Helper()
	differ(t, want, told(w.e.Report().Devices))
}

// Each device is told with the claim and the pods that have it, from when they are decided on, and with why no claim
// gets it.
func TestWhatIsReportedOfDevices(t *testing.T) {
	yes, both := true, slice("n1", 4)
	both.Spec.Devices[2].Taints = []resourcev1.DeviceTaint{{Key: "hot", Value: "<b>", Effect: "NoSchedule"}}
	both.Spec.Devices[3].AllowMultipleAllocations = &yes
	some := slice("n2", 1)
	some.Spec.Pool.ResourceSliceCount = 2
	share := func(name, memory string) *resourcev1.ResourceClaim {
		c := claim(name, 1, `device.allowMultipleAllocations`)
		c.Spec.Devices.Requests[0].Exactly.Capacity = &resourcev1.CapacityRequirements{
			Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}}
		return c
	}
	watching := allocated(claim("watches", 1), "n1", []string{"gpu-1"}, "monitor")
	watching.Status.Allocation.Devices.Results[0].AdminAccess = &yes
	w := newWorld(t, node("n1"), node("n2"), class("gpu"), both, some, share("a", "30Gi"), share("b", "20Gi"),
		allocated(claim("had", 1), "n1", []string{"gpu-0"}, "old"), watching)
	want := map[string]string{"n1:n1/gpu-0": "Allocated gpu ns/had[old]",
		"n1:n1/gpu-1": "Free gpu ns/watches[monitor] admin",
		"n1:n1/gpu-2": "Unusable gpu Tainted hot=<b>:NoSchedule /", "n1:n1/gpu-3": "Free gpu",
		"n2:n2/gpu-0": "Unusable gpu PoolIncomplete  1/2"}
	says(t, w, want)
	w.tell(pod("p", "a"))
	w.decide()
	want["n1:n1/gpu-3"] = "Shared gpu ns/a[p] memory=30Gi held 30Gi"
	says(t, w, want)
	before := w.e.Report()
	w.tell(pod("q", "b"))
	if w.decide(); bound(w.decide()) != 0 {
		t.Fatal("nothing waits")
	}
	want["n1:n1/gpu-3"] = "Shared gpu ns/a[p] memory=30Gi ns/b[q] memory=20Gi held 50Gi"
	says(t, w, want)
	if after := w.e.Report(); before.Nodes[1].Devices[0] != after.Nodes[1].Devices[0] ||
		before.Nodes[0].Devices[0] == after.Nodes[0].Devices[0] {
		t.Error("the pool that did not change is another, or the one that did is the same")
	}
	w.e.Apply(gone(t, both))
	w.e.Apply(gone(t, class("gpu")))
	says(t, w, map[string]string{"n2:n2/gpu-0": "Unusable  PoolIncomplete  1/2"})
}

// Of partitions those cannot be had of which another has taken the counters; a pool that is tied to no node is told
// once.
func TestWhatIsReportedOfPartitions(t *testing.T) {
	yes, all := true, slice("n1", 3)
	all.Spec.NodeName, all.Spec.AllNodes = nil, &yes
	all.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "card", Counters: map[string]resourcev1.Counter{
		"memory": {Value: resource.MustParse("80Gi")}}}}
	for i, needs := range []string{"80Gi", "40Gi", "40Gi"} {
		all.Spec.Devices[i].ConsumesCounters = []resourcev1.DeviceCounterConsumption{{CounterSet: "card",
			Counters: map[string]resourcev1.Counter{"memory": {Value: resource.MustParse(needs)}}}}
	}
	held := allocated(claim("half", 1), "n1", []string{"gpu-1"}, "p")
	w := newWorld(t, []metav1.Object{node("n1"), node("n2"), class("gpu"), all, held}...)
	says(t, w, map[string]string{":n1/gpu-0": "Unusable gpu CounterUsed card/memory 40Gi/80Gi",
		":n1/gpu-1": "Allocated gpu ns/half[p]", ":n1/gpu-2": "Free gpu"})
	for _, n := range w.e.Report().Nodes {
		if len(n.Devices) != 0 {
			t.Errorf("%s has %v alone", n.Name, n.Devices)
		}
	}
	held.ResourceVersion, held.Status = "2", resourcev1.ResourceClaimStatus{}
	w.tell(held)
	if got := told(w.e.Report().Devices)[":n1/gpu-0"]; got != string(policy.DeviceFree)+" gpu" {
		t.Errorf("with nothing taken the whole card is %q", got)
	}
}
