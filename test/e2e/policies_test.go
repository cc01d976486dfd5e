package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"ashlar.sh/internal/kube/devices"
	"ashlar.sh/internal/kube/translate"
	"ashlar.sh/sched/ledger"
)

// as are clients of another user: the API server is asked by an administrator in that user's name, which the audit log
// keeps apart from what the user asks itself.
func as(t *testing.T, user string, groups ...string) (kubernetes.Interface, dynamic.Interface) {
	t.Helper()
	config := rest.CopyConfig(shared.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return kube, dyn
}

// account is the user and the groups of a service account where deploy/ is installed.
func account(name string) (user string, groups []string) {
	return "system:serviceaccount:" + installedIn + ":" + name, []string{"system:serviceaccounts",
		"system:serviceaccounts:" + installedIn}
}

// guarded has the policies of a file hold for the service account, as a scheduler of pods with the schedulerName ns
// that makes the queue ns-default. It returns once they do.
func guarded(t *testing.T, file, name, ns string) {
	t.Helper()
	user, groups := account(name)
	var policies []*unstructured.Unstructured
	for _, o := range manifests(t, file) {
		if !strings.HasPrefix(o.GetKind(), "ValidatingAdmissionPolicy") {
			continue
		}
		fields, _, err := unstructured.NestedSlice(o.Object, "spec", "matchConditions")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields {
			if c := f.(map[string]any); c["name"] == "by-this-scheduler" {
				c["expression"] = "request.userInfo.username == '" + user + "'"
			}
		}
		variables, _, err := unstructured.NestedSlice(o.Object, "spec", "variables")
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range variables {
			switch v := v.(map[string]any); v["name"] {
			case "schedulers":
				v["expression"] = "['" + ns + "']"
			case "queues":
				v["expression"] = "['root', '" + ns + "-default']"
			case "home":
				v["expression"] = "'" + ns + "'"
			}
		}
		if fields != nil {
			_ = unstructured.SetNestedSlice(o.Object, fields, "spec", "matchConditions") // plain data
		}
		if variables != nil {
			_ = unstructured.SetNestedSlice(o.Object, variables, "spec", "variables") // plain data
		}
		policies = append(policies, o)
	}
	if len(policies) != 4 {
		t.Fatalf("%s has %d policies and bindings of them, want 4", file, len(policies))
	}
	apply(t, policies, func(string) bool { return false })
	kube, _ := as(t, user, groups...)
	remove := func(pod string) error {
		return kube.CoreV1().Pods(ns).Delete(context.Background(), pod,
			metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
	}
	t.Cleanup(func() { unguard(t, policies, ns, remove) })
	create(t, plainPod(ns, "probe-ours", ns))
	create(t, plainPod(ns, "probe-others", "nobody"))
	var ours, others error
	eventually(t, "the policies to hold", func(ctxless) (bool, error) {
		ours, others = remove("probe-ours"), remove("probe-others")
		return ours != nil && strings.Contains(ours.Error(), "evicts only pods that have a node") &&
			others != nil && strings.Contains(others.Error(), "its own pods only"), nil
	}, func() string { return fmt.Sprintf("ours: %v; others': %v", ours, others) })
	for _, name := range []string{"probe-ours", "probe-others"} {
		if err := shared.kube.CoreV1().Pods(ns).Delete(t.Context(), name, now()); err != nil {
			t.Fatal(err)
		}
	}
}

// unguard removes the policies, and waits until they hold no more: what the next test's scheduler asks for would be
// refused.
func unguard(t *testing.T, policies []*unstructured.Unstructured, ns string, remove func(pod string) error) {
	ctx, to := context.Background(), shared.kube.AdmissionregistrationV1()
	for _, o := range policies {
		if o.GetKind() == "ValidatingAdmissionPolicy" {
			_ = to.ValidatingAdmissionPolicies().Delete(ctx, o.GetName(), metav1.DeleteOptions{})
		} else {
			_ = to.ValidatingAdmissionPolicyBindings().Delete(ctx, o.GetName(), metav1.DeleteOptions{})
		}
	}
	pods := shared.kube.CoreV1().Pods(ns)
	if _, err := pods.Create(ctx, plainPod(ns, "probe-after", "nobody"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
		return
	}
	var refused error
	if err := waits(ctx, func(ctxless) (bool, error) {
		refused = remove("probe-after")
		return refused == nil || !strings.Contains(refused.Error(), "ValidatingAdmissionPolicy"), nil
	}); err != nil {
		t.Errorf("the policies hold on: %v", refused)
	}
	_ = pods.Delete(ctx, "probe-after", now())
}

// now has a pod go without the time that it has to end.
func now() metav1.DeleteOptions { return metav1.DeleteOptions{GracePeriodSeconds: new(int64)} }

func plainPod(ns, name, scheduler string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{"of": name}},
		Spec: corev1.PodSpec{SchedulerName: scheduler, Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
}

// tried sends what a file of testdata tells to try, in the name of a user, and keeps nothing of it.
func tried(t *testing.T, file, ns, user string, groups ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	uids := regexp.MustCompile(`uid\(([a-z]+)\)`).ReplaceAllFunc(bytes.ReplaceAll(text, []byte("NS"), []byte(ns)),
		func(named []byte) []byte { return []byte(uidOf(t, ns, string(named[4:len(named)-1]))) })
	var all map[string]map[string]map[string]map[string]any // by the answer, its name, the request: a body
	if err := yaml.UnmarshalStrict(uids, &all); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	kube, _ := as(t, user, append(groups, "system:authenticated")...)
	for _, want := range slices.Sorted(maps.Keys(all)) {
		for name, requests := range all[want] {
			for what, body := range requests {
				switch err := attempt(t.Context(), kube.CoreV1().RESTClient(), ns, what, body); {
				case want == "taken" && err != nil:
					t.Errorf("%s: %v, want it taken", name, err)
				case want != "taken" && (err == nil || !strings.Contains(err.Error(), want)):
					t.Errorf("%s: %v, want it refused because %q", name, err, want)
				}
			}
		}
	}
}

// attempt sends one request: a verb, "core" or a group and version, and a path below the namespace or, if it begins
// with "/", below the version.
func attempt(ctx context.Context, to rest.Interface, ns, what string, body map[string]any) error {
	part := strings.Fields(what)
	at := "/apis/" + part[1]
	if part[1] == "core" {
		at = "/api/v1"
	}
	if !strings.HasPrefix(part[2], "/") {
		at += "/namespaces/" + ns + "/"
	}
	if part[0] == http.MethodDelete { // options in a body take the place of parameters
		body["kind"], body["apiVersion"], body["dryRun"] = "DeleteOptions", "v1", []string{metav1.DryRunAll}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	kind := "application/json"
	if part[0] == http.MethodPatch {
		kind = string(types.MergePatchType)
	}
	return to.Verb(part[0]).AbsPath(at+part[2]).Param("dryRun", metav1.DryRunAll).SetHeader("Content-Type", kind).
		Body(text).Do(ctx).Error()
}

// uidOf is the uid of a pod, or of a resource claim.
func uidOf(t *testing.T, ns, name string) types.UID {
	t.Helper()
	if p, err := shared.kube.CoreV1().Pods(ns).Get(t.Context(), name, metav1.GetOptions{}); err == nil {
		return p.UID
	}
	c, err := shared.kube.ResourceV1().ResourceClaims(ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c.UID
}

// What the role allows and the scheduler never does, the shipped policy refuses: a stolen token of the scheduler binds,
// evicts and says what the scheduler does, and changes nothing else. That the policy lets pass all that the scheduler
// does is shown by TestTheRightsOfTheScheduler.
func TestThePolicyOfTheScheduler(t *testing.T) {
	installed(t)
	ns := namespace(t)
	guarded(t, "20-ashlar.yaml", "ashlar", ns)
	node(t, ns+"-a", "4")
	queue(t, ns)
	waits, gated, others := plainPod(ns, "waits", ns), plainPod(ns, "gated", ns), plainPod(ns, "foreign", "nobody")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: translate.QueueGate}, {Name: "team/paid"}}
	runs, self := plainPod(ns, "runs", ns), plainPod(ns, "self", "nobody")
	self.Spec.ServiceAccountName = "ashlar"
	if _, err := shared.kube.CoreV1().ServiceAccounts(ns).Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "ashlar"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	runs.Spec.NodeName, others.Spec.NodeName = ns+"-a", ns+"-a"
	for _, p := range []*corev1.Pod{waits, gated, others, runs, self} {
		create(t, p)
	}
	foreign(t, ns, object("PodGroup", "gang", map[string]any{"minMember": int64(1), "queue": ns}))
	storage(t, ns)
	createDisk(t, disk(ns, ns))
	given := disk(ns+"-given", ns)
	given.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: ns, Name: "mine",
		UID: "its-own"}
	createDisk(t, given)
	createClaim(t, ns, "claim", ns, "")
	createDeviceClaim(t, ns, "card", 1)
	user, groups := account("ashlar")
	tried(t, "what-the-scheduler-may-write.yaml", ns, user, groups...)
}

// may lets a user do something in a namespace, and waits until the API server knows that.
func may(t *testing.T, ns, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Name: user}
	if _, err := shared.kube.RbacV1().Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.kube.RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			resource, sub, _ := strings.Cut(rule.Resources[0], "/")
			awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Verb: verb, Group: rule.APIGroups[0],
				Resource: resource, Subresource: sub})
		}
	}
}

// awaitRight waits until the API server knows that a user has a right: it learns of roles and bindings from a watch.
func awaitRight(t *testing.T, user string, right authorizationv1.ResourceAttributes) {
	t.Helper()
	asks := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user,
		ResourceAttributes: &right}}
	eventually(t, user+" to be allowed to "+right.Verb+" "+right.Resource, func(ctx context.Context) (bool, error) {
		r, err := shared.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, asks, metav1.CreateOptions{})
		return err == nil && r.Status.Allowed, err
	}, func() string { return "it is not" })
}

// What the scheduler keeps on objects is its own word: neither a tenant nor a node can write it, and the message says
// what to leave out. What a tenant may write else it may write on, beside such a record too.
func TestRecordsAreTheSchedulersOwn(t *testing.T) {
	installed(t)
	ns := namespace(t)
	guarded(t, "20-ashlar.yaml", "ashlar", ns)
	may(t, ns, "tenant", rbacv1.PolicyRule{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"podgroups"},
		Verbs: []string{"create", "update", "patch"}},
		rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"},
			Verbs: []string{"create", "update", "patch"}})
	user, groups := account("ashlar")
	_, scheduler := as(t, user, groups...)
	foreign(t, ns, object("PodGroup", "gang", map[string]any{"minMember": int64(1), "queue": ns}))
	if _, err := scheduler.Resource(podGroupResource).Namespace(ns).Patch(t.Context(), "gang", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"ashlar.sh/refused-binds":"{}"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	create(t, plainPod(ns, "waits", ns))
	made := (&devices.Special{Requests: asksFor(ns, 1).Devices.Requests}).Claim(ledger.Key{Namespace: ns, Name: "waits"},
		string(uidOf(t, ns, "waits")), "made")
	claims := shared.kube.ResourceV1().ResourceClaims(ns)
	if _, err := claims.Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	createDeviceClaim(t, ns, "card", 1)
	tried(t, "what-tenants-may-write.yaml", ns, "tenant")
	may(t, ns, "kubelet", rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/status"},
		Verbs: []string{"patch"}})
	tried(t, "what-nodes-may-write.yaml", ns, "kubelet")
}
