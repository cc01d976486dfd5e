package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	schedulingv1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

func amountsOf(kv ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(kv); i += 2 {
		out[corev1.ResourceName(kv[i])] = resource.MustParse(kv[i+1])
	}
	return out
}

// A pod that the API server accepts and no scheduler can place still holds its requests on the node where it runs.
func TestLiveWhatRunsHoldsItsRoom(t *testing.T) {
	for name, spoil := range map[string]func(*corev1.PodSpec){
		"a term of a node affinity that is no number": func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{
				NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
					NodeSelectorTerms: []corev1.NodeSelectorTerm{
						{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "gone", Operator: corev1.NodeSelectorOpDoesNotExist}}},
						{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "gen", Operator: corev1.NodeSelectorOpGt,
							Values: []string{"v5"}}}}}}}}
		},
		"200 preferences": func(s *corev1.PodSpec) {
			a := &corev1.PodAntiAffinity{}
			for i := range 200 {
				a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
					corev1.WeightedPodAffinityTerm{Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "zone",
						LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint("a", i)}}}})
			}
			s.Affinity = &corev1.Affinity{PodAntiAffinity: a}
		},
		"a limit of the pod as a whole that no node has": func(s *corev1.PodSpec) {
			s.Resources = &corev1.ResourceRequirements{Requests: amountsOf("cpu", "4", "memory", "1Gi"),
				Limits: amountsOf("cpu", "4", "memory", "1Pi")}
			s.Containers[0].Resources = corev1.ResourceRequirements{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			weighted(t, ns, 1)
			node(t, ns+"-a", "4")
			p := pod(ns, "big")
			p.Spec.NodeName = ns + "-a"
			p.Spec.Containers[0].Resources.Requests = amountsOf("cpu", "4")
			spoil(&p.Spec)
			create(t, p)
			live(t, ns)
			submit(t, ns, ns, "next", 1, 1, "4")
			awaitCondition(t, ns, "next", schedulingv1beta1.PodGroupUnschedulableType)
			if n := bound(list(t, ns, "next")); n > 0 {
				t.Errorf("a node of 4 cores of which 4 are held got a pod of 4")
			}
		})
	}
}

// A queue may hold 2 cores. Its tenant runs a gang of 2, does away with what says so, and asks for more.
func TestLiveAQueueHoldsWhatItsTenantHides(t *testing.T) {
	for name, hide := range map[string]func(t *testing.T, ns string) error{
		"the PodGroup is edited to nonsense": func(t *testing.T, ns string) error {
			return patched(t, podGroupResource, ns, "first", `{"spec":{"minResources":{"cpu":"-1"}}}`)
		},
		"the PodGroup is deleted": func(t *testing.T, ns string) error {
			return shared.dynamic.Resource(podGroupResource).Namespace(ns).Delete(t.Context(), "first", metav1.DeleteOptions{})
		},
		"the PodGroup names another queue": func(t *testing.T, ns string) error {
			return patched(t, podGroupResource, ns, "first", `{"spec":{"queue":"default"}}`)
		},
		"the pods name no PodGroup": func(t *testing.T, ns string) error {
			for _, p := range list(t, ns, "first") {
				if _, err := shared.kube.CoreV1().Pods(ns).Patch(t.Context(), p.Name, types.MergePatchType,
					[]byte(`{"metadata":{"annotations":{"scheduling.k8s.io/group-name":null}}}`), metav1.PatchOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t)
			node(t, ns+"-a", "16")
			q := object("Queue", ns, map[string]any{"weight": int64(1), "capability": map[string]any{"cpu": "2"}})
			if _, err := shared.dynamic.Resource(queueResource).Create(t.Context(), q, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				// it may be gone
				_ = shared.dynamic.Resource(queueResource).Delete(context.Background(), ns, metav1.DeleteOptions{})
			})
			live(t, ns)
			submit(t, ns, ns, "first", 2, 2, "1")
			awaitRunning(t, ns, "first", 2)
			if err := hide(t, ns); err != nil {
				t.Fatal(err)
			}
			submit(t, ns, ns, "second", 2, 2, "1")
			awaitCondition(t, ns, "second", schedulingv1beta1.PodGroupUnschedulableType)
			if n := bound(list(t, ns, "second")); n > 0 {
				t.Errorf("a queue that may hold 2 cores holds %d", 2+n)
			}
		})
	}
}

func patched(t *testing.T, kind schema.GroupVersionResource, ns, name, patch string) error {
	_, err := shared.dynamic.Resource(kind).Namespace(ns).Patch(t.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	return err
}
