package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// manyNominated is a gang with n nominated members, of which the victims take long to leave, and n more members. There
// is free room for all but two of those, and for one of the nominated members. It returns how often figures of queues
// changed while the gang tried that room.
func manyNominated(t *testing.T, n int) uint64 {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		Capability: resource.List{{Name: resource.CPUName, Value: int64(n) * 100_000}}})
	zone := model.Label{Key: "zone", Value: "a"}
	inZone := func(p *model.Pod) {
		p.Spec.Affinity = []model.Term{{All: []model.Requirement{{Key: "zone", Op: model.Exists}}}}
	}
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: int32(n), PriorityClass: "high", Phase: model.GroupInqueue})
	for i := range n {
		s.node(fmt.Sprintf("n%d", i), 2, zone)
		s.pod(fmt.Sprintf("old-%d", i), running(fmt.Sprintf("n%d", i)), slowly)
		s.pod(fmt.Sprintf("gang-%d", i), member("gang"), priority(10), inZone)
	}
	plan, _, _ := s.e.Decide(1 * second)
	for _, i := range plan.Items {
		switch i.Kind {
		case NominatePod:
			s.pod(i.Pod.Name, member("gang"), priority(10), inZone, nominated(i.Node))
		case EvictPod:
			s.pod(i.Pod.Name, running(i.Node), slowly, terminating)
		}
	}
	for i := range n {
		s.pod(fmt.Sprintf("more-%d", i), member("gang"), priority(10))
	}
	for name, cores := range map[string]int64{"c": 2 * int64(n-2), "d": 2} {
		var labels []model.Label
		if name == "d" {
			labels = []model.Label{zone}
		}
		s.tell(model.KindNode, "", name, &model.Node{Meta: model.Meta{Name: name, UID: name}, Labels: labels,
			Allocatable: cpu(cores, 100_000)})
	}
	from := s.e.Ledger().Changes.UsageEpoch()
	s.e.Decide(2 * second)
	return s.e.Ledger().Changes.UsageEpoch() - from
}

// What a gang costs that tries free room grows with its members, not with their square.
func TestTryingFreeRoomForManyNominatedMembersCostsWhatTheyAre(t *testing.T) {
	few, many := manyNominated(t, 50), manyNominated(t, 200)
	if few == 0 || many > 6*few {
		t.Errorf("with 4 times the members figures changed %d times, not %d times", many, few)
	}
}
