package sched

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// A pod that is there still after its limit, as one on a node that is lost, leads to no planned start in the past, for
// which the engine would ask to run again at once and for ever.
func TestAPodThatOutlivedItsLimitMakesNoHaste(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	profile := s.e.profile
	profile.Tiers = append(profile.Tiers, []policy.Choice{{Plugin: "proportion"}})
	s.e = engine(t, profile)
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		FIFO: true, Capability: cpu(2, 110)})
	s.node("n", 2)
	s.pod("over", running("n"), func(p *model.Pod) {
		p.Started = second
		p.SetRare(model.Times{Limit: 10 * second})
	})
	s.pod("waits")
	for now := int64(300); now < 303; now++ {
		s.decides(now)
		if s.next != 0 && s.next <= now {
			t.Errorf("at %d s it asks to run again at %d s", now, s.next)
		}
	}
	for _, c := range s.e.Commitments().Tasks {
		if c.Start < 300*second {
			t.Errorf("the start of %s is planned for %d s", c.Pod.Name, c.Start/second)
		}
	}
}

// The clock of a node may be ahead, so that a pod there says that it started at a time to come. It is expected to end
// so much later as time passes until then, whenever it was looked at: an engine that was made anew sees the same.
func TestAPodThatStartedByAClockAheadEndsLaterAsTimePasses(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		FIFO: true})
	s.node("n", 2)
	s.pod("ahead", running("n"), func(p *model.Pod) {
		p.Started = 1000 * second
		p.SetRare(model.Times{Limit: 100 * second, Lasts: 50 * second})
	})
	s.pod("waits")
	for _, c := range []struct{ now, ends int64 }{{10, 60}, {20, 70}, {990, 1040}, {1000, 1050}, {1030, 1050}} {
		s.decides(c.now)
		view := s.e.session.Ends()
		on := view.InOrder(s.e.l.Nodes.Named("n"))
		if len(on) != 1 {
			t.Fatalf("%d tasks are on the node", len(on))
		}
		if at := view.Expected(&on[0]); at != c.ends*second {
			t.Errorf("at %d s it is expected to end at %d s, want %d", c.now, at/second, c.ends)
		}
	}
}

// A moment that has passed is not told as a planned start: not while a pod is there after its limit, on which the start
// rests, nor at any later time.
func TestAPlannedStartThatHasPassedIsNotTold(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		FIFO: true})
	s.node("n", 2)
	s.pod("over", running("n"), func(p *model.Pod) {
		p.Started = second
		p.SetRare(model.Times{Limit: 100 * second})
	})
	s.pod("waits")
	told := func() int64 {
		s.t.Helper()
		for _, j := range s.e.Report().Jobs {
			for r := &j.Reason; r != nil; r = r.Cause {
				if r.Code == trace.StartPlanned {
					return r.Until / second
				}
			}
		}
		s.t.Fatal("no job waits for a planned start")
		return 0
	}
	s.decides(2)
	start := told()
	if start < 101 || start > 180 {
		t.Errorf("the start is told to be planned for %d s, want soon after the limit of the pod, 101 s", start)
	}
	for now := int64(3); now < start; {
		s.decides(now)
		if got := told(); got != start {
			t.Errorf("at %d s the start is told to be planned for %d s, was %d s", now, got, start)
		}
		if s.next <= now || s.next > start {
			t.Fatalf("at %d s it asks to run again at %d s, want no later than the planned start, %d s", now, s.next, start)
		}
		now = s.next
	}
	for now := start; now < start+200; now += 7 {
		s.decides(now)
		if got := told(); got != 0 {
			t.Fatalf("at %d s the start is told to be planned for %d s, which is no time to come", now, got)
		}
	}
}

// Where amounts say that a pod has room, and a filter refuses it there since the host port is still taken, its start is
// planned for the next time at which a pod ends, on whatever node.
func TestAStartThatAFilterRefusesIsPlannedForALaterEnd(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		FIFO: true})
	until := func(limit int64) func(*model.Pod) {
		return func(p *model.Pod) {
			p.Started = second
			p.SetRare(model.Times{Limit: limit * second})
		}
	}
	port := func(p *model.Pod) {
		p.Spec.Ports = []model.HostPort{{IP: "0.0.0.0", Protocol: "TCP", Port: 80}}
	}
	s.node("early", 4)
	s.pod("frees-room", running("early"), until(100))
	s.pod("keeps-the-port", running("early"), until(1000), port)
	s.node("late", 2)
	s.pod("ends-late", running("late"), until(500))
	s.pod("waits", port)
	s.decides(2)
	var planned []string
	for _, c := range s.e.Commitments().Tasks {
		planned = append(planned, fmt.Sprint(c.Pod.Name, " on ", c.Node, " from minute ", c.Start/second/60))
	}
	if want := []string{"waits on late from minute 9"}; !slices.Equal(planned, want) {
		t.Errorf("planned: %v, want %v", planned, want)
	}
}

// A planned start counts on pods that end before it. Once one is overdue by what its author said, the room is not given
// back by then, and the engine is to run at that moment.
func TestAPlannedStartIsLookedAtWhenAPodIsOverdue(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.tell(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default", UID: "default"}, Weight: 1,
		FIFO: true})
	s.node("n", 2)
	s.pod("a", running("n"), func(p *model.Pod) {
		p.Started = second
		p.SetRare(model.Times{Limit: 50 * second, Lasts: 20 * second})
	})
	s.pod("waits")
	s.decides(2)
	s.decides(3)
	if want := int64(21); s.next != want {
		t.Errorf("it asks to run again at %d s, want %d s, when a has run for as long as it was to", s.next, want)
	}
	s.decides(21)
	if want := int64(41); s.next != want {
		t.Errorf("then it asks to run again at %d s, want %d s", s.next, want)
	}
}

// plannedCluster is a cluster in which starts are planned, and in which pods may have limits.
type plannedCluster struct {
	*gangCluster
	promised map[string]int64 // by job: its first planned start
}

func newPlannedCluster(t rapid.TB, packs, fifo bool, nodes, cpu int, arguments policy.Arguments) *plannedCluster {
	s := newGangCluster(t, packs, nodes, cpu)
	profile := gangProfile(packs)
	if wait, late := arguments["sla-waiting-time"]; late { // planned for jobs that waited too long
		arguments = nil
		profile.Tiers = append([][]policy.Choice{{{Plugin: "sla", Arguments: policy.Arguments{"sla-waiting-time": wait}}}},
			profile.Tiers...)
	}
	profile.ActionArguments = map[string]policy.Arguments{"backfill": arguments}
	e, err := New(profile)
	if err != nil {
		t.Fatal(err)
	}
	e.Apply(s.e.Facts()...)
	s.e = e
	s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1, FIFO: fifo})
	return &plannedCluster{s, map[string]int64{}}
}

// limited adds a gang of which each pod has a limit, in seconds, and runs for some seconds of it.
func (s *plannedCluster) limited(name string, pods, cpu int, limit, lasts int64) {
	s.submit(name, pods, cpu, lasts)
	for i := range pods {
		p := *s.pods[fmt.Sprintf("%s-%d", name, i)]
		p.SetRare(model.Times{Limit: limit * second})
		s.show(&p)
	}
}

// step runs a cycle, and fails the test where a job has started later than it was first told.
func (s *plannedCluster) step() {
	at := s.now
	s.cycle()
	for _, c := range s.e.Commitments().Tasks {
		if job := s.pods[c.Pod.Name].Group; c.Kind == ledger.CommitKeptRoom && c.Start > 0 && s.promised[job] == 0 {
			s.promised[job] = c.First
		}
	}
	for job, promise := range s.promised {
		if s.ends[job+"-0"] == 0 && s.pods[job+"-0"].Node == "" && at > promise {
			s.t.Fatalf("at %d s %s has not started, its start was planned for %d s; %s", at/second, job, promise/second,
				s.waiting())
		}
	}
}

// waiting lists the jobs that wait, with the reasons, and where pods run.
func (s *plannedCluster) waiting() string {
	r, out := s.e.Report(), ""
	for _, j := range r.Jobs {
		if j.Reason.Is() {
			out += fmt.Sprintf("%s %s: %s, root %+v\n", j.Name, j.Phase, j.Reason.Code, *j.Reason.Root())
		}
	}
	for _, p := range r.Pods {
		if p.Node != "" && p.Status == model.Running {
			out += fmt.Sprintf("%s on %s until %d\n", p.Name, p.Node, s.ends[p.Name]/second)
		}
	}
	for _, c := range s.e.Commitments().Tasks {
		out += fmt.Sprintf("%s planned on %s at %d, first %d\n", c.Pod.Name, c.Node, c.Start/second, c.First/second)
	}
	return out
}

// TestNoJobStartsLaterThanItWasPlannedFirst: with limits that are enforced, and no node lost, whatever comes after it.
func TestNoJobStartsLaterThanItWasPlannedFirst(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		nodes, cpu := n(1, 5), n(2, 4)
		arguments := policy.Arguments{"backfill.resolution": "3s",
			"backfill.patience": rapid.SampledFrom([]string{"0s", "20s"}).Draw(t, "patience"),
			"backfill.depth":    rapid.SampledFrom([]string{"1", "2", "-1"}).Draw(t, "depth")}
		if n(0, 3) == 0 {
			arguments = policy.Arguments{"sla-waiting-time": "15s"}
		}
		s := newPlannedCluster(t, n(0, 1) == 1, n(0, 1) == 1, nodes, cpu, arguments)
		for i := range 150 {
			if n(0, 2) == 0 {
				limit, per := int64(n(1, 40)), n(1, cpu)
				members := n(1, nodes*(cpu/per))
				s.limited(fmt.Sprintf("j%03d", i), members, per, limit, int64(n(1, int(limit))))
			}
			s.step()
		}
		planned += len(s.promised)
	})
	if planned == 0 {
		t.Error("no start was planned")
	}
}

// TestPlannedStartsAreDecidedAnew: an engine restored from facts and commitments decides the same, also about jobs that
// were refused before the first start was planned.
func TestPlannedStartsAreDecidedAnew(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		n := func(least, most int) int { return rapid.IntRange(least, most).Draw(t, "n") }
		nodes, cpu := n(2, 3), n(1, 2)
		arguments := policy.Arguments{"backfill.resolution": "3s",
			"backfill.patience": rapid.SampledFrom([]string{"0s", "20s"}).Draw(t, "patience")}
		if n(0, 1) == 0 {
			arguments = policy.Arguments{"sla-waiting-time": "15s"}
		}
		s := newPlannedCluster(t, n(0, 1) == 1, n(0, 1) == 1, nodes, cpu, arguments)
		for i := range 45 {
			if n(0, 2) == 0 {
				limit, members := int64(n(1, 60)), 1
				if n(0, 2) == 0 {
					members = nodes
				}
				name := fmt.Sprintf("j%03d", i)
				s.limited(name, members, cpu, limit, int64(n(int(limit)/2, int(limit))))
				g := *s.groups[name] // without minResources it waits for places, not for its queue
				g.HasMin, g.MinResources = false, nil
				s.group(&g)
			}
			s.end()
			plan, _, _ := again(t, s.e).Decide(s.now)
			s.step()
			same(t, "an engine restored from facts and commitments decides otherwise", itemsOf(t, s.e.plan), itemsOf(t, plan))
		}
		planned += len(s.promised)
	})
	if planned == 0 {
		t.Error("no start was planned")
	}
}

// stream is a gang of three nodes out of four, and small jobs without limits for so many seconds, which all would keep
// one of its nodes. It returns how long the gang waits, and the seconds of processors that were used.
func stream(t *testing.T, lasts int, depth string) (waited, used int64) {
	s := newPlannedCluster(t, true, false, 4, 4, policy.Arguments{"backfill.depth": depth, "backfill.resolution": "1s"})
	began := s.now
	for i := range lasts {
		switch {
		case i == 0:
			s.limited("a", 1, 1, 100, 100)
			s.limited("b", 2, 2, 120, 120)
		case i == 5:
			s.limited("big", 3, 4, 100, 100)
		case i > 5 && i%9 == 0:
			s.submit(fmt.Sprintf("s%05d", i), 1, 1, 100)
		}
		s.step()
		for name := range s.ends { // order-free: a sum
			used += amount(s.pods[name].Spec.Requests, resource.CPUName) / 1000
		}
		if s.ends["big-0"] > 0 && waited == 0 {
			waited = (s.now-began)/second - 6
		}
	}
	return waited, used
}

// TestAPlannedGangIsNotPassed: the gang starts when those have ended that were there before it, however long the stream
// is, and the nodes are used as much as without planned starts, within three hundredths.
func TestAPlannedGangIsNotPassed(t *testing.T) {
	for _, lasts := range []int{1800, 3600} {
		waited, used := stream(t, lasts, "1")
		_, before := stream(t, lasts, "0")
		t.Logf("%d s: it waits %d s; %d s of processors were used, without planned starts %d s", lasts, waited, used, before)
		if waited == 0 || waited > 120 {
			t.Errorf("in a stream of %d s it starts after %d s (0: never)", lasts, waited)
		}
		if 100*used < 97*before {
			t.Errorf("in a stream of %d s %d s of processors are used, without planned starts %d s", lasts, used, before)
		}
	}
}
