package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	"volcano.sh/apis/pkg/client/clientset/versioned"

	"ashlar.sh/internal/loop"
)

// A pod that needs all of a NUMA node waits while no report says where those before it lie,
// and is bound when one does.
func TestLiveNUMAWaitsForTheNextReport(t *testing.T) {
	ns := namespace(t)
	node(t, ns, "8")
	client, err := versioned.NewForConfig(shared.Config)
	if err != nil {
		t.Fatal(err)
	}
	reports := client.NodeinfoV1alpha1().Numatopologies()
	report := &nodeinfov1alpha1.Numatopology{ObjectMeta: metav1.ObjectMeta{Name: ns}, Spec: nodeinfov1alpha1.NumatopoSpec{
		Policies: map[nodeinfov1alpha1.PolicyName]string{nodeinfov1alpha1.CPUManagerPolicy: "static",
			nodeinfov1alpha1.TopologyManagerPolicy: "single-numa-node"},
		NumaResMap: map[string]nodeinfov1alpha1.ResourceInfo{"cpu": {Allocatable: "0-7", Capacity: 8}},
		CPUDetail:  map[string]nodeinfov1alpha1.CPUInfo{},
	}}
	for i, id := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		report.Spec.CPUDetail[id] = nodeinfov1alpha1.CPUInfo{NUMANodeID: i / 4, CoreID: i}
	}
	if report, err = reports.Create(t.Context(), report, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reports.Delete(context.Background(), ns, metav1.DeleteOptions{}) })

	conf := filepath.Join(t.TempDir(), "volcano-scheduler.conf")
	if err := os.WriteFile(conf, []byte(
		"actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: numa-aware\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	live(t, ns, func(o *loop.Options) { o.ConfigFile = conf })
	guaranteed := func(name, cpu string) *corev1.Pod {
		p := pod(ns, name)
		p.Spec.SchedulerName = ns
		p.Annotations = map[string]string{"volcano.sh/numa-topology-policy": "single-numa-node"}
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Limits: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi")}}
		return p
	}
	create(t, guaranteed("a", "2"))
	create(t, guaranteed("b", "2"))
	awaitRunning(t, ns, "a", 1)
	awaitRunning(t, ns, "b", 1)
	create(t, guaranteed("whole", "4"))
	eventually(t, "the third pod to say that it waits", func(ctxless) (bool, error) {
		return unschedulable(*get(t, ns, "whole")), nil
	},
		func() string { return get(t, ns, "whole").Spec.NodeName })

	report.Spec.NumaResMap["cpu"] = nodeinfov1alpha1.ResourceInfo{Allocatable: "4-7", Capacity: 8}
	if _, err := reports.Update(t.Context(), report, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, ns, "whole", 1)
}
