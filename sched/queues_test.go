package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// newSharing is a stage in which queues share by weight. There is no room: all jobs wait.
func newSharing(t *testing.T) *stage {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"allocate"}, Tiers: [][]policy.Choice{
		{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "proportion"}}}})}
	s.node("n1", 4)
	return s
}

func inQueue(queue string) func(*model.Pod) {
	return func(p *model.Pod) { p.Adopt.Queue = queue }
}

func (s *stage) stands(queue string) QueueReport {
	s.t.Helper()
	for _, q := range s.e.Report().Queues {
		if q.Name == queue {
			return q
		}
	}
	s.t.Fatalf("queue %s is not in the report", queue)
	return QueueReport{}
}

func TestTheOrderOfBeingServed(t *testing.T) {
	s := newSharing(t)
	for _, q := range []string{"full", "waits", "idle", "shut"} {
		s.queue(q)
	}
	s.pod("full-0", inQueue("full"), running("n1"))
	s.pod("full-1", inQueue("full"))
	s.pod("full-2", inQueue("full"))
	for _, p := range []string{"waits-0", "waits-1"} {
		s.pod(p, inQueue("waits"))
	}
	s.pod("shut-0", inQueue("shut"))
	s.tell(model.KindQueue, "", "shut", &model.Queue{Meta: model.Meta{Name: "shut"}, Weight: 1, State: model.QueueClosed})
	s.tell(model.KindQueue, "", "waits", &model.Queue{Meta: model.Meta{Name: "waits"}, Weight: 3})
	s.e.Decide(second) // waits holds 2 of the 3 cores it deserves, full 2 of 1
	for queue, want := range map[string][2]int{"full": {2, 2}, "waits": {1, 1}, "idle": {}, "shut": {}, "root": {}} {
		if q := s.stands(queue); q.Turn != want[0] || q.Waiting != want[1] {
			t.Errorf("%s has turn %d and %d jobs waiting, want %d and %d", queue, q.Turn, q.Waiting, want[0], want[1])
		}
	}
}

func TestAClosedQueueClosesThoseBelowIt(t *testing.T) {
	s := newSharing(t)
	for name, state := range map[string]model.QueueState{"top": model.QueueClosing, "mine": model.QueueClosed,
		"open": model.QueueOpen} {
		parent := "top"
		if name == "top" {
			parent = "root"
		}
		s.tell(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Parent: parent, State: state})
	}
	s.tell(model.KindQueue, "", "deep", &model.Queue{Meta: model.Meta{Name: "deep"}, Weight: 1, Parent: "open"})
	for name, want := range map[string]QueueReport{
		"top":  {State: model.QueueClosing},
		"mine": {State: model.QueueClosed},
		"open": {State: model.QueueClosing, ClosedBy: "top"},
		"deep": {State: model.QueueClosing, ClosedBy: "top"},
		"root": {State: model.QueueOpen},
	} {
		if q := s.stands(name); q.State != want.State || q.ClosedBy != want.ClosedBy {
			t.Errorf("%s is %v by %q, want %v by %q", name, q.State, q.ClosedBy, want.State, want.ClosedBy)
		}
	}
	s.tell(model.KindQueue, "", "root", &model.Queue{Meta: model.Meta{Name: "root"}, Weight: 1, State: model.QueueClosed})
	s.tell(model.KindQueue, "", "top", &model.Queue{Meta: model.Meta{Name: "top"}, Weight: 1})
	if q := s.stands("deep"); q.State != model.QueueOpen {
		t.Errorf("below a root that somebody closed deep is %v, want Open: root is the cluster", q.State)
	}
}

func TestWhyOfAQueue(t *testing.T) {
	s := newSharing(t)
	s.queue("a")
	s.pod("a-0", inQueue("a"))
	s.pod("x-0", inQueue("nowhere"))
	s.e.Decide(second)
	for queue, want := range map[string]struct {
		known bool
		gate  trace.Code
		sums  int
	}{
		"a": {true, trace.None, 1}, "root": {true, trace.None, 1},
		"nowhere": {true, trace.QueueNotFound, 0}, "unheard of": {},
	} {
		w, known := s.e.QueueWhy(queue)
		if known != want.known || w.Gate.Code != want.gate || len(w.Sums) != want.sums {
			t.Errorf("%s: known %t, gate %q, %d sums; want %+v", queue, known, w.Gate.Code, len(w.Sums), want)
		}
	}
}
