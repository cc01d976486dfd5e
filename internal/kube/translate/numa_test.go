package translate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	nodeinfov1alpha1 "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"

	"ashlar.sh/sched/model"
)

// report is what an exporter writes of a node of two sockets with two cores of two threads
// each: cpus 0 to 7, of which cpus i and i+4 share a core.
func report(allocatable, reserved string) *nodeinfov1alpha1.Numatopology {
	r := &nodeinfov1alpha1.Numatopology{
		ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "u"},
		Spec: nodeinfov1alpha1.NumatopoSpec{
			Policies: map[nodeinfov1alpha1.PolicyName]string{nodeinfov1alpha1.CPUManagerPolicy: "static",
				nodeinfov1alpha1.TopologyManagerPolicy: "single-numa-node"},
			NumaResMap:  map[string]nodeinfov1alpha1.ResourceInfo{"cpu": {Allocatable: allocatable, Capacity: 8}},
			ResReserved: map[string]string{},
			CPUDetail:   map[string]nodeinfov1alpha1.CPUInfo{},
		},
	}
	if reserved != "" {
		r.Spec.ResReserved["cpu"] = reserved
	}
	for i, id := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		core := i % 4
		r.Spec.CPUDetail[id] = nodeinfov1alpha1.CPUInfo{NUMANodeID: core / 2, SocketID: core / 2, CoreID: core}
	}
	return r
}

func TestNUMA(t *testing.T) {
	for _, c := range []struct {
		name                  string
		allocatable, reserved string
		nodes                 []model.NUMANode
	}{
		{"all free", "0-7", "", []model.NUMANode{{ID: 0, CPUs: 4, Usable: 4, Free: 4}, {ID: 1, CPUs: 4, Usable: 4, Free: 4}}},
		{"some given to containers", "0,2-4,6", "", []model.NUMANode{{ID: 0, CPUs: 4, Usable: 4, Free: 2},
			{ID: 1, CPUs: 4, Usable: 4, Free: 3}}},
		{"a core is reserved, whole cpus of it", "0-7", "1500m", []model.NUMANode{{ID: 0, CPUs: 4, Usable: 2, Free: 2},
			{ID: 1, CPUs: 4, Usable: 4, Free: 4}}},
		{"none free", "", "", []model.NUMANode{{ID: 0, CPUs: 4, Usable: 4}, {ID: 1, CPUs: 4, Usable: 4}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := &model.NUMA{Meta: model.Meta{Name: "n1", UID: "u"}, Static: true, Policy: model.NUMASingle, Nodes: c.nodes}
			if diff := cmp.Diff(want, NUMA(report(c.allocatable, c.reserved))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A report with an error is set aside, whatever else it has; an unknown policy is reported.
func TestABadReportIsSetAside(t *testing.T) {
	bad := func(change func(*nodeinfov1alpha1.NumatopoSpec)) *nodeinfov1alpha1.Numatopology {
		r := report("0-7", "")
		change(&r.Spec)
		return r
	}
	type spec = *nodeinfov1alpha1.NumatopoSpec
	for name, r := range map[string]*nodeinfov1alpha1.Numatopology{
		"spec.numares.cpu.allocatable": report("0-7,a", ""),
		"spec.resReserved.cpu":         report("0-7", "-1"),
		"spec.cpuDetail.x":             bad(func(s spec) { s.CPUDetail["x"] = nodeinfov1alpha1.CPUInfo{} }),
		"spec.cpuDetail.0":             bad(func(s spec) { s.CPUDetail["0"] = nodeinfov1alpha1.CPUInfo{NUMANodeID: -1} }),
	} {
		if f, aside := NUMA(r).SetAside(); !aside || f.Field != name {
			t.Errorf("%s: %v, set aside: %v", name, f, aside)
		}
	}
	if _, ok := cpuSet("0-4000000000"); ok {
		t.Error("a list of four thousand million cpus is read")
	}
	odd := NUMA(bad(func(s spec) { s.Policies[nodeinfov1alpha1.TopologyManagerPolicy] = "strict" }))
	if _, aside := odd.SetAside(); aside || odd.Policy != model.NUMANone || len(odd.Faults) != 1 {
		t.Errorf("a policy that does not exist is read as %s, with %v", odd.Policy, odd.Faults)
	}
}

// Only a pod of the quality Guaranteed asks anything of NUMA nodes: for its containers that
// ask for whole cpus, those beside them that go on running included.
func TestWhatAPodAsksOfNUMANodes(t *testing.T) {
	list := func(cpus string) corev1.ResourceList {
		return corev1.ResourceList{"cpu": quantity.MustParse(cpus), "memory": quantity.MustParse("1Gi")}
	}
	limited := func(cpus string) corev1.Container {
		return corev1.Container{Resources: corev1.ResourceRequirements{Limits: list(cpus)}}
	}
	always := corev1.ContainerRestartPolicyAlways
	beside := limited("1")
	beside.RestartPolicy = &always
	burst := limited("4")
	burst.Resources.Requests = list("2")
	for _, c := range []struct {
		name       string
		policy     string
		containers []corev1.Container
		init       []corev1.Container
		want       *model.NUMADemand
	}{
		{"whole cpus", "", []corev1.Container{limited("4"), limited("2000m")}, nil,
			&model.NUMADemand{Policy: model.NUMANone, Cores: []int32{2, 4}}},
		{"one with, one without", "restricted", []corev1.Container{limited("4"), limited("500m")}, nil,
			&model.NUMADemand{Policy: model.NUMARestricted, Cores: []int32{4}}},
		{"a container that goes before, one that stays", "", []corev1.Container{limited("2")},
			[]corev1.Container{limited("8"), beside}, &model.NUMADemand{Policy: model.NUMANone, Cores: []int32{1, 2}}},
		{"parts of cpus", "", []corev1.Container{limited("500m")}, nil, nil},
		{"less requested than the limit", "single-numa-node", []corev1.Container{burst}, nil, nil},
		{"no limits", "single-numa-node", []corev1.Container{{}}, nil, nil},
		{"a policy that does not exist", "strict", []corev1.Container{limited("1")}, nil,
			&model.NUMADemand{Policy: model.NUMANone, Cores: []int32{1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &corev1.Pod{Spec: corev1.PodSpec{Containers: c.containers, InitContainers: c.init}}
			if c.policy != "" {
				p.Annotations = map[string]string{"volcano.sh/numa-topology-policy": c.policy}
			}
			if diff := cmp.Diff(c.want, Pod(p, Options{}).Spec.NUMA); diff != "" {
				t.Error(diff)
			}
		})
	}
}
