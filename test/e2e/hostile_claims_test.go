package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/internal/loop"
)

// Claims with selectors as costly as the API server accepts them, and claims of which the search
// for devices has no end, leave others' pods as quick as they were.
func TestClaimsOfOthersHoldUpNobody(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		make  func(t *testing.T, ns string)
	}{
		"a costly selector":               {20, costlySelector},
		"hard claims, and one that comes": {60, hardClaims},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			weighted(t, ns, 1000)
			for i := range c.nodes {
				on := fmt.Sprintf("%s-%d", ns, i)
				node(t, on, "16")
				cards(t, ns, on, 8)
				pairs(t, on)
			}
			at := address(t)
			live(t, ns, func(o *loop.Options) { o.Addresses.Metrics = at })
			before := quickness(t, ns, "before")
			c.make(t, ns)
			began := cycles(at)
			after := quickness(t, ns, "after")
			ended := cycles(at)
			t.Logf("%.0f cycles of %.2f ms meanwhile; half of the pods are bound within %v before and %v after",
				ended.count-began.count, (ended.sum-began.sum)/max(1, ended.count-began.count), before, after)
			if after > time.Second+2*before {
				t.Errorf("half of a tenant's pods took more than %v, and %v before", after, before)
			}
		})
	}
}

// pairs gives every two devices of a node a root of their own.
func pairs(t *testing.T, on string) {
	t.Helper()
	slices := shared.kube.ResourceV1().ResourceSlices()
	s, err := slices.Get(t.Context(), on+"-cards", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for d := range s.Spec.Devices {
		root := fmt.Sprint("r", d/2)
		s.Spec.Devices[d].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"root": {StringValue: &root}}
	}
	if _, err := slices.Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// asking makes a claim and a pod that names it.
func asking(t *testing.T, c *resourcev1.ResourceClaim) error {
	t.Helper()
	if _, err := shared.kube.ResourceV1().ResourceClaims(c.Namespace).Create(t.Context(), c,
		metav1.CreateOptions{}); err != nil {
		return err
	}
	p := withDevices(c.Namespace, "evil-"+c.Name, c.Name)
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{}
	create(t, p)
	return nil
}

// costlySelector makes a claim with the costliest of some selectors that the API server takes.
func costlySelector(t *testing.T, ns string) {
	for side := 50; side > 20; side -= 4 {
		list := "[0"
		for i := 1; i < side; i++ {
			list += fmt.Sprint(",", i)
		}
		list += "]"
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprint("side-", side)},
			Spec: asksFor(ns, 1)}
		c.Spec.Devices.Requests[0].Exactly.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
			Expression: strings.ReplaceAll("LIST.all(x, LIST.all(y, LIST.all(z, x+y+z < 1000000))) && device.driver == 'none'",
				"LIST", list)}}}
		if asking(t, c) == nil {
			return
		}
	}
	t.Fatal("the API server takes none of the selectors")
}

// hardClaims makes claims for three pairs and one of the same pair, and one that comes and goes.
func hardClaims(t *testing.T, ns string) {
	root := resourcev1.FullyQualifiedName(ns + ".example.com/root")
	for j := range 5 {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprint("hard-", j)}}
		for i := range 7 {
			r := asksFor(ns, 1).Devices.Requests[0]
			r.Name = fmt.Sprint("r", i)
			r.Exactly.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: fmt.Sprintf(
				"device.driver != 'x%d'", j)}}}
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, r)
		}
		for i := range 6 {
			c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, resourcev1.DeviceConstraint{
				Requests: []string{fmt.Sprint("r", i/2*2), "r6"}, MatchAttribute: &root})
		}
		if err := asking(t, c); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	t.Cleanup(func() { stop(); <-ended })
	go func() {
		defer close(ended)
		claims := shared.kube.ResourceV1().ResourceClaims(ns)
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprint("touch-", i%2)
			_ = claims.Delete(ctx, name, metav1.DeleteOptions{}) // it may not be there yet
			_, _ = claims.Create(ctx, &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
				Spec: asksFor(ns, 1)}, metav1.CreateOptions{})
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
}
