package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"ashlar.sh/test/chromium"
)

// mayList lets a service account list a kind in the whole cluster.
func mayList(t *testing.T, ns, account, group, kind string) {
	t.Helper()
	rbac, called := shared.kube.RbacV1(), metav1.ObjectMeta{Name: ns + "-lists-" + kind}
	role := &rbacv1.ClusterRole{ObjectMeta: called, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{group}, Resources: []string{kind}, Verbs: []string{"list"}}}}
	if _, err := rbac.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rbac.ClusterRoles().Delete(context.Background(), called.Name, metav1.DeleteOptions{}) })
	if _, err := rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: called,
		RoleRef:  rbacv1.RoleRef{Kind: "ClusterRole", Name: called.Name},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: ns, Name: account}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = rbac.ClusterRoleBindings().Delete(context.Background(), called.Name, metav1.DeleteOptions{})
	})
	awaitRight(t, "system:serviceaccount:"+ns+":"+account, authorizationv1.ResourceAttributes{Verb: "list",
		Group: group, Resource: kind})
}

// offersOneMore is what a driver does that finds another device of a node, with an error.
func offersOneMore(t *testing.T, on string) {
	t.Helper()
	slices := shared.kube.ResourceV1().ResourceSlices()
	s, err := slices.Get(t.Context(), on+"-cards", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Spec.Pool.Generation++
	s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: "card-1",
		Taints: []resourcev1.DeviceTaint{{Key: "ecc", Effect: resourcev1.DeviceTaintEffectNoSchedule}}})
	if _, err := slices.Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// theCard is the list item of the only device of a node, as a script.
const theCard = `document.querySelector(".devices-on li")?.innerText.replace(/\s+/g, " ")`

// devicesSay is true where a card's line has all of some words, and none of others.
func devicesSay(has, lacks []string) string {
	return fmt.Sprintf(`((text) => text && %s.every((s) => text.includes(s)) && !%s.some((s) => text.includes(s)))(%s)`,
		quoted(has), quoted(lacks), theCard)
}

func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// Devices on the page of a live scheduler: a device that a driver offers is free before any pod asks for one; the claim
// and the pod that get it are shown on it, and the next ones when these are gone. The driver writes more devices, and
// a taint. A tenant that may list ResourceSlices sees its own names, and of others that they have the device; without
// that right it sees figures, and without the right to list nodes nothing.
func TestLiveDevicesOnThePage(t *testing.T) {
	b := chromium.Start(t)
	program := built(t)
	f := findable(t)
	cards(t, f.ns, f.node, 1)
	driver, class := f.ns+".example.com", f.ns
	p := b.Open(t, pageOf(t, program, f.admin), 1280, 1200)
	p.Goes("#/cluster?node=" + f.node)
	p.Until("a free device, which no pod asks for", devicesSay([]string{"card-0", "free"}, nil))

	uses := func(ns, name string) {
		t.Helper()
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: asksFor(class, 1)}
		if _, err := shared.kube.ResourceV1().ResourceClaims(ns).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		d := withDevices(ns, name, name)
		d.Spec.SchedulerName = f.ns
		d.Annotations = map[string]string{"scheduling.volcano.sh/queue-name": f.ns}
		d.Spec.Containers[0].Resources.Requests = corev1.ResourceList{}
		create(t, d)
	}
	uses(f.ns, "mine")
	awaitRunning(t, f.ns, "mine", 1)
	p.Until("its claim and its pod", devicesSay([]string{"card-0", "allocated", f.ns + "/mine mine"}, nil))
	uses(f.other, "foreign")
	p.Goes("#/cluster?as=devices")
	p.Until("one of one", fmt.Sprintf(`[...document.querySelectorAll(".devices tbody tr")].some((r) =>
	  r.cells[0].innerText.trim() === %q && r.cells[1].innerText === %q && r.cells[3].innerText === "1 of 1")`,
		class, driver))

	tenant := b.Open(t, pageOf(t, program, f.tenant), 1280, 1200)
	tenant.Goes("#/cluster?as=devices")
	tenant.Until("no nodes and no devices", `/No (nodes|devices)/.test(document.querySelector(".view").innerText)`)
	mayList(t, f.ns, "tenant", "", "nodes")
	tenant.Goes("#/cluster?node=" + f.node)
	tenant.Until("figures, and why there are no names", `((text) => ["1 of 1 allocated",
	  "You may not list ResourceSlices"].every((s) => text?.includes(s)))(
	  document.querySelector(".devices-on")?.innerText)`)
	mayList(t, f.ns, "tenant", "resource.k8s.io", "resourceslices")
	tenant.Until("its own names", devicesSay([]string{"card-0", "allocated", f.ns + "/mine mine"}, nil))

	ends := func(ns, name string) {
		t.Helper()
		if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), name, now()); err != nil {
			t.Fatal(err)
		}
	}
	ends(f.ns, "mine")
	awaitRunning(t, f.other, "foreign", 1)
	p.Goes("#/cluster?node=" + f.node)
	p.Until("the next claim and pod", devicesSay([]string{f.other + "/foreign foreign"}, []string{"mine"}))
	tenant.Until("that another has it", devicesSay([]string{"card-0", "allocated"},
		[]string{"mine", f.other, "foreign"}))
	if text := tenant.Text("body"); strings.Contains(text, f.other) || strings.Contains(text, "foreign") {
		t.Errorf("the tenant reads\n%s", text)
	}

	offersOneMore(t, f.node)
	p.Goes("#/cluster?as=devices")
	p.Until("what the driver wrote", `document.querySelector(".devices .plain li")?.innerText.
	  includes("it has taint ecc")`)
	ends(f.other, "foreign")
	p.Goes("#/cluster?node=" + f.node)
	p.Until("both devices, without claims", `((list) => list.length === 2 && list[0].includes("free") &&
	  list[1].includes("cannot be used") && !list.some((s) => s.includes("foreign")))(
	  [...document.querySelectorAll(".devices-on li")].map((e) => e.innerText))`)
	for _, q := range []*chromium.Page{p, tenant} {
		q.Sound()
	}
}
