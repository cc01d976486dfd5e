package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A gang is spread over two zones, and a pod that keeps away from it in one zone and must be
// with it in the other waits, and names the pod that it waits for.
func TestLivePodsAmongPods(t *testing.T) {
	ns := namespace(t)
	zone := "zone-" + ns
	for name, value := range map[string]string{"a": "east", "b": "west"} {
		node(t, ns+"-"+name, "8")
		patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, zone, value)
		if _, err := shared.kube.CoreV1().Nodes().Patch(t.Context(), ns+"-"+name, types.MergePatchType, []byte(patch),
			metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	queue(t, ns)
	live(t, ns)
	crowd := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "front"}}
	amongPods(t, ns, "front", 4, func(p *corev1.Pod) {
		p.Labels["app"] = "front"
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{TopologyKey: zone, MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: crowd}}
	})
	awaitRunning(t, ns, "front", 4)
	on := map[string]int{}
	for _, p := range list(t, ns, "front") {
		on[p.Spec.NodeName]++
	}
	if on[ns+"-a"] != 2 || on[ns+"-b"] != 2 {
		t.Errorf("the gang is spread as %v, want two and two", on)
	}

	amongPods(t, ns, "aloof", 1, func(p *corev1.Pod) {
		term := corev1.PodAffinityTerm{TopologyKey: zone, LabelSelector: crowd, NamespaceSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{"kubernetes.io/metadata.name": ns}}}
		p.Spec.Affinity = &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}},
			PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}}
	})
	amongPods(t, ns, "beside", 1, func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{TopologyKey: zone, LabelSelector: crowd}}}}
	})
	awaitRunning(t, ns, "beside", 1)
	if n := bound(list(t, ns, "aloof")); n != 0 {
		t.Errorf("%d pods are bound that contradict themselves, want none", n)
	}
}

// amongPods makes a gang with members that have affinity to other pods.
func amongPods(t *testing.T, ns, name string, members int, ask func(*corev1.Pod)) {
	t.Helper()
	group := object("PodGroup", name, map[string]any{"minMember": int64(members), "queue": ns})
	if _, err := shared.dynamic.Resource(podGroupResource).Namespace(ns).Create(context.Background(), group,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range members {
		p := member(ns, name, i, "1")
		p.Spec.SchedulerName = ns
		if p.Labels == nil {
			p.Labels = map[string]string{}
		}
		ask(p)
		create(t, p)
	}
}
