package readapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/kube/access"
	dra "ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/filters"
	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// deviceWorld has a node of four devices: a claim in each of two namespaces has one, and one is tainted. Their driver
// writes markup wherever it may.
func deviceWorld(t *testing.T) *world {
	w := newWorld(t)
	e, err := sched.New(policy.Profile{Actions: []string{"allocate"},
		Tiers: [][]policy.Choice{{{Plugin: "predicates"}}}}, sched.WithPlugin(filters.Predicates()))
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	node, markup := "n1", `<img src=x onerror=alert(1)>`
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: resourcev1.ResourceSliceSpec{
		Driver: "gpu.example.com", NodeName: &node, Pool: resourcev1.ResourcePool{Name: "n1", ResourceSliceCount: 1}}}
	for i := range 4 {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &markup}}})
	}
	slice.Spec.Devices[3].Taints = []resourcev1.DeviceTaint{{Key: "hot", Value: "<i>", Effect: "NoExecute"}}
	w.decide(func() {
		w.node("n1", 8000)
		w.put(dra.Class, "", "gpu", &model.Opaque{Content: &resourcev1.DeviceClass{
			ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}})
		w.put(dra.Slice, "", "s", &model.Opaque{Content: slice})
		for i, ns := range []string{"red", "blue"} {
			c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: ns + "-claim"}}
			c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
				Results: []resourcev1.DeviceRequestAllocationResult{{Request: "r", Driver: "gpu.example.com", Pool: "n1",
					Device: fmt.Sprint("gpu-", i)}}}}
			c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: ns + "-pod"}}
			w.put(dra.Claim, ns, c.Name, &model.Opaque{Content: c})
		}
	})
	return w
}

// Devices are counted for users that may list nodes, and named for those that may list ResourceSlices; claims and pods
// that have them are named where their namespace may be read.
func TestDevicesToEachUserItsOwn(t *testing.T) {
	users := people()
	users.give("operator", access.ListNodes().String(), access.ListSlices().String(), access.ListPods("red").String())
	users.give("counter", access.ListNodes().String(), access.ListPods("").String())
	s := served(deviceWorld(t), users)
	const counts = `"allocated":2,"classes":["gpu"],"driver":"gpu.example.com","free":1`
	for _, c := range []struct {
		user, path string
		has, lacks []string
	}{
		{"admin", "/v1/nodes", []string{counts, `"pool":"n1"`, `"unusable":1`}, []string{"gpu-0", "claim"}},
		{"admin", "/v1/list/devices", []string{counts, `"total":4`}, []string{"pool", "claim"}},
		{"admin", "/v1/devices", []string{"gpu-0", "gpu-2", "red-claim", "blue-pod", `<img src=x onerror=alert(1)>`,
			"it has taint hot=<i>:NoExecute: only claims that tolerate it get it"}, nil},
		{"admin", "/v1/devices?node=n1&state=unusable", []string{"gpu-3"}, []string{"gpu-0", "gpu-1", "gpu-2"}},
		{"admin", "/v1/devices?node=n2", []string{`"items":[]`}, []string{"gpu-"}},
		{"operator", "/v1/devices", []string{"gpu-1", "red-claim", "red-pod", `"claim":"*"`, `"pods":["*"]`},
			[]string{"blue"}},
		{"operator", "/v1/list/nodes", []string{"gpu-1", "red-claim", `"claim":"*"`}, []string{"blue"}},
		{"operator", "/v1/why/node/n1", []string{"gpu: 2 of 4 allocated, 1 cannot be used",
			"gpu-0: allocated to red/red-claim (red-pod)", "gpu-1: allocated to */* (*)", "gpu-2: free"},
			[]string{"blue"}},
		{"counter", "/v1/nodes", []string{counts}, nil},
		{"counter", "/v1/devices", []string{`"items":[]`, `"devices":{"allocated":2,"free":1,"shared":0,"total":4`},
			[]string{"gpu-", "claim"}},
		{"counter", "/v1/list/nodes", []string{counts}, []string{"gpu-", "claim"}},
		{"counter", "/v1/why/node/n1", []string{"gpu: 2 of 4 allocated", "you may not list ResourceSlices"},
			[]string{"gpu-", "claim"}},
		{"tenant", "/v1/nodes", []string{`"items":[]`}, []string{"gpu.example.com", "claim"}},
		{"tenant", "/v1/list/devices", []string{`"items":[]`, `"total":4`}, []string{"gpu.example.com"}},
		{"tenant", "/v1/devices", []string{`"items":[]`, `"count":4`}, []string{"gpu", "claim"}},
	} {
		code, got := get[map[string]any](t, s, c.user, c.path)
		text := plain(got)
		if code != http.StatusOK {
			t.Errorf("%s: %s: %d %s", c.user, c.path, code, text)
		}
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s lacks %s: %s", c.user, c.path, want, text)
			}
		}
		for _, not := range c.lacks {
			if strings.Contains(text, not) {
				t.Errorf("%s: %s tells of %s: %s", c.user, c.path, not, text)
			}
		}
	}
	var all []string
	next := ""
	for range 9 {
		_, got := get[List](t, s, "admin", "/v1/devices?limit=1"+next)
		all = append(all, names(got)...)
		if next = "&continue=" + got.Continue; got.Continue == "" {
			break
		}
	}
	if strings.Join(all, " ") != "gpu-0 gpu-1 gpu-2 gpu-3" {
		t.Errorf("page by page: %v", all)
	}
}
