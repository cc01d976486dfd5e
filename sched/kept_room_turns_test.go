package sched

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Each room that is kept is looked at in turn, whatever time there is between cycles: where its job could not start any
// more, it is given back.
func TestEachKeptRoomIsLookedAtInTurn(t *testing.T) {
	for _, every := range []int64{1, 2, 3, 4} {
		for _, from := range []int64{100, 101} {
			for _, half := range []int{0, 1} {
				t.Run(fmt.Sprintf("each %d s from %d s, half %d", every, from, half), func(t *testing.T) {
					lookAtKeptRoom(t, every, from, half)
				})
			}
		}
	}
}

func lookAtKeptRoom(t *testing.T, every, from int64, half int) {
	s := &stage{t: t, e: engine(t, policy.Profile{Actions: []string{"enqueue", "allocate", "backfill"},
		Tiers: [][]policy.Choice{{{Plugin: "priority"}, {Plugin: "gang"}}, {{Plugin: "predicates"}, {Plugin: "capacity"},
			{Plugin: "nodeorder"}}}})}
	s.queue("other")
	for i := range 6 {
		queue, node := fmt.Sprintf("q%d", i), fmt.Sprintf("n%d", i)
		s.queue(queue)
		s.node(node, 2)
		s.pod("runs-"+queue, came(20), of("other"), running(node))
		s.pod("waits-"+queue, came(1), of(queue))
	}
	at := from
	cycles := func(n int) {
		for range n {
			s.decides(at)
			at += every
		}
	}
	cycles(20)
	if kept := len(s.e.Ledger().KeptRoom.Jobs()); kept != 6 {
		t.Fatalf("room is kept for %d jobs, want 6", kept)
	}
	for i := half; i < 6; i += 2 {
		queue := fmt.Sprintf("q%d", i)
		s.tell(model.KindQueue, "", queue, &model.Queue{Meta: model.Meta{Name: queue, UID: queue}, Weight: 1,
			Capability: resource.List{{Name: resource.CPUName, Value: 1000}}})
	}
	cycles(10)
	s.restart()
	cycles(10)
	for _, j := range ledger.ByName(s.e.l, s.e.l.KeptRoom.Jobs()) {
		queue := s.e.l.Jobs.QueueName(j)
		if int(queue[1]-'0')%2 == half {
			t.Errorf("room is still kept for the job of queue %s", queue)
		}
	}
	if kept := len(s.e.Ledger().KeptRoom.Jobs()); kept != 3 {
		t.Errorf("room is kept for %d jobs, want 3", kept)
	}
}
