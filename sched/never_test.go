package sched

import (
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// A job of which it is said that it can never start does not start when all other pods are gone. A proof that was
// wrong once would make people change what is right.
func TestWhatNeverStartsDoesNotStartAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...), somePace(t))
		w.begin()
		for range rapid.IntRange(2, 8).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			plan, _ := answers(t, e, w.now)
			w.learn(plan)
		}
		e.l.Jobs.Each(func(id ledger.JobID) bool {
			r, job := e.JobReason(id), e.l.Job(id)
			if r.Never == nil {
				return true
			}
			alone := engine(t, e.profile, paceOf(e))
			alone.Apply(withoutOtherPods(e, id)...)
			for i := range int64(4) {
				alone.Decide(w.now + i*60e9)
			}
			if found, ok := alone.l.Jobs.Find(job.Key); ok {
				if is := alone.l.Job(found); is.Ready() >= max(is.MinMember, 1) && job.Ready() < job.MinMember {
					t.Fatalf("%s was told %+v, and alone %d of its pods started", job.Key, *r.Never, is.Ready())
				}
			}
			return true
		})
	})
}

func withoutOtherPods(e *Engine, id ledger.JobID) (out []model.Fact) {
	for _, f := range e.Facts() {
		if pod, ok := f.Object.(*model.Pod); ok {
			t, known := e.l.Tasks.Find(ledger.Key{Namespace: pod.Namespace, Name: pod.Name})
			if !known || e.l.Task(t).Job != id {
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// A gang that runs in a queue and names another by now counts in the first until what runs of it ends. So the
// capability of the first proves nothing about it.
func TestAGangThatNamesAnotherQueueIsNotToldNever(t *testing.T) {
	s := newSharing(t)
	s.node("n2", 8)
	s.queue("other")
	s.tell(model.KindQueue, "", "q", &model.Queue{Meta: model.Meta{Name: "q", UID: "q"}, Weight: 1, Capability: cpu(2, 9)})
	s.tell(model.KindPodGroup, "ns", "g", gangOf("g", 1))
	s.pod("g-0", member("g"), running("n1"))
	s.e.Decide(second)
	s.tell(model.KindPodGroup, "ns", "g", gangOf("g", 3, func(g *model.PodGroup) { g.Queue = "other" }))
	s.pod("g-1", member("g"))
	s.pod("g-2", member("g"))
	s.e.Decide(2 * second)
	id := s.e.Questions().JobsNamed("ns", "g")[0]
	r := s.e.JobReason(id)
	if queue := s.e.l.Jobs.QueueName(id); queue != "q" || r.Code == "" {
		t.Fatalf("it counts in %s and waits for %+v, want it in q, and waiting", queue, r)
	}
	if r.Never != nil {
		t.Errorf("it is told that it can never start: %+v", *r.Never)
	}
}
