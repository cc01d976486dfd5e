package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// robbed is a cluster after its first cycle: node a is full, node b has two cores
// left, and a gang of two has had a pod evicted from a for one of its members.
func robbed(t *testing.T) *stage {
	s := newStage(t, "enqueue", "allocate", "backfill", "evictAny")
	s.queue("default")
	s.node("a", 4)
	s.node("b", 2)
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.pod("keeper", running("a"), priority(100))
	s.pod("victim", running("a"))
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, PriorityClass: "high", Phase: model.GroupInqueue})
	s.pod("gang-0", member("gang"), priority(10))
	s.pod("gang-1", member("gang"), priority(10))
	plan := s.decides(0, "evict victim a", "nominate gang-0 a")
	evict, nominate := plan.Items[len(plan.Items)-2], plan.Items[len(plan.Items)-1]
	if evict.Kind != EvictPod {
		evict, nominate = plan.Items[0], plan.Items[1]
	}
	if evict.Statement != nominate.Statement || evict.Preemptor != nominate.Pod || evict.Action != "evictAny" {
		t.Fatalf("the eviction is %+v, the nomination %+v: they belong together", evict, nominate)
	}
	if s.next != 60 {
		t.Fatalf("the answer may change at %d s, want 60 s, when the nomination ends", s.next)
	}
	return s
}

// TestRoomFreedByAnEvictionGoesToItsPreemptor: other pods, even of higher priority,
// do not get it in between, whatever restarts happen.
func TestRoomFreedByAnEvictionGoesToItsPreemptor(t *testing.T) {
	restarts := map[string]func(*stage){
		"without a restart":                               func(*stage) {},
		"with a restart from facts and commitments":       (*stage).restart,
		"with a restart from facts that show all of it":   nil,
		"with a restart twice, after each step once more": func(s *stage) { s.restart(); s.restart() },
	}
	for name, restart := range restarts {
		t.Run(name, func(t *testing.T) {
			s := robbed(t)
			if restart == nil {
				s.pod("gang-0", member("gang"), priority(10), nominated("a"))
				s.pod("victim", running("a"), terminating)
				restart = (*stage).forget
			}
			restart(s)
			s.pod("thief", priority(5))
			s.decides(1)
			s.pod("victim", running("a"), terminating)
			restart(s)
			s.decides(2)
			s.gone("victim")
			restart(s)
			plan := s.decides(3, "bind gang-0 a", "bind gang-1 b")
			if plan.Items[0].Statement != plan.Items[1].Statement {
				t.Errorf("the gang's binds are of two statements: %+v", plan.Items)
			}
			s.decides(4)
		})
	}
}

func TestANominationKeepsTheMoreImportantOut(t *testing.T) {
	s := robbed(t)
	s.gone("gang-1") // so that the preemptor cannot start yet
	s.gone("victim")
	s.pod("thief-1", priority(99))
	s.decides(1, "bind thief-1 b")
	s.pod("thief-2", priority(99))
	s.restart()
	s.decides(2)
	if s.next != 60 {
		t.Errorf("after a restart the nomination ends at %d s, want 60 s", s.next)
	}
	s.decides(59)
	for _, j := range s.e.Report().Jobs {
		if j.Name == "thief-2" && j.Reason.Code != trace.NotEnoughResources {
			t.Errorf("thief-2 waits for %+v, want room", j.Reason)
		}
	}
	s.decides(60, "nominate gang-0", "bind thief-2 a")
	if s.next != 0 {
		t.Errorf("the answer may change at %d s, with no nomination left", s.next)
	}
}

// TestANominationAloneIsAHint: an engine that knows the facts only prefers the node
// that was nominated, and keeps no pod out of it.
func TestANominationAloneIsAHint(t *testing.T) {
	s := robbed(t)
	s.pod("gang-0", member("gang"), priority(10), nominated("a"))
	s.pod("thief", priority(99))
	s.gone("victim")
	s.forget()
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, Phase: model.GroupInqueue})
	plan, _, _ := s.e.Decide(second)
	if i := slicesFirst(plan, BindPod); i.Pod.Name != "thief" {
		t.Fatalf("the first bind is %+v, want that of the more important thief", i)
	}
}

// TestADeniedEvictionEndsItsNomination: the room will not come, so no pod is kept out of
// what there is; and the pod that could not be evicted is not tried over and over.
func TestADeniedEvictionEndsItsNomination(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill", "evictAny")
	s.queue("default")
	s.node("a", 2)
	s.pod("victim", running("a"))
	s.pod("claim", priority(10))
	plan := s.decides(0, "evict victim a", "nominate claim a")
	for _, i := range plan.Items {
		if i.Kind == EvictPod {
			s.e.Receive(Receipt{Item: i, Outcome: Failed})
		}
	}
	s.restart()
	s.decides(1, "nominate claim")
	s.restart()
	s.decides(2)
	if s.next != 60 {
		t.Errorf("the answer may change at %d s, want 60 s, when the victim may be tried again", s.next)
	}
	s.decides(60, "evict victim a", "nominate claim a")
}

// After an eviction was denied, the pod may be evicted again once the pause is over, although nothing else happens on
// its node.
func TestADeniedEvictionIsTriedAgain(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.pod("victim", running("a"))
	s.pod("claim", priority(10))
	plan := s.decides(0, "evict victim a", "nominate claim a")
	s.e.Receive(Receipt{Item: slicesFirst(plan, EvictPod), Outcome: Failed})
	s.decides(1, "nominate claim")
	s.decides(2)
	s.decides(60, "evict victim a", "nominate claim a")
}

// A nomination may be taken over by the next action (decision 13), although victims were searched in vain before it
// was in the plan, when no pod on its node could be evicted.
func TestANominationIsTakenOverByTheNextAction(t *testing.T) {
	s := &stage{t: t,
		e: engine(t, policy.Profile{Actions: []string{"allocate", "preempt", "reclaim"}, Tiers: [][]policy.Choice{
			{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"}}}})}
	s.node("a", 2)
	for i, class := range []string{"low", "middle", "high"} {
		s.tell(model.KindPriorityClass, "", class,
			&model.PriorityClass{Meta: model.Meta{Name: class, UID: class}, Value: int32(i)})
	}
	for i, queue := range []string{"giver", "taker"} {
		s.tell(model.KindQueue, "", queue, &model.Queue{Meta: model.Meta{Name: queue, UID: queue},
			Weight: 1, Reclaimable: true,
			Deserved: cpu(int64(2*i), 1)})
	}
	job := func(name, queue, class string, change ...func(*model.Pod)) {
		s.tell(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name, UID: name},
			Queue: queue, MinMember: 1, PriorityClass: class, Phase: model.GroupInqueue})
		s.pod(name, append(change, member(name))...)
	}
	job("victim", "giver", "low", running("a"))
	job("robbed", "giver", "high")
	job("refused", "giver", "middle")
	job("heir", "taker", "low")
	s.decides(0, "evict victim a", "nominate robbed a", "nominate robbed", "nominate heir a")
}

// TestNominationsOfAnEarlierSchedulerHoldForAWholeGang: what a scheduler that crashed had freed for a
// gang is kept for it by the next one, and ends with it as its own nominations do.
func TestNominationsOfAnEarlierSchedulerHoldForAWholeGang(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.queue("default")
	s.node("a", 4)
	s.node("b", 2)
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, Phase: model.GroupInqueue})
	s.pod("keeper", running("a"))
	s.pod("victim", running("b"), terminating, func(p *model.Pod) { p.Grace = 30 * second })
	s.pod("gang-0", member("gang"), nominated("a"))
	s.pod("gang-1", member("gang"), nominated("b"))
	s.pod("thief", priority(99))
	s.decides(0)
	if s.next != 90 {
		t.Errorf("the nomination ends at %d s, want 90 s: a minute after the victim's grace", s.next)
	}
	s.restart()
	s.gone("victim")
	s.decides(1, "bind gang-0 a", "bind gang-1 b")
}

// TestNominationsThatNoLongerFitAreHints: another pod took the room meanwhile.
func TestNominationsThatNoLongerFitAreHints(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.queue("default")
	s.node("a", 4)
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, Phase: model.GroupInqueue})
	s.pod("taken", running("a"))
	s.pod("gang-0", member("gang"), nominated("a"))
	s.pod("gang-1", member("gang"), nominated("a"))
	s.pod("thief", priority(99))
	s.decides(0, "bind thief a")
}

func slicesFirst(p Plan, k ItemKind) Item {
	for _, i := range p.Items {
		if i.Kind == k {
			return i
		}
	}
	return Item{}
}
