package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

func came(at int64) func(*model.Pod) { return func(p *model.Pod) { p.Created = at * second } }

// of has a pod without a PodGroup be of a queue.
func of(queue string) func(*model.Pod) {
	return func(p *model.Pod) { p.Adopt = model.Adopt{Queue: queue, MinMember: 1} }
}

// Room that is kept for a job stays kept while nothing changes, also where a pod on another node holds what the job's
// queue may have: it was kept and given back in turn, and each time the job was told so.
func TestRoomIsKeptWhileAPodElsewhereHoldsTheQueuesLimit(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	s.queue("other")
	s.tell(model.KindQueue, "", "ours", &model.Queue{Meta: model.Meta{Name: "ours", UID: "ours"}, Weight: 1,
		Capability: resource.List{{Name: resource.CPUName, Value: 2000}}})
	s.node("a", 2)
	s.node("b", 2)
	s.pod("first", came(10), of("other"), running("a"))
	s.pod("second", came(11), of("other"), running("b"))
	s.pod("waits", came(1), of("ours"))
	s.decides(20)
	s.gone("second")
	s.pod("third", came(12), of("ours"), running("b"))
	s.keepsSteadily(21)
	s.gone("third")
	s.decides(30, "bind waits b")
}

// keepsSteadily decides six times, a second each: room is kept by the third one, and neither more nor less afterwards.
func (s *stage) keepsSteadily(from int64) {
	s.t.Helper()
	s.e.SetVerbosity(3)
	for at := range int64(6) {
		_, events, _ := s.e.Decide((from + at) * second)
		for _, e := range events {
			if at > 2 && (e.Kind == trace.KeepsRoom || e.Kind == trace.KeepsNoRoom) {
				s.t.Errorf("at %d s: %v of %s", from+at, e.Kind, e.Job)
			}
		}
	}
	if !s.e.Ledger().KeptRoom.Any() {
		s.t.Error("no room is kept")
	}
}

// So it stays where a job that came before, but is served after it, has room kept as well: that room takes into account
// that more pods will have ended.
func TestRoomIsKeptForAnOlderJobBesideAYoungerOne(t *testing.T) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	s.queue("other")
	for name, rank := range map[string]int32{"first": 10, "second": 0} {
		s.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name, UID: name}, Weight: 1, Priority: rank})
	}
	s.node("a", 6)
	s.pod("between", came(5), of("other"), running("a"))
	s.pod("late", came(12), of("other"), running("a"))
	s.pod("later", came(13), of("other"), running("a"))
	s.pod("young", came(10), of("first"))
	s.tell(model.KindPodGroup, "ns", "old", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "old", UID: "old",
		Created: 1 * second}, Queue: "second", MinMember: 2, Phase: model.GroupInqueue})
	s.pod("old-0", came(1), member("old"))
	s.pod("old-1", came(1), member("old"))
	s.keepsSteadily(20)
	s.gone("late")
	s.decides(30, "bind young a")
}
