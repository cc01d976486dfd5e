package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// slowly is a victim that may take an hour to end.
func slowly(p *model.Pod) { p.Grace = 3600 * second }

// cores is what a pod asks for.
func cores(n int64) func(*model.Pod) {
	return func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(n, 1)} }
}

// awaited is a cluster in which an urgent pod waits for a victim that takes an hour to leave.
func awaited(t *testing.T) *stage {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.pod("old", running("a"), slowly)
	s.decides(0)
	s.pod("urgent", priority(10))
	s.decides(1, "evict old a", "nominate urgent a")
	s.pod("old", running("a"), slowly, terminating)
	s.pod("urgent", priority(10), nominated("a"))
	s.decides(2)
	return s
}

// A pod with a nomination takes a node that comes meanwhile; the room that is freed later
// is free for any pod.
func TestAPodWithANominationTakesTheFirstRoomThereIs(t *testing.T) {
	for name, restart := range map[string]func(*stage){"": func(*stage) {}, "restored": (*stage).restart,
		"from the facts alone": (*stage).forget} {
		t.Run(name, func(t *testing.T) {
			s := awaited(t)
			s.node("b", 2)
			restart(s)
			s.decides(3, "bind urgent b")
			if s.next != 0 {
				t.Errorf("the answer may change at %d s, with no nomination left", s.next)
			}
			s.pod("urgent", priority(10), running("b"), nominated("a"))
			s.gone("old")
			s.pod("third")
			s.decides(4, "bind third a")
		})
	}
}

// A bind that is refused for good leaves the pod as any that waits: it has no nomination.
func TestANominationDoesNotComeBackWithARefusedBind(t *testing.T) {
	s := awaited(t)
	s.node("b", 2)
	plan := s.decides(3, "bind urgent b")
	s.tell(model.KindNode, "", "b", nil)
	s.e.Receive(Receipt{Item: plan.Items[0], Outcome: Failed})
	s.pod("thief", priority(20))
	s.gone("old")
	s.decides(4, "bind thief a")
}

// awaitedGang is a gang of two that waits with nominations on nodes a and b, since its victims take an hour to leave.
func awaitedGang(t *testing.T) *stage {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.node("b", 2)
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.pod("old-a", running("a"), slowly)
	s.pod("old-b", running("b"), slowly)
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, PriorityClass: "high", Phase: model.GroupInqueue})
	s.pod("gang-0", member("gang"), priority(10))
	s.pod("gang-1", member("gang"), priority(10))
	plan, _, _ := s.e.Decide(second)
	if n := len(plan.Items); n != 4 {
		t.Fatalf("the plan is %v", plan.Items)
	}
	for _, n := range []string{"a", "b"} {
		s.pod("old-"+n, running(n), slowly, terminating)
	}
	for _, i := range plan.Items {
		if i.Kind == NominatePod {
			s.pod(i.Pod.Name, member("gang"), priority(10), nominated(i.Node))
		}
	}
	s.decides(2)
	return s
}

// on is where a gang's members wait, by what was nominated.
func (s *stage) on(node string) string {
	for _, p := range s.e.Report().Pods {
		if p.Nominated == node {
			return p.Name
		}
	}
	s.t.Fatalf("no pod waits for room on %s", node)
	return ""
}

// The minimum takes free room as a whole, or what of its own is there beside free room; free
// room that does not make it whole is no reason to give a nomination up.
func TestAGangWithNominationsTakesTheFirstRoomForAllOfIt(t *testing.T) {
	t.Run("elsewhere", func(t *testing.T) {
		s := awaitedGang(t)
		s.node("c", 4)
		s.decides(3, "bind gang-0 c", "bind gang-1 c")
	})
	t.Run("beside its own", func(t *testing.T) {
		s := awaitedGang(t)
		first, second := s.on("a"), s.on("b")
		s.node("c", 2)
		s.decides(3)
		s.restart()
		s.gone("old-a")
		want := []string{"bind " + first + " a", "bind " + second + " c"}
		slices.Sort(want)
		plan, _, _ := s.e.Decide(4 * 1_000_000_000)
		var got []string
		for _, i := range plan.Items {
			if i.Kind == BindPod {
				got = append(got, fmt.Sprintf("bind %s %s", i.Pod.Name, i.Node))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the plan is %q, want %q", got, want)
		}
	})
	t.Run("room for one is no reason to give anything up", func(t *testing.T) {
		s := awaitedGang(t)
		s.node("c", 2)
		s.decides(3)
		s.pod("small")
		s.decides(4, "bind small c")
		s.gone("old-a")
		s.gone("old-b")
		plan, _, _ := s.e.Decide(5 * second)
		if n := len(plan.Items); n < 2 || plan.Items[0].Kind != BindPod || plan.Items[1].Kind != BindPod {
			t.Errorf("the plan is %v, want the gang's binds", plan.Items)
		}
	})
}

// A place that only part of a gang may take leaves the rest where it was promised room.
func TestAMemberThatMayGoNowhereElseKeepsItsRoom(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 4)
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.pod("old-0", running("a"), slowly)
	s.pod("old-1", running("a"), slowly)
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, PriorityClass: "high", Phase: model.GroupInqueue})
	tied := func(p *model.Pod) {
		p.Spec = &model.Spec{Requests: cpu(2, 1), Selector: []model.Label{{Key: "only", Value: "a"}}}
	}
	s.node("a", 4, model.Label{Key: "only", Value: "a"})
	s.pod("gang-0", member("gang"), priority(10), tied)
	s.pod("gang-1", member("gang"), priority(10))
	s.decides(1, "evict old-1 a", "nominate gang-0 a", "evict old-0 a", "nominate gang-1 a")
	s.pod("old-0", running("a"), slowly, terminating)
	s.pod("old-1", running("a"), slowly, terminating)
	s.node("b", 64)
	s.decides(2)
	s.gone("old-1")
	s.decides(3, "bind gang-0 a", "bind gang-1 b")
}

// A victim that no pod needs any more stays if its eviction was not begun yet.
func TestAVictimNoLongerNeededStaysUnlessItsEvictionBegan(t *testing.T) {
	setUp := func(t *testing.T) (*stage, Plan) {
		s := newStage(t, "enqueue", "allocate", "preempt")
		s.queue("default")
		s.node("a", 2)
		s.pod("old", running("a"))
		s.pod("urgent", priority(10))
		return s, s.decides(0, "evict old a", "nominate urgent a")
	}
	t.Run("its preemptor went elsewhere", func(t *testing.T) {
		s, plan := setUp(t)
		eviction := plan.Items[0]
		s.node("b", 2)
		s.restart()
		got := s.decides(1, "bind urgent b", "keep old a")
		if w := got.Items[1]; !slices.Equal(w.Evictions, []uint64{eviction.ID}) {
			t.Errorf("withdrawn are %v, want %d", w.Evictions, eviction.ID)
		}
		s.pod("urgent", priority(10), running("b"))
		s.e.Receive(Receipt{Item: eviction, Outcome: Withdrawn})
		s.restart()
		s.pod("late", priority(5))
		s.decides(2, "evict old a", "nominate late a") // it runs there as before
	})
	t.Run("its preemptor is no more", func(t *testing.T) {
		s, _ := setUp(t)
		s.gone("urgent")
		s.decides(1, "keep old a")
		s.decides(2)
	})
	t.Run("its node refuses its preemptor", func(t *testing.T) {
		s, _ := setUp(t)
		s.tell(model.KindNode, "", "a", &model.Node{Meta: model.Meta{Name: "a", UID: "a"}, Unschedulable: true,
			Allocatable: cpu(2, 110)})
		s.decides(1, "nominate urgent", "keep old a")
	})
	t.Run("it was told", func(t *testing.T) {
		s, plan := setUp(t)
		s.e.Receive(Receipt{Item: plan.Items[0], Outcome: Done})
		s.node("b", 2)
		s.restart()
		s.decides(1, "bind urgent b")
	})
	t.Run("it shows that it goes", func(t *testing.T) {
		s, _ := setUp(t)
		s.pod("old", running("a"), terminating)
		s.node("b", 2)
		s.decides(1, "bind urgent b")
	})
	t.Run("somebody else counts on its room", func(t *testing.T) {
		s, _ := setUp(t)
		s.e.profile.Actions = nil
		s.pod("more", priority(20))
		p := policy.Profile{Actions: []string{"enqueue", "preempt", "allocate"}, Tiers: s.e.profile.Tiers}
		next := engine(t, p)
		next.Apply(s.e.Facts()...)
		next.Restore(s.e.Commitments())
		s.e = next
		s.decides(1, "nominate urgent", "nominate more a")
		s.restart()
		s.decides(2)
	})
}

// pair is a gang of two that runs on two nodes.
func (s *stage) pair(least int32, first, second string) {
	s.tell(model.KindPodGroup, "ns", "pair", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "pair", UID: "pair"},
		MinMember: least, Phase: model.GroupRunning})
	s.pod("pair-0", member("pair"), running(first))
	s.pod("pair-1", member("pair"), running(second))
}

// A pod that was asked to leave and then to stay may do either until the answer is there. Meanwhile no pod of its queue
// is evicted: the queue might be left with less than it is owed, and a gang with less than its minimum.
func TestNothingMoreLeavesWhileAnEvictionIsInDoubt(t *testing.T) {
	again := []string{"evict pair-0 a", "nominate next a"}
	for name, x := range map[string]struct {
		answers []Outcome
		at      int64
		want    []string
	}{
		"no answer yet":      {nil, 3, nil},
		"no answer for long": {nil, 70, again},
		"it stays":           {[]Outcome{Withdrawn}, 3, again},
		"it leaves":          {[]Outcome{Done}, 3, nil},
		"it was denied":      {[]Outcome{Failed}, 3, again},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "enqueue", "allocate", "preempt")
			s.queue("default")
			s.node("a", 2)
			s.node("b", 2)
			s.pair(1, "a", "b")
			s.pod("urgent", priority(10))
			eviction := s.decides(0, "evict pair-0 a", "nominate urgent a").Items[0]
			s.node("c", 2)
			s.decides(1, "bind urgent c", "keep pair-0 a")
			s.restart()
			s.pod("urgent", priority(10), running("c"))
			s.pod("next", priority(10))
			s.decides(2)
			for _, o := range x.answers {
				s.e.Receive(Receipt{Item: eviction, Outcome: o})
			}
			s.restart()
			s.decides(x.at, x.want...)
			if len(x.answers) > 0 && x.answers[0] == Done {
				s.gone("pair-0")
				s.decides(x.at+1, "bind next a")
			}
		})
	}
}

// What a plugin picks does not leave meanwhile either: whether it is above the minimum of its gang is not known.
func TestNothingIsPickedWhileAnEvictionIsInDoubt(t *testing.T) {
	for name, x := range map[string]struct {
		answers []Outcome
		want    []string
	}{
		"no answer yet": {nil, nil},
		"it stays":      {[]Outcome{Withdrawn}, []string{"evict pair-1 b"}},
		"it leaves":     {[]Outcome{Done}, []string{"evict pair-1 b"}}, // as a whole: it is all that the gang holds
	} {
		t.Run(name, func(t *testing.T) {
			s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "preempt", "shuffle"},
				Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"},
					{Plugin: "tdm", Arguments: map[string]string{"tdm.revocable-zone.lent": "01:00-02:00"}}}}})}
			s.queue("default")
			s.node("a", 2)
			s.node("b", 2)
			s.pair(1, "a", "b")
			s.pod("urgent", priority(10))
			eviction := s.decides(0, "evict pair-0 a", "nominate urgent a").Items[0]
			s.node("c", 2)
			s.decides(1, "bind urgent c", "keep pair-0 a")
			s.node("b", 2, model.Label{Key: "volcano.sh/revocable-zone", Value: "lent"})
			for _, o := range x.answers {
				s.e.Receive(Receipt{Item: eviction, Outcome: o})
			}
			s.decides(3, x.want...)
		})
	}
}

// Without plugin gang a job starves for pods above its minimum, too. The nomination of such a pod is given up before a
// gang goes as a whole, though the gang is less important.
func TestANominationIsGivenUpBeforeAGangGoes(t *testing.T) {
	onA := func(p *model.Pod) {
		p.Spec.Affinity = []model.Term{{All: []model.Requirement{{Key: "zone", Op: model.Exists}}}}
	}
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "preempt"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}}, {{Plugin: "predicates"}}}})}
	s.queue("default")
	s.node("a", 4, model.Label{Key: "zone", Value: "a"})
	s.node("b", 4)
	s.tell(model.KindPriorityClass, "", "mid", &model.PriorityClass{Meta: model.Meta{Name: "mid", UID: "mid"}, Value: 10})
	s.tell(model.KindPodGroup, "ns", "grows", &model.PodGroup{MinMember: 1, Phase: model.GroupRunning,
		PriorityClass: "mid", Meta: model.Meta{Namespace: "ns", Name: "grows", UID: "grows"}})
	s.pod("grows-0", member("grows"), running("a"))
	s.pod("small", priority(1), running("a"))
	s.pair(2, "b", "b")
	s.pod("grows-1", member("grows"), onA)
	s.decides(0, "evict small a", "nominate grows-1 a")
	s.pod("small", priority(1), running("a"), terminating)
	s.pod("urgent", priority(100))
	s.decides(1, "nominate grows-1", "nominate urgent a")
}

// What goes as a whole stays as a whole: once the eviction of one member has begun, the others go too.
func TestAGangIsEvictedAsAWholeOrStaysAsAWhole(t *testing.T) {
	for _, told := range []bool{false, true} {
		t.Run(fmt.Sprint("told: ", told), func(t *testing.T) {
			s := newStage(t, "enqueue", "allocate", "preempt")
			s.queue("default")
			s.node("a", 4)
			s.pair(2, "a", "a")
			s.pod("urgent", priority(10), cores(4))
			plan := s.decides(0, "evict pair-1 a", "evict pair-0 a", "nominate urgent a")
			s.node("b", 4)
			if !told {
				got := s.decides(1, "bind urgent b", "keep pair-0 a")
				if w := got.Items[1]; len(w.Evictions) != 2 {
					t.Errorf("withdrawn together are %v, want both evictions", w.Evictions)
				}
				return
			}
			s.e.Receive(Receipt{Item: plan.Items[0], Outcome: Done})
			s.decides(1, "bind urgent b")
		})
	}
}

// A pod that is to leave, and has become another scheduler's before it did, has no job: its
// eviction is not taken back, and does not stop the cycle.
func TestAnEvictedPodOfAnotherSchedulerIsNotTakenBack(t *testing.T) {
	s := newStage(t, "allocate", "evictAny")
	s.queue("default")
	s.node("a", 2)
	groupless := member("unknown") // not charged: only then may its fact take it out of its job
	s.pod("old", running("a"), groupless)
	s.pod("new", priority(1))
	s.decides(1, "evict old a", "nominate new a")
	s.pod("old", running("a"), groupless, func(p *model.Pod) { p.Ours = false })
	s.gone("new")
	s.decides(2)
}
