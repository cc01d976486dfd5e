package sched_test

import (
	"fmt"

	"pgregory.net/rapid"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// full deals out a cluster that has run jobs for a while and has more that wait: racks of nodes, some tainted; a tree
// of queues with limits; gangs with and without sub-groups, gates, selectors and priorities.
type full struct {
	t       *rapid.T
	e       *sched.Engine
	version uint64
	jobs    int
}

func (w *full) n(most int) int { return rapid.IntRange(0, most).Draw(w.t, "n") }

func (w *full) rarely() bool { return w.n(5) == 5 }

func (w *full) tell(k model.Kind, namespace, name string, o model.Object) {
	w.version++
	m := o.Common()
	m.Namespace, m.Name, m.UID = namespace, name, "uid-"+name
	w.e.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: namespace, Name: name}, UID: m.UID, Version: w.version,
		Object: o})
}

func fullCluster(t *rapid.T) (*sched.Engine, int64) {
	w := &full{t: t}
	sharing := []policy.Choice{{Plugin: "capacity", Hierarchy: true}, {Plugin: "capacity"}, {Plugin: "proportion"}}[w.n(2)]
	actions := [][]string{{"enqueue", "allocate", "backfill"}, {"enqueue", "allocate", "preempt", "reclaim"},
		{"enqueue", "allocate", "gangpreempt", "gangreclaim"}}[w.n(2)]
	var err error
	w.e, err = sched.New(policy.Profile{Actions: actions, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		{{Plugin: "predicates"}, sharing, {Plugin: "nodeorder"}, {Plugin: "network-topology-aware"},
			{Plugin: "overcommit"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"low", "high"} {
		w.tell(model.KindPriorityClass, "", name, &model.PriorityClass{Value: int32(10 * (i + 1))})
	}
	w.cluster()
	w.queues(sharing.Hierarchy)
	now := int64(100e9)
	for range 3 + w.n(4) {
		w.job()
	}
	plan, _, _ := w.e.Decide(now)
	w.run(plan, now)
	for range 1 + w.n(3) {
		w.job()
	}
	w.e.Decide(now + 1e9)
	return w.e, now + 1e9
}

func (w *full) cluster() {
	for rack := range 1 + w.n(2) {
		h := &model.HyperNode{Tier: 1}
		for i := range 1 + w.n(2) {
			name := fmt.Sprintf("n%d-%d", rack, i)
			n := &model.Node{Labels: []model.Label{{Key: "kubernetes.io/hostname", Value: name},
				{Key: "zone", Value: fmt.Sprint("z", rack)}}, Allocatable: resource.List{{Name: "cpu", Value: 8000},
				{Name: "gpu", Value: 4000}, {Name: "pods", Value: 10}}}
			if w.rarely() {
				n.Taints = []model.Taint{{Key: "dedicated", Value: "gpu", Effect: model.NoSchedule}}
			}
			w.tell(model.KindNode, "", name, n)
			h.Members = append(h.Members, model.Member{Node: true, Name: name})
		}
		w.tell(model.KindHyperNode, "", fmt.Sprint("rack", rack), h)
	}
}

func (w *full) queues(tree bool) {
	amounts := func() resource.List {
		if w.rarely() {
			return nil
		}
		return resource.List{{Name: "cpu", Value: int64(2+w.n(12)) * 1000}, {Name: "gpu", Value: int64(1+w.n(7)) * 1000}}
	}
	for i, name := range []string{"team", "a", "b"} {
		q := &model.Queue{Weight: int32(1 + w.n(2)), Reclaimable: true, Capability: amounts(), Deserved: amounts()}
		q.FIFO = w.n(1) == 1
		if i > 0 && tree {
			q.Parent = "team"
		}
		if w.rarely() && i > 0 {
			q.State = model.QueueClosed
		}
		w.tell(model.KindQueue, "", name, q)
	}
}

// job submits a gang, of which a template is drawn.
func (w *full) job() {
	w.jobs++
	name := fmt.Sprint("job", w.jobs)
	pods := 1 + w.n(3)
	g := &model.PodGroup{Queue: []string{"a", "b"}[w.n(1)], MinMember: int32(1 + w.n(pods-1)),
		PriorityClass: []string{"", "low", "high"}[w.n(2)]}
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: int64(1+w.n(5)) * 1000},
		{Name: "gpu", Value: int64(w.n(3)) * 1000}, {Name: "pods", Value: 1}}}
	switch w.n(8) {
	case 0:
		g.HasMin, g.MinResources = true, resource.List{{Name: "cpu", Value: spec.Requests[0].Value * int64(g.MinMember)}}
	case 1:
		g.Topology = &model.Topology{Hard: true, Highest: 1}
	case 2:
		spec.Selector = []model.Label{{Key: "zone", Value: "z0"}}
	case 3:
		g.SubGroups = []model.SubGroups{{Name: "s", Size: 1, Keys: []string{"index"}, Min: g.MinMember}}
	case 4:
		spec.Ports = []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 80}}
	}
	gated, ours := w.n(9) == 9, w.n(9) < 9
	w.tell(model.KindPodGroup, "ns", name, g)
	for i := range pods {
		pod := fmt.Sprintf("%s-%d", name, i)
		w.tell(model.KindPod, "ns", pod, &model.Pod{Ours: ours, Scheduler: "volcano", Group: name, Index: int64(i),
			Spec: spec, Preemptable: true, Gated: gated, PriorityClass: g.PriorityClass,
			Labels: []model.Label{{Key: "index", Value: fmt.Sprint(i)}}})
	}
}

// run shows a plan carried out.
func (w *full) run(plan sched.Plan, now int64) {
	for _, i := range append([]sched.Item(nil), plan.Items...) {
		switch i.Kind {
		case sched.BindPod:
			f, _ := w.e.Ledger().Fact(model.Ref{Kind: model.KindPod, Namespace: i.Pod.Namespace, Name: i.Pod.Name})
			p := *f.Object.(*model.Pod)
			p.Node, p.Phase, p.Started = i.Node, model.PodRunning, now
			w.tell(model.KindPod, p.Namespace, p.Name, &p)
		case sched.SetPhase:
			f, _ := w.e.Ledger().Fact(model.Ref{Kind: model.KindPodGroup, Namespace: i.Group.Namespace,
				Name: i.Group.Name})
			g := *f.Object.(*model.PodGroup)
			g.Phase = i.Phase
			w.tell(model.KindPodGroup, g.Namespace, g.Name, &g)
		}
	}
}
