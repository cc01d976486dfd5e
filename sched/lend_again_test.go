package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// A gang that its queue refused first, and that nodes refuse by now, lends the room of its queue: room on nodes may be
// kept for it. An engine that is made anew finds the same in the same cycle.
func TestAGangThatNodesRefuseByNowLends(t *testing.T) {
	for name, members := range map[string]int32{"a pod": 1, "a gang": 2} {
		t.Run(name, func(t *testing.T) {
			s := newSharing(t)
			s.node("n2", 4)
			s.queue("other")
			s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1,
				Capability: cpu(4, 9)})
			s.tell(model.KindPodGroup, "ns", "g", gangOf("g", members))
			lends := func(e *Engine) ledger.Lending {
				j, _ := e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "g"})
				return e.l.WaitingJobs.Lending(j)
			}
			for _, p := range []string{"a", "b"} {
				s.pod(p, inQueue("q"), running("n1"))
			}
			s.pod("g-0", member("g"))
			if members > 1 {
				s.pod("g-1", member("g"))
			}
			s.decides(1)
			if got := lends(s.e); got != ledger.LendsNone {
				t.Fatalf("its queue refuses it, and it lends %v", got)
			}
			s.gone("a")
			s.gone("b")
			for i, node := range []string{"n1", "n1", "n2", "n2"} {
				s.pod(string(rune('w'+i)), inQueue("other"), running(node))
			}
			other := again(t, s.e)
			_, was := answers(t, s.e, 2*second)
			_, is := answers(t, other, 2*second)
			if lends(s.e) != ledger.Lends || lends(other) != ledger.Lends {
				t.Errorf("nodes refuse it, and it lends %v, in an engine made anew %v", lends(s.e), lends(other))
			}
			same(t, "an engine that is made anew decides otherwise", was, is)
		})
	}
}
