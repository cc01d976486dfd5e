package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// A member that takes free room in place of one with a nomination does not take what the queue may hold from that one.
func TestANominationCountsInTheQueueWhileOthersTakeFreeRoom(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		Capability: resource.List{{Name: resource.CPUName, Value: 4000}}})
	zone := model.Label{Key: "zone", Value: "b"}
	onB := func(p *model.Pod) {
		p.Spec.Affinity = []model.Term{{All: []model.Requirement{{Key: "zone", Op: model.Exists}}}}
	}
	s.node("a", 2)
	s.node("b", 2, zone)
	s.pod("old-a", running("a"), slowly)
	s.pod("old-b", running("b"), slowly)
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, PriorityClass: "high", Phase: model.GroupInqueue})
	s.pod("gang-0", member("gang"), priority(10))
	s.pod("gang-1", member("gang"), priority(10), onB)
	s.decides(1, "evict old-a a", "nominate gang-0 a", "evict old-b b", "nominate gang-1 b")
	for _, n := range []string{"a", "b"} {
		s.pod("old-"+n, running(n), slowly, terminating)
	}
	s.pod("gang-0", member("gang"), priority(10), nominated("a"))
	s.pod("gang-1", member("gang"), priority(10), onB, nominated("b"))
	s.pod("gang-2", member("gang"), priority(10))
	s.node("c", 4)
	s.decides(2)
	s.gone("old-b")
	s.decides(3, "bind gang-0 c", "bind gang-1 b")
	s.pod("gang-0", member("gang"), priority(10), running("c"))
	s.pod("gang-1", member("gang"), priority(10), onB, running("b"))
	s.gone("old-a")
	s.decides(4)
}
