package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// sharedCluster is a cluster in which every plan is carried out by the next cycle and every pod
// that is evicted comes back under a new name, as controllers have it.
type sharedCluster struct {
	t       *rapid.T
	e       *Engine
	version uint64
	births  int
	now     int64
	pods    map[ledger.Key]*model.Pod
}

func (c *sharedCluster) n(most int) int { return rapid.IntRange(0, most).Draw(c.t, "n") }

func (c *sharedCluster) tell(kind model.Kind, namespace, name, uid string, o model.Object) {
	c.version++
	c.e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: uid,
		Version: c.version, Object: o})
}

// townProfile draws a configuration with actions that evict.
func townProfile(t *rapid.T) policy.Profile {
	n := func(most int) int { return rapid.IntRange(0, most).Draw(t, "profile") }
	actions := [][]string{
		{"enqueue", "allocate", "backfill", "preempt"},
		{"enqueue", "allocate", "backfill", "reclaim"},
		{"enqueue", "allocate", "preempt", "reclaim", "backfill"},
		{"allocate", "reclaim", "preempt"},
		{"enqueue", "allocate", "gangpreempt", "gangreclaim"},
		{"enqueue", "allocate", "preempt", "reclaim", "gangpreempt", "gangreclaim", "backfill"},
	}[n(5)]
	gang := policy.Choice{Plugin: "gang"}
	if n(2) == 2 {
		gang.Off = []policy.Point{policy.PointJobStarving} // jobs above their minimum starve too
	}
	p := policy.Profile{Actions: actions, Tiers: [][]policy.Choice{{{Plugin: "priority"}, gang, {Plugin: "conformance"}}}}
	second := []policy.Choice{{Plugin: "predicates"}, {Plugin: "nodeorder"}}
	switch n(3) {
	case 1:
		second = append(second, policy.Choice{Plugin: "proportion"})
	case 2:
		second = append(second, policy.Choice{Plugin: "capacity"})
	case 3:
		second = append(second, policy.Choice{Plugin: "capacity", Hierarchy: true,
			Arguments: policy.Arguments{"ancestorReclaimLevel": []string{"0", "1"}[n(1)]}})
	}
	if n(2) == 2 {
		second = append(second, policy.Choice{Plugin: "drf", Hierarchy: n(1) == 1 && len(second) == 2})
	}
	p.Tiers = append(p.Tiers, second)
	if n(3) == 3 {
		p.Tiers[0], p.Tiers[1] = p.Tiers[1], p.Tiers[0]
	}
	return p
}

func roomOf(cpu, gpu int) resource.List {
	return resource.List{{Name: resource.CPUName, Value: int64(cpu) * 1000},
		{Name: "nvidia.com/gpu", Value: int64(gpu) * 1000},
		{Name: resource.PodsName, Value: 20}}
}

// found puts up nodes, priorities and queues.
func (c *sharedCluster) found() {
	for i := range 1 + c.n(3) {
		name := fmt.Sprintf("n%d", i)
		c.tell(model.KindNode, "", name, name, &model.Node{Meta: model.Meta{Name: name, UID: name},
			Allocatable: roomOf(2+c.n(6), c.n(4))})
	}
	for i, value := range []int32{0, 10, 100} {
		name := fmt.Sprintf("c%d", i)
		c.tell(model.KindPriorityClass, "", name, name,
			&model.PriorityClass{Meta: model.Meta{Name: name, UID: name}, Value: value})
	}
	for i := range 4 {
		name := fmt.Sprintf("q%d", i)
		q := &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: int32(1 + c.n(3)), Reclaimable: c.n(4) > 0,
			Priority: int32(c.n(1))}
		if c.n(2) > 0 {
			q.Deserved = roomOf(c.n(6), c.n(3))[:1+c.n(1)]
		}
		if c.n(2) == 2 {
			q.Guarantee = roomOf(c.n(2), c.n(1))[:2]
		}
		if i > 1 && c.n(1) == 1 {
			q.Parent = "q0"
		}
		c.tell(model.KindQueue, "", name, name, q)
	}
}

// arrive submits a job.
func (c *sharedCluster) arrive(i int) {
	name := fmt.Sprintf("j%d", i)
	size := 1 + c.n(3)
	c.tell(model.KindPodGroup, "ns", name, name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name, Created: c.now},
			Queue: fmt.Sprintf("q%d", c.n(3)), MinMember: int32(1 + c.n(size-1)), PriorityClass: fmt.Sprintf("c%d", c.n(2)),
			Phase: model.GroupPending})
	spec := &model.Spec{Requests: roomOf(1+c.n(3), c.n(2))}
	for range size {
		if c.n(3) == 3 {
			spec = &model.Spec{Requests: roomOf(1+c.n(3), c.n(2))}
		}
		c.birth(&model.Pod{Meta: model.Meta{Namespace: "ns"}, Ours: true, Group: name,
			Preemptable: c.n(7) > 0, HasPriority: true,
			Priority: int32(c.n(2)), Spec: spec})
	}
}

// raise changes the minimum of a job that may run: to one that it has had, or never will.
func (c *sharedCluster) raise(i int) {
	name := fmt.Sprintf("j%d", i)
	c.tell(model.KindPodGroup, "ns", name, name,
		&model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Queue: fmt.Sprintf("q%d", c.n(3)),
			MinMember: int32(1 + c.n(5)), PriorityClass: fmt.Sprintf("c%d", c.n(2)), Phase: model.GroupRunning})
}

// birth gives a pod a name of its own.
func (c *sharedCluster) birth(p *model.Pod) {
	c.births++
	p.Spec = &model.Spec{Requests: slices.Clone(p.Spec.Requests)}
	p.Spec.Requests[2].Value = 1
	p.Name = fmt.Sprintf("%s-%d", p.Group, c.births)
	p.UID, p.Created, p.Index = p.Name, c.now, int64(c.births)
	c.show(p)
}

func (c *sharedCluster) show(p *model.Pod) {
	c.pods[ledger.Key{Namespace: p.Namespace, Name: p.Name}] = p
	c.tell(model.KindPod, p.Namespace, p.Name, p.UID, p)
}

// cycle decides, carries the plan out, and returns the pods that were evicted.
func (c *sharedCluster) cycle() (evicted []Item) {
	plan, _, _ := c.e.Decide(c.now)
	for _, finding := range c.e.Audit() {
		c.t.Fatalf("audit: %s", finding)
	}
	c.now += second
	var kept []uint64 // evictions that are taken back before they are begun
	for _, i := range plan.Items {
		kept = append(kept, i.Evictions...)
	}
	for _, i := range plan.Items {
		if i.Kind == SetPhase || i.Kind == WithdrawEviction || slices.Contains(kept, i.ID) {
			continue
		}
		p := *c.pods[i.Pod]
		switch i.Kind {
		case BindPod:
			p.Node, p.Phase, p.Started, p.Nominated = i.Node, model.PodRunning, c.now, ""
			c.show(&p)
		case OpenGate:
			p.Gated, p.QueueGate = false, model.QueueGateOpen
			c.show(&p)
		case NominatePod:
			p.Nominated = i.Node
			c.show(&p)
		case EvictPod:
			evicted = append(evicted, i)
			delete(c.pods, i.Pod)
			c.tell(model.KindPod, i.Pod.Namespace, i.Pod.Name, p.UID, nil)
			p.Node, p.Phase, p.Started, p.Nominated = "", model.PodPending, 0, ""
			c.birth(&p)
		}
	}
	return evicted
}

// TestEvictionsStopWhenArrivalsDo: no state can be reached in which jobs take each other's
// room in turn. Jobs come for some cycles; every evicted pod comes back at once and wants
// its room again; after that no pod may be evicted any more.
func TestEvictionsStopWhenArrivalsDo(t *testing.T) {
	evicted := 0
	defer func() {
		if evicted == 0 {
			t.Error("no pod was ever evicted: this shows nothing")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		e, err := New(townProfile(t))
		if err != nil {
			t.Fatal(err)
		}
		c := &sharedCluster{t: t, e: e, now: 1000 * second, pods: map[ledger.Key]*model.Pod{}}
		c.found()
		jobs := 0
		for range 1 + c.n(6) {
			for range c.n(3) {
				c.arrive(jobs)
				jobs++
			}
			if jobs > 0 && c.n(3) == 0 {
				c.raise(c.n(jobs - 1))
			}
			evicted += len(c.cycle())
		}
		// No pod can be evicted more often than there are pods above its own and queues beside
		// its own; far more cycles than that are given.
		for range 60 {
			c.cycle()
		}
		for range 20 {
			if out := c.cycle(); len(out) > 0 {
				w := out[0].Record
				t.Fatalf("long after the last job came %s is evicted for %s by %s (%+v)", w.Task, w.Preemptor, w.Action, *w)
			}
		}
	})
}
