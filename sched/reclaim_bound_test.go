package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// A pod that is bound holds its room before its containers run: reclaim takes it as one that runs.
func TestAPodThatIsBoundMayBeReclaimed(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate", "reclaim"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}, {Plugin: "nodeorder"}}}})}
	in := func(queue string) func(*model.Pod) { return func(p *model.Pod) { p.Adopt.Queue = queue } }
	bound := func(p *model.Pod) { p.Node = "n" }
	s.node("n", 4)
	for _, q := range []string{"default", "a", "b"} {
		s.tell(model.KindQueue, "", q, &model.Queue{Meta: model.Meta{Name: q, UID: q}, Weight: 1, Reclaimable: true})
	}
	s.pod("one", in("a"), bound)
	s.pod("two", in("a"), bound)
	s.decides(1)
	s.pod("due", in("b"))
	plan, _, _ := s.e.Decide(2 * second)
	n := 0
	for _, i := range plan.Items {
		if i.Kind == EvictPod {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d pods are evicted, want one of those that are bound: %+v", n, plan.Items)
	}
}
