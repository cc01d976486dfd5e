package sched

import (
	"slices"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// leavesBy has a pod terminate, with a grace that ends at a second.
func leavesBy(at int64) func(*model.Pod) {
	return func(p *model.Pod) { p.Deleting, p.Times = true, &model.Times{GoneBy: at * second} }
}

// overdue is a cluster of two nodes in which a more important pod waits for one that should be gone by 30 s.
func overdue(t *testing.T, action string) *stage {
	s := newStage(t, "enqueue", "allocate", action)
	s.queue("default")
	s.node("a", 2)
	s.node("b", 2)
	s.pod("old", running("a"), leavesBy(30))
	s.pod("other", running("b"))
	s.pod("urgent", priority(10))
	return s
}

// A pod that should have been gone a minute ago, and is still there, keeps no other pod waiting for its room: a more
// important one takes room elsewhere. Until then it waits, rather than have a second pod leave.
func TestAPodThatDoesNotGoIsWaitedForAMinute(t *testing.T) {
	for name, restart := range map[string]func(*stage){"": func(*stage) {}, "restored": (*stage).restart,
		"from the facts alone": (*stage).forget} {
		t.Run(name, func(t *testing.T) {
			s := overdue(t, "preempt")
			s.decides(0)
			if s.next != 90 {
				t.Fatalf("it is to be asked again at %d s, want 90", s.next)
			}
			s.decides(89)
			restart(s)
			s.decides(90, "evict other b", "nominate urgent b")
			s.gone("other")
			s.pod("urgent", priority(10), nominated("b"))
			s.decides(91, "bind urgent b")
			if s.next != 0 {
				t.Errorf("it is to be asked again at %d s, want never", s.next)
			}
			s.pod("urgent", priority(10), running("b"))
			s.pod("late")
			s.decides(30 * 86400)
			s.gone("old")
			s.decides(30*86400+1, "bind late a")
		})
	}
}

// evictedAt is a cluster of two nodes in which preempt has evicted a pod with a grace for another one, at a second.
func evictedAt(t *testing.T, at, seconds int64) *stage {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.node("b", 2)
	grace := func(p *model.Pod) { p.Grace = seconds * second }
	s.pod("old", running("a"), grace)
	s.pod("other", running("b"), grace, priority(1))
	s.pod("urgent", priority(10))
	s.decides(at, "evict old a", "nominate urgent a")
	s.pod("old", running("a"), grace, leavesBy(at+seconds))
	s.pod("urgent", priority(10), nominated("a"))
	return s
}

// What preempt evicted itself may not go either: then it looks for other victims.
func TestAVictimThatDoesNotGoIsReplacedByAnother(t *testing.T) {
	s := evictedAt(t, 1, 30)
	s.decides(2)
	if s.next != 91 {
		t.Fatalf("it is to be asked again at %d s, want 91", s.next)
	}
	s.decides(91, "nominate urgent", "evict other b", "nominate urgent b")
}

// A victim may have a day to leave. The one it leaves for waits for it as long as its nomination lasts, an hour and a
// minute, and has no other pod leave meanwhile.
func TestAVictimWithADayToLeaveKeepsItsNomination(t *testing.T) {
	s := evictedAt(t, 0, 86400)
	s.decides(1)
	s.decides(3659)
	s.decides(3660, "nominate urgent", "evict other b", "nominate urgent b")
}

// A gang with a place on such room holds no idle room for its other members: the job behind it starts.
func TestAGangHoldsNoRoomBesideAPodThatDoesNotGo(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "preempt")
	s.queue("default")
	s.node("a", 2)
	s.node("b", 2)
	s.tell(model.KindPriorityClass, "", "high",
		&model.PriorityClass{Meta: model.Meta{Name: "high", UID: "high"}, Value: 10})
	s.pod("old", running("a"), leavesBy(30))
	s.tell(model.KindPodGroup, "ns", "gang", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "gang", UID: "gang"},
		MinMember: 2, PriorityClass: "high", Phase: model.GroupInqueue})
	s.pod("gang-0", member("gang"), priority(10))
	s.pod("gang-1", member("gang"), priority(10))
	s.pod("small")
	s.decides(0)
	s.decides(89)
	s.decides(90, "bind small b")
}

// A pod with more than an hour left to leave is not waited for before that hour begins.
func TestAPodThatIsToGoInHoursIsNotWaitedFor(t *testing.T) {
	s := overdue(t, "preempt")
	s.pod("old", running("a"), leavesBy(86400))
	s.pod("other", running("b"), priority(20))
	s.pod("late", priority(15))
	s.decides(0)
	if s.next != 86400-3660 {
		t.Fatalf("it is to be asked again at %d s, an hour before the pod is to be gone", s.next)
	}
	if was := reasons(s); slices.Contains(was, "Pipelined") {
		t.Errorf("a day ahead jobs wait for its room: %v", was)
	}
	s.decides(86400 - 3660)
	if is := reasons(s); !slices.Contains(is, "Pipelined") {
		t.Errorf("an hour ahead none waits for its room: %v", is)
	}
	s.decides(86400 + 60)
	if is := reasons(s); slices.Contains(is, "Pipelined") {
		t.Errorf("a minute late jobs still wait for its room: %v", is)
	}
}

func reasons(s *stage) (out []string) {
	for _, j := range s.e.Report().Jobs {
		if j.Reason.Is() {
			out = append(out, string(j.Reason.Code))
		}
	}
	return out
}

// What it holds counts as freed by the time of the cycle alone, also where a clock is set back.
func TestAPodThatDoesNotGoIsJudgedByTheTimeOfTheCycle(t *testing.T) {
	s := overdue(t, "backfill")
	for _, at := range []int64{0, 90, 30, 100, -7200, 89, 90} {
		s.decides(at)
		n, _ := s.e.l.Nodes.Find("a")
		want := int64(2000)
		if at == 90 || at == 100 || at == -7200 {
			want = 0
		}
		d, _ := s.e.l.Dims.Lookup(resource.CPUName)
		if got := s.e.l.Nodes.Releasing(d)[n]; got != want {
			t.Errorf("at %d s %d thousandths of a core are being freed, want %d", at, got, want)
		}
		if w, _, ok := s.e.Questions().Pod("ns", "old"); !ok || (w.GoneBy != 0) != (want == 0) {
			t.Errorf("at %d s it is said to be expected to be gone by %d", at, w.GoneBy)
		}
		if used := s.e.l.Nodes.Used(d, n); used != 2000 {
			t.Errorf("at %d s %d thousandths of a core are used", at, used)
		}
	}
	s.pod("old", running("a"), leavesBy(200)) // its grace was set anew
	s.decides(91)
	s.gone("old")
	s.decides(92, "bind urgent a")
}

// Room that is kept for a pod beside a victim that lingers does not take away what is idle: no other pod is evicted for
// it. Victims may linger before the room is given back where another one has more time to leave, or was given less.
func TestRoomBesideAPodThatLingersIsNotTakenAway(t *testing.T) {
	day := func(p *model.Pod) { p.Grace = 86400 * second }
	quick := func(p *model.Pod) { p.Grace = 30 * second }
	cores := func(n int64) func(*model.Pod) {
		return func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(n, 1)} }
	}
	for name, x := range map[string]struct {
		grace, again func(*model.Pod)
		leaves, at   int64
		gives        []string
	}{
		"with a day to leave": {day, day, 86400, 2, []string{"bind small a"}},
		"with less than was due": {day, day, 30, 120, []string{"nominate urgent", "bind small a",
			"evict keep a", "evict keep-too a", "nominate urgent a"}},
		"soon": {quick, quick, 30, 2, []string{"bind small a"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "enqueue", "allocate", "preempt")
			s.queue("default")
			s.node("a", 10)
			s.pod("old", running("a"), x.grace, cores(4))
			s.pod("keep", running("a"), priority(5), cores(2))
			s.pod("keep-too", running("a"), priority(5), cores(2))
			s.pod("urgent", priority(10), cores(4))
			s.decides(0, "evict old a", "nominate urgent a")
			s.pod("old", running("a"), x.again, cores(4), leavesBy(x.leaves))
			s.pod("urgent", priority(10), nominated("a"), cores(4))
			s.decides(1)
			s.pod("small", cores(2), priority(10))
			s.decides(x.at, x.gives...)
		})
	}
}
