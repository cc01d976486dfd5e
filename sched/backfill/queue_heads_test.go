package backfill

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/search"
)

// TestTheFirstJobIsTheFirstWhateverWasPlaced places jobs while others of their queues wait, and compares which one is
// first with the least of all that lack their minimum.
func TestTheFirstJobIsTheFirstWhateverWasPlaced(t *testing.T) {
	placed, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := newTimed(t)
		for i := range w.n(5) {
			w.waits(4 + i)
		}
		w.l.ExtendDims()
		f := HeadsOf(w.s)
		f.collect(nil)
		waited := slices.DeleteFunc(slices.Clone(w.jobs), func(j ledger.JobID) bool { return !lacksMinimum(w.s, j) })
		for _, j := range waited {
			if w.n(2) == 0 {
				continue
			}
			tasks := search.PendingTasksOf(w.s, j)
			if tasks.Empty() || search.Attempt(w.s, tasks) == search.Refused {
				continue
			}
			f.Placed(j)
			placed++
			for q, waiting := range f.waiting {
				of := slices.DeleteFunc(slices.Clone(waited), func(j ledger.JobID) bool {
					return w.l.Job(j).Queue != q || !lacksMinimum(w.s, j)
				})
				if waiting.Len() != len(of) {
					t.Fatalf("%d jobs of queue %s wait, want %d", waiting.Len(), w.l.Queue(q).Name, len(of))
				}
				if left += len(of); len(of) > 0 && waiting.First() != slices.MinFunc(of, w.s.Policy.CompareJobs) {
					t.Fatalf("%s is first in queue %s, want %s", w.l.Job(waiting.First()).Key.Name, w.l.Queue(q).Name,
						w.l.Job(slices.MinFunc(of, w.s.Policy.CompareJobs)).Key.Name)
				}
			}
		}
	})
	if placed == 0 || left == 0 {
		t.Errorf("%d jobs were placed while %d others waited", placed, left)
	}
}
