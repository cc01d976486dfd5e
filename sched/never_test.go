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
