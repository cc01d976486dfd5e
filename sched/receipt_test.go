package sched

import (
	"testing"

	"ashlar.sh/sched/model"
)

// TestALateReceiptEndsNothing: a receipt speaks of the item it quotes, not of what was
// decided for the pod since.
func TestALateReceiptEndsNothing(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.queue("default")
	s.node("a", 2)
	s.pod("one")
	first := s.decides(0, "bind one a").Items[0]
	s.e.Receive(Receipt{Item: first, Outcome: Done})
	s.decides(1)
	s.e.Receive(Receipt{Item: first, Outcome: Failed})
	second := s.decides(2, "bind one a").Items[0]
	if second.ID == first.ID {
		t.Errorf("both binds have the ID %d", first.ID)
	}
	s.e.Receive(Receipt{Item: first, Outcome: Failed}, Receipt{Item: first, Outcome: Missing})
	s.decides(3)
	s.pod("one", running("a"))
	s.e.Receive(Receipt{Item: second, Outcome: Failed})
	s.decides(4)
	for _, p := range s.e.Report().Pods {
		if p.Status != model.Running {
			t.Errorf("pod %s is %v: a fact beats a receipt", p.Name, p.Status)
		}
	}
}
