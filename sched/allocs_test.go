package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// allocsOfACycle is how many allocations a cycle makes that places a gang of a size,
// the engine having placed it before: its binds are denied, and it is placed again.
func allocsOfACycle(t *testing.T, size int, profile policy.Profile) float64 {
	t.Helper()
	s := &stage{t: t, e: engine(t, profile)}
	s.queue("default")
	for i := range 100 {
		s.node(fmt.Sprintf("n%d", i), 32)
	}
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: int32(size), Phase: model.GroupInqueue})
	for i := range size {
		s.pod(fmt.Sprintf("gang-%d", i), member("gang"))
	}
	receipts := make([]Receipt, 0, size)
	cycle := func() {
		plan, _, _ := s.e.Decide(0)
		if len(plan.Items) != size {
			t.Fatalf("a gang of %d has a plan of %d items", size, len(plan.Items))
		}
		receipts = receipts[:0]
		for _, i := range plan.Items {
			receipts = append(receipts, Receipt{Item: i, Outcome: Failed})
		}
		s.e.Receive(receipts...)
	}
	for range 4 {
		cycle()
	}
	return testing.AllocsPerRun(10, cycle)
}

// TestPlacingAllocatesNothing: what a cycle allocates does not depend on how many
// tasks of a class it places.
func TestPlacingAllocatesNothing(t *testing.T) {
	profiles := map[string][]policy.Choice{
		"with room alone": {{Plugin: "gang"}},
		"with filters and scores": {{Plugin: "priority"}, {Plugin: "gang"}, {Plugin: "predicates"},
			{Plugin: "nodeorder"}},
		"with queues' shares and packs": {{Plugin: "gang"}, {Plugin: "predicates"}, {Plugin: "proportion"},
			{Plugin: "binpack"}},
	}
	for name, choices := range profiles {
		t.Run(name, func(t *testing.T) {
			p := policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"}, Tiers: [][]policy.Choice{choices}}
			few, many := allocsOfACycle(t, 200, p), allocsOfACycle(t, 1200, p)
			if few != many {
				t.Errorf("a cycle allocates %v times for 200 tasks and %v times for 1200", few, many)
			}
		})
	}
}
