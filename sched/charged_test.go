package sched

import (
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// Whatever becomes of a pod's annotations, its PodGroup and its queue: the pod counts in one queue from when it begins
// to hold room until it ends. So it does for an engine that knows nothing but facts, once the pod has its record.
func TestWhatRunsCountsInOneQueueLaw(t *testing.T) {
	restarts := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...), somePace(t))
		queues, records := map[string]string{}, map[string]*model.Charge{} // by the UID of a pod that runs
		w.begin()
		for range rapid.IntRange(6, 20).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Apply(w.withRecords(records)...)
			e.Receive(receipts...)
			switch w.n(7) {
			case 6:
				e = again(t, e)
			case 7:
				restarts++
				next := engine(t, e.profile, paceOf(e))
				next.Apply(e.Facts()...)
				e = next
				w.forget()
				known := map[string]string{}
				for _, p := range w.pods { // the others were not told before this engine began
					if p != nil && p.Ours && p.Charge() != nil && queues[p.UID] != "" {
						known[p.UID] = queues[p.UID]
					}
				}
				queues = known
			}
			plan, _, _ := e.Decide(w.now)
			queues = countedIn(t, e.l, queues)
			record(e.l, records)
			w.learn(plan)
		}
	})
	if restarts == 0 {
		t.Error("no engine was started anew")
	}
}

// A pod that runs is given a PodGroup of its queue and leaves its owner's job, which is admitted anew by that:
// also by an engine that was made anew before it saw so.
func TestAnAdoptedJobThatAMemberLeftIsAdmittedAnewAfterARestart(t *testing.T) {
	owned := func(least int32) func(p *model.Pod) {
		return func(p *model.Pod) { p.Owner, p.OwnerID, p.Adopt.MinMember = "owner", "ReplicaSet.apps/1", least }
	}
	for _, restart := range []bool{false, true} {
		s := newStage(t, "enqueue", "allocate")
		s.queue("default")
		s.node("n", 4)
		s.tell(model.KindPodGroup, "ns", "g", &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"},
			Queue: "default", MinMember: 1, Phase: model.GroupRunning})
		s.pod("a", owned(1), running("n"))
		s.pod("b", owned(2))
		s.decides(1, "bind b n")
		s.pod("a", owned(1), running("n"), member("g"))
		if restart {
			s.restart()
		}
		s.decides(2)
		for _, j := range s.e.Report().Jobs {
			if j.Name == "owner" && j.Phase != model.GroupInqueue {
				t.Errorf("restarted %v: its phase is %s, want that of an admitted job", restart, j.Phase)
			}
		}
	}
}

// withRecords shows the records that the scheduler wrote, and none that another hand did.
func (w *world) withRecords(records map[string]*model.Charge) []model.Fact {
	was := w.facts
	w.facts = nil
	for i, p := range w.pods {
		if p == nil || p.Charge() == records[p.UID] {
			continue
		}
		w.edit(i, func(p *model.Pod) {
			times := p.Rare()
			times.Charge = records[p.UID]
			p.SetRare(times)
		})
	}
	facts := w.facts
	w.facts = was
	return facts
}

// record notes the records that charged pods lack.
func record(l *ledger.Ledger, records map[string]*model.Charge) {
	note := func(id ledger.TaskID, r model.Charge) bool {
		records[l.Task(id).Pod.UID] = &r
		return true
	}
	l.Charges.Unrecorded(note)
	for id := range l.Tasks.Each {
		if l.Task(id).Charged() {
			l.Charges.UnrecordedOf(l.Task(id).Job, note)
		}
	}
}

// countedIn returns in which queue each charged pod counts, and fails the test where that is another one than before.
func countedIn(t rapid.TB, l *ledger.Ledger, before map[string]string) map[string]string {
	t.Helper()
	now := map[string]string{}
	for id := range l.Tasks.Each {
		task := l.Task(id)
		was, ran := before[task.Pod.UID]
		if ran && !task.Charged() && task.Status.Holds() {
			t.Fatalf("pod %v (%s) counted in queue %s, and runs on", task.Key, task.Pod.UID, was)
		}
		if !task.Charged() || task.Pod.Node == "" { // it may not be bound after all
			continue
		}
		queue := l.Jobs.QueueName(task.Job)
		if ran && was != queue {
			t.Fatalf("pod %v (%s) counted in queue %s and counts in %s now", task.Key, task.Pod.UID, was, queue)
		}
		now[task.Pod.UID] = queue
	}
	return now
}
