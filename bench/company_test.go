package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

const zoneKey = "topology.kubernetes.io/zone"

// company is the affinity of a gang's members to each other, selected by a label.
type company func(c model.PodSelector) *model.Neighbours

var companies = []struct {
	name string
	of   company
}{
	{"apart-by-host", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{Apart: []model.Near{{Key: model.HostnameKey, Pods: c}}}
	}},
	{"spread-by-zone", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{Spread: []model.Spread{{Key: zoneKey, Pods: c, MaxSkew: 1}}}
	}},
	{"together-in-zone", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{With: []model.Near{{Key: zoneKey, Pods: c}}}
	}},
	{"better-apart-by-zone", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{Prefer: []model.Near{{Key: zoneKey, Pods: c, Weight: -100}}}
	}},
	{"better-apart-by-host", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{Prefer: []model.Near{{Key: model.HostnameKey, Pods: c, Weight: -100}}}
	}},
	{"better-spread-by-host", func(c model.PodSelector) *model.Neighbours {
		return &model.Neighbours{Spread: []model.Spread{{Key: model.HostnameKey, Pods: c, MaxSkew: 1, Soft: true}}}
	}},
}

// BenchmarkCompany places gangs with affinity between their members, on a cluster of
// 5000 nodes on which ten pods each run of jobs that ask the same. Every gang has a label
// of its own, which no earlier gang had.
func BenchmarkCompany(b *testing.B) {
	for _, c := range companies {
		b.Run(fmt.Sprintf("%s/gangs=10x100/nodes=5000/running=50000", c.name), func(b *testing.B) {
			newWorld(b, 5000).placeCompany(b, c.of)
		})
	}
}

// BenchmarkReplicas places pods of ReplicaSets, which are spread over hosts and zones by default, on a cluster of
// 5000 nodes on which as many pods of the same ReplicaSets run as come.
func BenchmarkReplicas(b *testing.B) {
	const sets, replicas = 10, 100
	w := newWorld(b, 5000)
	pod := func(state, node string, set, i int) {
		name, job := fmt.Sprintf("%s-%d-%d", state, set, i), fmt.Sprintf("%s-%d", state, set)
		p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Group: job, Index: int64(i),
			Node: node, Spec: small,
			OwnerID: fmt.Sprintf("ReplicaSet.apps/u%d", set)}
		if node != "" {
			p.Phase = model.PodRunning
		}
		w.put(model.KindPod, "bench", name, p)
	}
	group := func(state string, set int, phase model.GroupPhase) {
		name := fmt.Sprintf("%s-%d", state, set)
		w.put(model.KindPodGroup, "bench", name, &model.PodGroup{Meta: model.Meta{Namespace: "bench", Name: name, UID: name},
			MinMember: replicas, Phase: phase})
	}
	for s := range sets {
		group("runs", s, model.GroupRunning)
		for i := range replicas {
			pod("runs", host((s*replicas+i)%w.nodes), s, i)
		}
	}
	w.cycle()
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	var clock stopwatch
	for range b.N {
		for s := range sets {
			group("comes", s, model.GroupInqueue)
			for i := range replicas {
				pod("comes", "", s, i)
			}
		}
		clock.start(b)
		bound := w.cycle()
		clock.stop(b)
		if bound != sets*replicas {
			b.Fatalf("bound %d pods of %d", bound, sets*replicas)
		}
		for s := range sets {
			w.clear(fmt.Sprintf("comes-%d", s), replicas)
		}
		w.cycle()
	}
	clock.perPod(b, sets*replicas)
}

func (w *world) placeCompany(b *testing.B, of company) {
	const running, members = 2500, 20 // jobs
	for j := range running {
		name := fmt.Sprintf("runs-%d", j)
		spec, labels := accompanied(name, of)
		for i := range members {
			w.member(name, i, host((j*members+i)%w.nodes), spec, labels)
		}
		w.put(model.KindPodGroup, "bench", name, &model.PodGroup{
			Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, MinMember: members, Phase: model.GroupRunning})
	}
	w.cycle()
	w.cycle()
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	var clock stopwatch
	const gangs, size = 10, 100
	for round := range b.N {
		for g := range gangs {
			name := fmt.Sprintf("gang-%d-%d", round, g)
			w.put(model.KindPodGroup, "bench", name, &model.PodGroup{
				Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, MinMember: size, Phase: model.GroupInqueue})
			spec, labels := accompanied(name, of)
			for i := range size {
				w.member(name, i, "", spec, labels)
			}
		}
		clock.start(b)
		bound := w.cycle()
		clock.stop(b)
		if bound != gangs*size {
			b.Fatalf("bound %d pods of %d", bound, gangs*size)
		}
		for g := range gangs {
			w.clear(fmt.Sprintf("gang-%d-%d", round, g), size)
		}
		w.cycle()
	}
	clock.perPod(b, gangs*size)
}

// accompanied is the template of a job's members.
func accompanied(job string, of company) (*model.Spec, []model.Label) {
	c := model.PodSelector{Namespaces: []string{"bench"}, Selector: []model.Requirement{{Key: "job", Op: model.In,
		Values: []string{job}}}}
	return &model.Spec{Neighbours: of(c), Requests: resource.List{{Name: "cpu", Value: 1000},
			{Name: "memory", Value: 2 << 30}, {Name: "pods", Value: 1}}},
		[]model.Label{{Key: "job", Value: job}, {Key: "role", Value: "worker"}}
}

func (w *world) member(job string, i int, node string, spec *model.Spec, labels []model.Label) {
	name := fmt.Sprintf("%s-%d", job, i)
	p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Group: job,
		Index: int64(i), Node: node, Spec: spec, Preemptable: true, Labels: labels}
	if node != "" {
		p.Phase = model.PodRunning
	}
	w.put(model.KindPod, "bench", name, p)
}
