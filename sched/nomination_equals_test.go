package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Two gangs of one queue and priority want the room of a gang that is being evicted, and it is enough for one of them.
// While the victims end, neither takes the nominations of the other by its smaller share: a gang that gave some of
// them up could not start with the rest, and the two would take them from each other in every cycle.
func TestEqualGangsLeaveEachOtherTheirNominations(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{
		Actions: []string{"enqueue", "allocate", "backfill", "reclaim", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "conformance"}},
			{{Plugin: "drf"}, {Plugin: "predicates"}, {Plugin: "capacity"}}}})}
	s.node("n1", 8)
	s.node("n2", 4)
	s.queue("default")
	for name, deserved := range map[string]resource.List{"red": cpu(8, 0), "blue": nil} {
		s.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1,
			Reclaimable: true, Deserved: deserved})
	}
	gang := func(name, queue string, least int32, change ...func(*model.Pod)) {
		s.tell(model.KindPodGroup, "ns", name, gangOf(name, least, func(g *model.PodGroup) { g.Queue = queue }))
		for i := range 5 {
			at := append([]func(*model.Pod){member(name)}, change...)
			if change != nil {
				at = append(at, running([]string{"n1", "n1", "n1", "n2", "n2"}[i]))
			}
			s.pod(fmt.Sprintf("%s-%d", name, i), at...)
		}
	}
	gang("low", "blue", 5, func(p *model.Pod) { p.Grace = 30 * second })
	gang("a", "red", 4)
	gang("b", "red", 4)
	evicted := 0
	for i := range int64(20) {
		plan, _, _ := s.e.Decide(second + i*second/100)
		for _, item := range plan.Items {
			switch {
			case item.Kind == EvictPod:
				evicted++
			case item.Kind == NominatePod && i > 1:
				t.Errorf("cycle %d: %s is nominated to %q", i, item.Pod, item.Node)
			}
		}
	}
	if evicted != 5 {
		t.Errorf("%d pods are evicted, want the gang of 5", evicted)
	}
}
