package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// twoQueues is a cluster in which pods of queue qa go before those of qb, and room is kept for jobs that wait.
func twoQueues(t *testing.T) *stage {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "preempt", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	for name, rank := range map[string]int32{"qa": 10, "qb": 5} {
		s.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1, Priority: rank})
	}
	return s
}

// Room that is kept for an older job on a node takes nothing from a nomination there, whatever else lingers on the
// node: the victim leaves in time, and no other pod is evicted for nothing.
func TestKeptRoomBesideAPodThatLingersEndsNoNomination(t *testing.T) {
	s := twoQueues(t)
	s.node("a", 8)
	s.node("b", 2)
	slow := func(p *model.Pod) { p.Grace = 30 * second }
	s.pod("stuck", came(1), of("qa"), running("a"), cores(4), leavesBy(500))
	s.pod("later", came(700), of("qa"), running("a"))
	s.pod("victim", came(2), of("qb"), running("a"), slow)
	s.pod("other", came(2), of("qb"), running("b"), slow, priority(1))
	s.pod("k", came(600), of("qa"))
	s.pod("urgent", came(900), of("qb"), priority(10))
	s.decides(1000, "evict victim a", "nominate urgent a")
	s.pod("victim", came(2), of("qb"), running("a"), slow, leavesBy(1030))
	s.pod("urgent", came(900), of("qb"), priority(10), nominated("a"))
	for at := int64(1001); at < 1010; at++ {
		s.decides(at)
	}
	if !s.e.Ledger().KeptRoom.Any() {
		t.Fatal("no room is kept")
	}
	s.decides(1090, "nominate urgent", "evict other b", "nominate urgent b") // the victim lingers by now
}
