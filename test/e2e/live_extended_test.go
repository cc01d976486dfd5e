package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// named has a class stand for an extended resource, which is returned.
func named(t *testing.T, class string) string {
	t.Helper()
	name := class + ".example.com/gpu"
	patch := fmt.Sprintf(`{"spec":{"extendedResourceName":%q}}`, name)
	if _, err := shared.kube.ResourceV1().DeviceClasses().Patch(t.Context(), class, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// extendedPod is a pod for the test's own scheduler that asks for so many of an extended resource.
func extendedPod(ns, name, of, amount string) *corev1.Pod {
	p := pod(ns, name)
	p.Spec.SchedulerName = ns
	r := &p.Spec.Containers[0].Resources
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	if r.Limits == nil {
		r.Limits = corev1.ResourceList{}
	}
	gpu, q := corev1.ResourceName(of), resource.MustParse(amount)
	r.Requests[gpu], r.Limits[gpu] = q, q
	return p
}

// madeClaims are the claims that were made for a pod.
func madeClaims(t *testing.T, p *corev1.Pod) (out []*resourcev1.ResourceClaim) {
	t.Helper()
	all, err := shared.kube.ResourceV1().ResourceClaims(p.Namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all.Items {
		if c := &all.Items[i]; metav1.IsControlledBy(c, p) &&
			c.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" {
			out = append(out, c)
		}
	}
	return out
}

// standsRight checks the claim of a pod that is bound by devices, and that the pod's status names it.
func standsRight(t *testing.T, p *corev1.Pod, of string, devices int) {
	t.Helper()
	claims, said := madeClaims(t, p), p.Status.ExtendedResourceClaimStatus
	if len(claims) != 1 || said == nil {
		t.Fatalf("pod %s on %s has the claims %+v, and its status says %+v", p.Name, p.Spec.NodeName, claims, said)
	}
	c := claims[0]
	if said.ResourceClaimName != c.Name || len(said.RequestMappings) != 1 || said.RequestMappings[0].ResourceName != of ||
		said.RequestMappings[0].RequestName != c.Spec.Devices.Requests[0].Name ||
		said.RequestMappings[0].ContainerName != p.Spec.Containers[0].Name {
		t.Errorf("of claim %s with %+v the status says %+v", c.Name, c.Spec, said)
	}
	if !strings.HasPrefix(c.Name, p.Name+"-extended-resources-") || len(devicesOf(c)) != devices ||
		len(c.Status.ReservedFor) != 1 ||
		c.Status.ReservedFor[0].UID != p.UID {
		t.Errorf("claim %s has %v for %+v, want %d devices for pod %s", c.Name, devicesOf(c), c.Status.ReservedFor,
			devices, p.Name)
	}
	for _, d := range devicesOf(c) {
		if !strings.HasPrefix(d, p.Spec.NodeName+"/") {
			t.Errorf("pod %s on %s has %s", p.Name, p.Spec.NodeName, d)
		}
	}
}

// A pod that asks for an extended resource for which a class stands gets devices by a claim that is made for it and
// named in its status; the next waits, and has them when the first is gone, and its claim with it.
func TestAnExtendedResourceIsMetByDevices(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	node(t, ns+"-a", "16")
	cards(t, ns, ns+"-a", 2)
	of := named(t, ns)
	live(t, ns)
	create(t, extendedPod(ns, "first", of, "2"))
	awaitRunning(t, ns, "first", 1)
	standsRight(t, get(t, ns, "first"), of, 2)
	implicit := resourcev1.ResourceDeviceClassPrefix + ns
	create(t, extendedPod(ns, "second", implicit, "1"))
	eventually(t, "the second pod to say what it waits for", func(ctxless) (bool, error) {
		return unschedulable(*get(t, ns, "second")), nil
	}, func() string { return fmt.Sprint(get(t, ns, "second").Status.Conditions) })
	if got := madeClaims(t, get(t, ns, "second")); len(got) > 0 {
		t.Errorf("the second pod waits and has %v", got)
	}
	if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), "first", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, ns, "second", 1)
	standsRight(t, get(t, ns, "second"), implicit, 1)
	eventually(t, "one claim to be left", func(ctxless) (bool, error) {
		all, err := shared.kube.ResourceV1().ResourceClaims(ns).List(context.Background(), metav1.ListOptions{})
		return err == nil && len(all.Items) == 1, err
	}, func() string { return "" })
}

// What was made for a pod before the scheduler ended is deleted and made anew by the next: the pod has one claim, with
// the devices that only it could have.
func TestAnExtendedResourceOutlivesTheScheduler(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	node(t, ns+"-a", "16")
	cards(t, ns, ns+"-a", 2)
	of := named(t, ns)
	w := wire{binding: func(int, func() (*http.Response, error)) (*http.Response, error) {
		return nil, context.DeadlineExceeded
	}}
	stop := live(t, ns, w.on)
	create(t, extendedPod(ns, "one", of, "2"))
	eventually(t, "a claim to be made and named", func(ctxless) (bool, error) {
		p := get(t, ns, "one")
		claims := madeClaims(t, p)
		return len(claims) == 1 && len(claims[0].Status.ReservedFor) == 1 && p.Status.ExtendedResourceClaimStatus != nil, nil
	}, func() string { return "" })
	stop()
	p := get(t, ns, "one")
	before := madeClaims(t, p)
	if p.Spec.NodeName != "" || len(before) != 1 {
		t.Fatalf("the pod is bound to %q, and %d claims are left", p.Spec.NodeName, len(before))
	}
	live(t, ns)
	awaitRunning(t, ns, "one", 1)
	standsRight(t, get(t, ns, "one"), of, 2)
	if after := madeClaims(t, p)[0]; after.UID == before[0].UID {
		t.Errorf("the claim %s was taken over", after.Name)
	}
}

// On a node that has the resource by a device plugin no claim is made; one that has it by devices is used all the same.
func TestNodesWithAnExtendedResourceOfBothKinds(t *testing.T) {
	ns := namespace(t)
	queue(t, ns)
	for _, on := range []string{ns + "-devices", ns + "-plugin"} {
		node(t, on, "16")
	}
	cards(t, ns, ns+"-devices", 2)
	of := named(t, ns)
	patch := fmt.Sprintf(`{"status":{"capacity":{%q:"2"},"allocatable":{%q:"2"}}}`, of, of)
	if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), ns+"-plugin", types.MergePatchType, []byte(patch),
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	live(t, ns)
	for _, name := range []string{"one", "two"} {
		create(t, extendedPod(ns, name, of, "2"))
	}
	awaitRunning(t, ns, "one", 1)
	awaitRunning(t, ns, "two", 1)
	on := map[string]bool{}
	for _, name := range []string{"one", "two"} {
		p := get(t, ns, name)
		if on[p.Spec.NodeName] = true; p.Spec.NodeName == ns+"-devices" {
			standsRight(t, p, of, 2)
		} else if got := madeClaims(t, p); len(got) > 0 || p.Status.ExtendedResourceClaimStatus != nil {
			t.Errorf("pod %s is on %s with %v and %+v", name, p.Spec.NodeName, got, p.Status.ExtendedResourceClaimStatus)
		}
	}
	if len(on) != 2 {
		t.Errorf("the pods are on %v", on)
	}
}
