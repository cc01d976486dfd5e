package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

// installedIn is the namespace that deploy/ installs into.
const installedIn = "ashlar-system"

// manifests are the objects of a file of deploy/.
func manifests(t *testing.T, name string) (out []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, document)
		}
		if o.Object != nil {
			out = append(out, o)
		}
	}
	return out
}

// apply has the API server take objects as `kubectl apply --server-side` does, and refuse a
// field it does not know. What is only tried is not kept.
func apply(t *testing.T, objects []*unstructured.Unstructured, tried func(kind string) bool) {
	t.Helper()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(shared.kube.Discovery()))
	for _, o := range objects {
		kind := o.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		force := true
		how := metav1.PatchOptions{FieldManager: "test", Force: &force, FieldValidation: metav1.FieldValidationStrict}
		if tried(kind.Kind) {
			how.DryRun = []string{metav1.DryRunAll}
		}
		to := dynamic.ResourceInterface(shared.dynamic.Resource(mapping.Resource))
		if ns := o.GetNamespace(); ns != "" {
			to = shared.dynamic.Resource(mapping.Resource).Namespace(ns)
		}
		if _, err := to.Patch(t.Context(), o.GetName(), types.ApplyPatchType, data, how); err != nil {
			t.Errorf("%s %s: %v", kind.Kind, o.GetName(), err)
		}
	}
}

// installed applies deploy/, but for the Deployment: no kubelet here could run its image.
func installed(t *testing.T) {
	t.Helper()
	apply(t, manifests(t, "20-ashlar.yaml"), func(kind string) bool { return kind == "Deployment" })
}

// Every object of deploy/ is one the API server knows, to the last field.
func TestDeployIsTaken(t *testing.T) {
	installed(t)
	apply(t, manifests(t, "10-crds.yaml"), func(string) bool { return true })
	apply(t, manifests(t, "volcano/rbac.yaml"), func(string) bool { return true })
	apply(t, manifests(t, "volcano/policies.yaml"), func(string) bool { return true })
	apply(t, manifests(t, "policies/tenants.yaml"), func(string) bool { return true })
}

// The first install line is `kubectl create`: CRDs that are there, which are Volcano's and may be newer, stay as they
// are. No document tells to apply them over those, but where it says whose they are.
func TestTheInstallLinesLeaveCRDsThatAreThere(t *testing.T) {
	crds := shared.dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"})
	for _, o := range manifests(t, "10-crds.yaml") {
		before, err := crds.Get(t.Context(), o.GetName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := crds.Create(t.Context(), o, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("creating %s where it is there says %v", o.GetName(), err)
		}
		after, err := crds.Get(t.Context(), o.GetName(), metav1.GetOptions{})
		if err != nil || after.GetGeneration() != before.GetGeneration() || after.GetUID() != before.GetUID() {
			t.Errorf("%s is another by now: %v", o.GetName(), err)
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			applies := strings.HasPrefix(line, "kubectl apply") && strings.HasSuffix(line, "-f deploy/")
			if applies || strings.HasPrefix(line, "kubectl apply -f deploy/10-crds.yaml") {
				t.Errorf("%s has the line %q, which overwrites Volcano's CRDs", page, line)
			}
		}
	}
}

// The scheduler's pod passes the strictest of the Pod Security Standards.
func TestTheSchedulersPodIsRestricted(t *testing.T) {
	ns := namespace(t)
	strict := `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}`
	if _, err := shared.kube.CoreV1().Namespaces().Patch(t.Context(), ns, types.MergePatchType, []byte(strict),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	tryPod := func(change func(*corev1.Pod)) error {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "ashlar"}, Spec: deployment(t).Spec.Template.Spec}
		change(p)
		_, err := shared.kube.CoreV1().Pods(ns).Create(t.Context(), p,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := tryPod(func(*corev1.Pod) {}); err != nil {
		t.Error(err)
	}
	if err := tryPod(func(p *corev1.Pod) { p.Spec.SecurityContext.SeccompProfile = nil }); !apierrors.IsForbidden(err) {
		t.Errorf("a pod without seccomp got %v, want it forbidden: the namespace is not strict", err)
	}
}

func deployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	for _, o := range manifests(t, "20-ashlar.yaml") {
		if o.GetKind() == "Deployment" {
			return typed(t, o, &appsv1.Deployment{})
		}
	}
	t.Fatal("there is no Deployment in deploy/")
	return nil
}

// forgetLease deletes a Lease, so that the next leader makes it.
func forgetLease(t *testing.T, name string) {
	t.Helper()
	err := shared.kube.CoordinationV1().Leases(installedIn).Delete(context.Background(), name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}
