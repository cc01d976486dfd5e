package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
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

// TestAReceiptOfNoPlanEndsNothing: a world deletes members of gangs by itself, and is answered
// as for an item of a plan, but without an ID.
func TestAReceiptOfNoPlanEndsNothing(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.queue("default")
	s.node("a", 2)
	s.pod("one", running("a"))
	task, ok := s.e.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "one"})
	if !ok {
		t.Fatal("there is no such pod")
	}
	s.e.l.SetCommitment(task, ledger.Commitment{Kind: ledger.CommitEvictionDenied, Node: ledger.NoNode,
		Until: 99 * second})
	s.e.Receive(Receipt{Item: Item{Kind: EvictPod, Pod: s.e.l.Task(task).Key}, Outcome: Failed})
	if s.e.l.Task(task).Commitment.Kind != ledger.CommitEvictionDenied {
		t.Error("that its eviction was denied is forgotten")
	}
}

// TestAPhaseThatIsShownIsNotWaitedFor: the answer to a phase ends the wait for it where its
// PodGroup shows it; before that, and of an earlier item, it ends nothing.
func TestAPhaseThatIsShownIsNotWaitedFor(t *testing.T) {
	s := newStage(t, "enqueue", "allocate", "backfill")
	s.queue("default")
	s.node("a", 2)
	s.pod("one", running("a"))
	s.e.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"}, UID: "g", Version: 1,
		Object: &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, MinMember: 1,
			Phase: model.GroupInqueue}})
	j, ok := s.e.l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: "g"})
	if !ok {
		t.Fatal("there is no such job")
	}
	answer := func(id uint64) {
		s.e.Receive(Receipt{Item: Item{ID: id, Kind: SetPhase, Group: ledger.Key{Namespace: "ns", Name: "g"}}, Outcome: Done})
	}
	held := func(want bool, when string) {
		t.Helper()
		if _, held := s.e.l.Jobs.DecidedPhase(j); held != want {
			t.Errorf("%s: waited for is %t, want %t", when, held, want)
		}
	}
	s.e.l.Jobs.SetPhase(j, model.GroupRunning, 7)
	answer(7)
	held(true, "written, and not shown yet")
	s.e.l.Jobs.SetPhase(j, model.GroupInqueue, 8)
	answer(7)
	held(true, "an earlier one is answered")
	answer(8)
	held(false, "answered, and shown")
	if phase := s.e.l.Job(j).Phase; phase != model.GroupInqueue {
		t.Errorf("the phase is %v, want Inqueue", phase)
	}
}
