package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// made is an object that a tenant would like to make.
func made(version, kind string, annotations map[string]any, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind,
		"metadata": map[string]any{"name": "x", "annotations": annotations}, "spec": spec}}
}

func podOf(annotations map[string]any, class string) *unstructured.Unstructured {
	spec := map[string]any{"schedulerName": "nobody", "containers": []any{map[string]any{"name": "c", "image": "x"}}}
	if class != "" {
		spec["priorityClassName"] = class
	}
	return made("v1", "Pod", annotations, spec)
}

func deploymentOf(annotations map[string]any) *unstructured.Unstructured {
	return made("apps/v1", "Deployment", annotations,
		map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
				"spec": podOf(nil, "").Object["spec"]}})
}

func replicationController(annotations map[string]any) *unstructured.Unstructured {
	o := deploymentOf(annotations)
	o.SetAPIVersion("v1")
	o.SetKind("ReplicationController")
	o.Object["spec"].(map[string]any)["selector"] = map[string]any{"a": "b"}
	return o
}

// The policies of deploy/policies keep a tenant's namespace to the queues and priority classes
// that it was given, whoever makes the objects.
func TestTenantsNameWhatTheyWereGiven(t *testing.T) {
	apply(t, manifests(t, "policies/tenants.yaml"), func(string) bool { return false })
	ns := namespace(t)
	marks := `{"metadata":{"labels":{"ashlar.sh/tenant":"true"},"annotations":{"ashlar.sh/queues":"red,blue",` +
		`"ashlar.sh/priority-classes":"` + ns + `"}}}`
	if _, err := shared.kube.CoreV1().Namespaces().Patch(t.Context(), ns, types.MergePatchType, []byte(marks),
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := shared.kube.SchedulingV1().PriorityClasses().Create(t.Context(),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: ns}, Value: 10}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	resources := map[string]schema.GroupVersionResource{
		"Pod":                   {Version: "v1", Resource: "pods"},
		"PodGroup":              {Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
		"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"},
		"ReplicationController": {Version: "v1", Resource: "replicationcontrollers"},
		"ResourceClaim":         {Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
		"ConfigMap":             {Version: "v1", Resource: "configmaps"},
	}
	try := func(o *unstructured.Unstructured) error {
		_, err := shared.dynamic.Resource(resources[o.GetKind()]).Namespace(ns).Create(t.Context(), o,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	queue := func(name string) map[string]any { return map[string]any{"scheduling.volcano.sh/queue-name": name} }
	group := func(queue, class string) *unstructured.Unstructured {
		return made("scheduling.volcano.sh/v1beta1", "PodGroup", nil,
			map[string]any{"queue": queue, "priorityClassName": class})
	}
	denied := map[string]*unstructured.Unstructured{
		"a group in another's queue":               group("prod", ""),
		"a group of a priority class":              group("red", "system-node-critical"),
		"a pod in another's queue":                 podOf(queue("prod"), ""),
		"a pod of a priority class":                podOf(queue("red"), "system-node-critical"),
		"an owner with pods for another scheduler": deploymentOf(queue("prod")),
		"an owner of an older kind":                replicationController(queue("prod")),
		"a group as an owner": made("scheduling.volcano.sh/v1beta1", "PodGroup", queue("prod"),
			map[string]any{"queue": "red"}),
		"a claim as an owner": made("resource.k8s.io/v1", "ResourceClaim", queue("prod"),
			map[string]any{}),
		"whatever the scheduler may read elsewhere": made("v1", "ConfigMap", queue("prod"), nil),
		"a pod that says it must not be evicted": podOf(map[string]any{"scheduling.volcano.sh/queue-name": "red",
			"volcano.sh/preemptable": "false"}, ""),
		"a pod that asks to be spared for a while": podOf(map[string]any{"scheduling.volcano.sh/queue-name": "red",
			"volcano.sh/cooldown-time": "9h"}, ""),
	}
	until := time.Now().Add(30 * time.Second) // a policy holds a moment after it was made
	for name, o := range denied {
		for {
			err := try(o)
			if (apierrors.IsForbidden(err) || apierrors.IsInvalid(err)) && strings.Contains(err.Error(), "this namespace m") {
				break
			}
			if time.Now().After(until) {
				t.Errorf("%s: got %v, want it denied by a policy", name, err)
				break
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	for name, o := range map[string]*unstructured.Unstructured{
		"a group in its own queue":     group("blue", ns),
		"a group in the default queue": group("default", ""),
		"a pod in the default queue":   podOf(nil, ""),
		"a pod in its own queue":       podOf(queue("red"), ns),
		"a pod that may be evicted": podOf(map[string]any{"scheduling.volcano.sh/queue-name": "red",
			"volcano.sh/preemptable": "true"}, ""),
		"an owner that says nothing":               deploymentOf(nil),
		"an owner of an older kind in its own":     replicationController(queue("red")),
		"an object without a word about any queue": made("v1", "ConfigMap", nil, nil),
		"an owner in its own queue":                deploymentOf(queue("red")),
	} {
		if err := try(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	whatWasThereStays(t, ns)
	may(t, ns, "tenant", rbacv1.PolicyRule{APIGroups: []string{"scheduling.volcano.sh"}, Resources: []string{"podgroups"},
		Verbs: []string{"create", "patch"}})
	tried(t, "what-phases-tenants-may-write.yaml", ns, "tenant")
}

// whatWasThereStays: a pod that came before the policy may still be changed in other things.
func whatWasThereStays(t *testing.T, ns string) {
	t.Helper()
	pods := shared.kube.CoreV1().Pods(ns)
	set := func(label string) {
		if _, err := shared.kube.CoreV1().Namespaces().Patch(t.Context(), ns, types.MergePatchType,
			[]byte(`{"metadata":{"labels":{"ashlar.sh/tenant":`+label+`}}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	old := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "old",
		Annotations: map[string]string{"volcano.sh/preemptable": "false"}},
		Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
	set("null")
	var refused, moved error // the API server takes a while to see the label
	eventually(t, "a pod to be made without the policy", func(ctx context.Context) (bool, error) {
		_, refused = pods.Create(ctx, old, metav1.CreateOptions{})
		return refused == nil, nil
	}, func() string { return fmt.Sprint(refused) })
	set(`"true"`)
	eventually(t, "a pod from before to be kept from another's queue", func(ctx context.Context) (bool, error) {
		_, moved = pods.Patch(ctx, "old", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":"prod"}}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return moved != nil && strings.Contains(moved.Error(), "this namespace m"), nil
	}, func() string { return fmt.Sprint(moved) })
	if _, err := pods.Patch(t.Context(), "old", types.MergePatchType, []byte(`{"metadata":{"labels":{"seen":"yes"}}}`),
		metav1.PatchOptions{}); err != nil {
		t.Errorf("a label on a pod from before: %v", err)
	}
}
