package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// A nomination from before a restart, which may be long out of date, takes no queue above its capability: while other
// pods were bound nothing was kept for it.
func TestANominationDoesNotPassTheCapability(t *testing.T) {
	for capability, want := range map[int64][]string{4: nil, 6: {"bind late a"}} {
		s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: [][]policy.Choice{
			{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})}
		s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
			Capability: cpu(capability, 10)})
		s.node("a", 8)
		s.pod("first", running("a"))
		s.pod("second", running("a"))
		s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
			MinMember: 1, Phase: model.GroupInqueue})
		s.pod("late", member("gang"), nominated("a"))
		s.decides(1, want...)
	}
}
