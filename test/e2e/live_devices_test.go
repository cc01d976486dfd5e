package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cards makes a class of devices, named after the namespace, if it is not there, and a slice
// of so many of them on a node: what a driver does.
func cards(t *testing.T, ns, on string, n int) {
	t.Helper()
	driver := ns + ".example.com"
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: ns},
		Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
			{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", driver)}}}}}
	if _, err := shared.kube.ResourceV1().DeviceClasses().Create(t.Context(), class, metav1.CreateOptions{}); err == nil {
		t.Cleanup(func() {
			_ = shared.kube.ResourceV1().DeviceClasses().Delete(context.Background(), ns, metav1.DeleteOptions{})
		})
	}
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: on + "-cards"}, Spec: resourcev1.ResourceSliceSpec{
		Driver: driver, NodeName: &on, Pool: resourcev1.ResourcePool{Name: on, Generation: 1, ResourceSliceCount: 1}}}
	for i := range n {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("card-", i)})
	}
	if _, err := shared.kube.ResourceV1().ResourceSlices().Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = shared.kube.ResourceV1().ResourceSlices().Delete(context.Background(), s.Name, metav1.DeleteOptions{})
	})
}

func asksFor(ns string, n int64) resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "card",
		Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: ns,
			AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: n}}}}}
}

// createDeviceClaim makes a claim for so many devices of the namespace's class.
func createDeviceClaim(t *testing.T, ns, name string, n int64) {
	t.Helper()
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: asksFor(ns, n)}
	if _, err := shared.kube.ResourceV1().ResourceClaims(ns).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// withDevices is a pod for the test's own scheduler that uses a claim.
func withDevices(ns, name, claim string) *corev1.Pod {
	p := pod(ns, name)
	p.Spec.SchedulerName = ns
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "cards", ResourceClaimName: &claim}}
	p.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "cards"}}
	return p
}

// devicesGang makes a gang of which each member has two devices, by claims that
// Kubernetes' controller makes from a template.
func devicesGang(t *testing.T, ns, name string, members int) {
	t.Helper()
	group := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": ns})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(t.Context(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	template := "two"
	for i := range members {
		p := member(ns, name, i, "100m")
		p.Spec.SchedulerName = ns
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "cards", ResourceClaimTemplateName: &template}}
		create(t, p)
	}
}

// deviceClaims are the claims of the pods of a namespace with names that begin so, by pod.
func deviceClaims(t *testing.T, ns, prefix string) map[string]*resourcev1.ResourceClaim {
	t.Helper()
	out := map[string]*resourcev1.ResourceClaim{}
	all, err := shared.kube.ResourceV1().ResourceClaims(ns).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Items {
		c := &all.Items[i]
		for _, r := range c.Status.ReservedFor {
			if strings.HasPrefix(r.Name, prefix) {
				out[r.Name] = c
			}
		}
	}
	return out
}

func devicesOf(c *resourcev1.ResourceClaim) (out []string) {
	if c == nil || c.Status.Allocation == nil {
		return nil
	}
	for _, r := range c.Status.Allocation.Devices.Results {
		out = append(out, r.Pool+"/"+r.Device)
	}
	return out
}

// A gang gets devices for all its members, written into their claims before they are bound,
// or none; another waits, says for what, and gets them when the first is gone.
func TestGangsHaveTheirDevicesOrNone(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	for _, on := range []string{ns + "-a", ns + "-b"} {
		node(t, on, "16")
		cards(t, ns, on, 4)
	}
	template := &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "two"},
		Spec: resourcev1.ResourceClaimTemplateSpec{Spec: asksFor(ns, 2)}}
	if _, err := shared.kube.ResourceV1().ResourceClaimTemplates(ns).Create(t.Context(), template,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	live(t, ns)
	devicesGang(t, ns, "first", 3)
	awaitRunning(t, ns, "first", 3)
	claims, taken := deviceClaims(t, ns, "first"), map[string]string{}
	for _, p := range list(t, ns, "first") {
		c := claims[p.Name]
		if c == nil || len(devicesOf(c)) != 2 || !slices.Contains(c.Finalizers, resourcev1.Finalizer) {
			t.Fatalf("pod %s runs and its claim is %+v", p.Name, c)
		}
		if r := c.Status.ReservedFor; len(r) != 1 || r[0].Resource != "pods" || r[0].UID != p.UID {
			t.Errorf("the claim of pod %s is reserved for %+v", p.Name, r)
		}
		for _, d := range devicesOf(c) {
			if !strings.HasPrefix(d, p.Spec.NodeName+"/") || taken[d] != "" {
				t.Errorf("pod %s on %s has %s, which %q has", p.Name, p.Spec.NodeName, d, taken[d])
			}
			taken[d] = p.Name
		}
	}
	devicesGang(t, ns, "second", 2)
	eventually(t, "the second gang to say what it waits for", func(ctxless) (bool, error) {
		return slices.ContainsFunc(list(t, ns, "second"), func(p corev1.Pod) bool {
			return unschedulable(p) && strings.Contains(fmt.Sprint(p.Status.Conditions), "of class "+ns+" free, 2 asked")
		}), nil
	}, func() string { return fmt.Sprint(list(t, ns, "second")[0].Status.Conditions) })
	if got := deviceClaims(t, ns, "second"); len(got) > 0 {
		t.Errorf("the second gang waits and holds %v", got)
	}
	for _, p := range list(t, ns, "first") {
		if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), p.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	awaitRunning(t, ns, "second", 2)
	if got := deviceClaims(t, ns, "second"); len(got) != 2 {
		t.Errorf("the second gang runs with %v", got)
	}
}

// Pods that share a claim go where its devices are; and what a scheduler wrote before it
// ended the next one goes on with.
func TestDevicesOutliveTheScheduler(t *testing.T) {
	ns := namespace(t)
	for _, on := range []string{ns + "-a", ns + "-b"} {
		node(t, on, "16")
		cards(t, ns, on, 2)
	}
	createDeviceClaim(t, ns, "shared", 2)
	w := wire{binding: func(int, func() (*http.Response, error)) (*http.Response, error) {
		return nil, context.DeadlineExceeded
	}}
	stop := live(t, ns, w.on)
	create(t, withDevices(ns, "one", "shared"))
	eventually(t, "the claim to be reserved", func(ctxless) (bool, error) {
		return len(deviceClaims(t, ns, "one")) == 1, nil
	}, func() string { return "" })
	stop()
	if got := get(t, ns, "one"); got.Spec.NodeName != "" {
		t.Fatalf("the pod is bound to %s", got.Spec.NodeName)
	}
	before := devicesOf(deviceClaims(t, ns, "one")["one"])
	create(t, withDevices(ns, "two", "shared"))
	live(t, ns)
	awaitRunning(t, ns, "one", 1)
	awaitRunning(t, ns, "two", 1)
	one, two := get(t, ns, "one"), get(t, ns, "two")
	after := deviceClaims(t, ns, "one")["one"]
	if one.Spec.NodeName != two.Spec.NodeName || !slices.Equal(devicesOf(after), before) ||
		len(after.Status.ReservedFor) != 2 || !strings.HasPrefix(before[0], one.Spec.NodeName+"/") {
		t.Errorf("the pods are on %s and %s, the claim has %v, %v before, for %+v", one.Spec.NodeName, two.Spec.NodeName,
			devicesOf(after), before, after.Status.ReservedFor)
	}
}
