package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// gangCluster is a cluster in which jobs come and end: every plan is carried out at once, and a pod that
// runs ends when its time is over.
type gangCluster struct {
	t       rapid.TB
	e       *Engine
	version uint64
	now     int64
	pods    map[string]*model.Pod
	groups  map[string]*model.PodGroup
	lasts   map[string]int64 // how long a pod of a job runs
	ends    map[string]int64 // when a pod that runs ends
}

// gangProfile is Volcano's default configuration, which packs nodes, or one that spreads pods.
func gangProfile(packs bool) policy.Profile {
	second := []policy.Choice{{Plugin: "overcommit"}, {Plugin: "drf"}, {Plugin: "predicates"}, {Plugin: "proportion"},
		{Plugin: "nodeorder"}}
	if packs {
		second = append(second, policy.Choice{Plugin: "binpack"})
	}
	return policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
		second,
	}}
}

func newGangCluster(t rapid.TB, packs bool, nodes, cpu int) *gangCluster {
	e, err := New(gangProfile(packs))
	if err != nil {
		t.Fatal(err)
	}
	s := &gangCluster{t: t, e: e, now: 1000 * second, pods: map[string]*model.Pod{}, groups: map[string]*model.PodGroup{},
		lasts: map[string]int64{}, ends: map[string]int64{}}
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		s.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name},
			Allocatable: amountsOf(cpu, 16, 20)})
	}
	s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1})
	return s
}

func amountsOf(cpu, gib, pods int) resource.List {
	return resource.List{{Name: resource.CPUName, Value: int64(cpu) * 1000},
		{Name: resource.MemoryName, Value: int64(gib) << 30},
		{Name: resource.PodsName, Value: int64(pods)}}
}

func (s *gangCluster) tell(kind model.Kind, namespace, name string, o model.Object) {
	s.version++
	s.e.Apply(model.Fact{Ref: model.Ref{Kind: kind, Namespace: namespace, Name: name}, UID: name,
		Version: s.version, Object: o})
}

// submit adds a gang of which each pod runs for some seconds.
func (s *gangCluster) submit(name string, pods, cpu int, lasts int64) {
	s.lasts[name] = lasts * second
	s.group(&model.PodGroup{Meta: model.Meta{Namespace: "d", Name: name, UID: name, Created: s.now}, Queue: "q",
		MinMember: int32(pods), HasMin: true, MinResources: roomOf(pods*cpu, 0)[:1], Phase: model.GroupPending})
	for i := range pods {
		s.show(&model.Pod{Meta: model.Meta{Namespace: "d", Name: fmt.Sprintf("%s-%d", name, i),
			UID: fmt.Sprintf("%s-%d", name, i), Created: s.now},
			Ours: true, Group: name, Phase: model.PodPending, Index: int64(i),
			Spec: &model.Spec{Requests: amountsOf(cpu, 1, 1)}})
	}
}

// standing has a job of one pod run on a node already.
func (s *gangCluster) standing(name, node string, cpu int, lasts int64) {
	s.submit(name, 1, cpu, lasts)
	p := *s.pods[name+"-0"]
	p.Node, p.Phase, p.Started = node, model.PodRunning, s.now
	s.ends[p.Name] = s.now + s.lasts[name]
	s.show(&p)
}

func (s *gangCluster) group(g *model.PodGroup) {
	s.groups[g.Name] = g
	s.tell(model.KindPodGroup, "d", g.Name, g)
}

func (s *gangCluster) show(p *model.Pod) {
	s.pods[p.Name] = p
	s.tell(model.KindPod, "d", p.Name, p)
}

// cycle ends what is over, decides, carries the plan out and goes on by a second.
func (s *gangCluster) cycle() {
	s.end()
	plan, _, _ := s.e.Decide(s.now)
	for _, finding := range s.e.Audit() {
		s.t.Fatalf("audit: %s", finding)
	}
	for _, i := range plan.Items {
		if i.Kind == SetPhase {
			g := *s.groups[i.Group.Name]
			g.Phase = i.Phase
			s.group(&g)
		}
		if i.Kind != BindPod {
			continue
		}
		p := *s.pods[i.Pod.Name]
		p.Node, p.Phase, p.Started = i.Node, model.PodRunning, s.now
		s.ends[p.Name] = s.now + s.lasts[p.Group]
		s.show(&p)
	}
	s.now += second
}

// end shows which pods have ended.
func (s *gangCluster) end() {
	for _, name := range s.over() {
		delete(s.ends, name)
		p := *s.pods[name]
		p.Phase = model.PodSucceeded
		s.show(&p)
	}
}

func (s *gangCluster) over() (out []string) {
	for name, end := range s.ends {
		if end <= s.now {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// withinQuota fails the test where the jobs that are let in and have not started ask for more
// than their queue may ever hold.
func (s *gangCluster) withinQuota(cpus int) {
	for _, q := range s.e.Report().Queues {
		if kept := amount(q.Inqueue, resource.CPUName); q.Name == "q" && kept > int64(cpus)*1000 {
			s.t.Fatalf("at %ds jobs are let in for %d milli CPUs of %d CPUs", s.now/second, kept, cpus)
		}
	}
}

// letIn says that a job has passed its queue's gate.
func (s *gangCluster) letIn(name string) bool {
	return slices.ContainsFunc(s.e.Report().Jobs, func(j JobReport) bool {
		return j.Name == name && j.Phase == model.GroupInqueue
	})
}

// TestAGangIsNotPassedForHours: a gang of three nodes out of four comes while two small jobs run,
// and small jobs come for four hours, each of which would keep one of its nodes. It starts within
// two of their lengths.
func TestAGangIsNotPassedForHours(t *testing.T) {
	s := newGangCluster(t, true, 4, 4)
	began := s.now
	s.standing("a", "n0", 1, 100)
	s.standing("b", "n1", 1, 100)
	for i := range 4 * 3600 {
		switch {
		case i == 5:
			s.submit("big", 3, 4, 100)
		case i > 5 && i%9 == 0:
			s.submit(fmt.Sprintf("s%05d", i), 1, 1, 100)
		}
		s.cycle()
		s.withinQuota(16)
		if s.ends["big-0"] > 0 {
			if waited := (s.now-began)/second - 6; waited > 200 {
				t.Errorf("it starts after %d s, twice the length of a job is 200 s", waited)
			}
			return
		}
	}
	t.Error("it has not started after four hours")
}

// TestNoGangIsPassedForLonger is the same of random clusters, gangs and jobs: once it is let in the
// first gang of the queue starts within two lengths of the longest job.
func TestNoGangIsPassedForLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		nodes, cpu, longest := n(2, 5), n(2, 4), int64(n(10, 40))
		s := newGangCluster(t, n(0, 1) == 1, nodes, cpu)
		for i := range nodes {
			if n(0, 1) == 1 {
				s.standing(fmt.Sprintf("a%d", i), fmt.Sprintf("n%d", i), 1, int64(n(1, int(longest))))
			}
		}
		per := n(max(1, cpu-1), cpu)
		members := n(1, nodes*(cpu/per))
		comes, every, admitted := n(0, 40), n(1, 6), -1
		for i := range 400 {
			if i == comes {
				s.submit("big", members, per, longest)
			}
			if admitted < 0 && s.letIn("big") {
				admitted = i
			}
			if i%every == 0 {
				size := n(1, 2)
				s.submit(fmt.Sprintf("s%05d", i), size, n(1, cpu), int64(n(1, int(longest))))
			}
			s.cycle()
			s.withinQuota(nodes * cpu)
			if s.ends["big-0"] > 0 {
				return
			}
			if waited := int64(i - admitted); admitted >= 0 && waited > 2*longest+2 {
				t.Fatalf("a gang of %d x %d on %d nodes of %d waits for %d s, the longest job takes %d s: %+v",
					members, per, nodes, cpu, waited, longest, s.e.Report().Jobs[0].Reason)
			}
		}
	})
}
