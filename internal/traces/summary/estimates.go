package summary

import (
	"time"

	"ashlar.sh/internal/traces"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// Estimates is how starts that were estimated while jobs waited compare with what became of them. The estimates know
// nothing of jobs that are submitted later.
type Estimates struct {
	Every  Seconds `json:"every"`
	Jobs   int     `json:"jobs"`   // that started and had an estimate before
	Inside Share   `json:"inside"` // of them: within the range that was estimated first
	Slip   Spread  `json:"slip"`   // by how much they started later than that; 0: they did not
	Most   Seconds `json:"most"`
}

// estimating follows estimates of one run.
type estimating struct {
	every  time.Duration
	next   time.Duration
	firsts estimate.Firsts
	slips  []time.Duration
	inside int64
}

// EstimateEvery has estimates taken in, so often in virtual time.
func (w *Watch) EstimateEvery(d time.Duration) { w.estimates = &estimating{every: d, next: d} }

// Estimate says that estimates are due before a cycle at a time runs.
func (w *Watch) Estimate(at time.Duration) bool { return w.estimates != nil && at > w.estimates.next }

// Estimated takes estimates in that were made before a cycle at a time.
func (w *Watch) Estimated(s *estimate.Starts, at time.Duration) {
	x := w.estimates
	x.firsts.Note(s)
	x.next = max(x.next, at-at%x.every) + x.every
}

// starts notes that a job has started at a time. Virtual time is that of the epoch in the run of a trace.
func (x *estimating) starts(j *job, at time.Duration) {
	if x == nil {
		return
	}
	first, known := x.firsts.Started(ledger.JobKey{Namespace: traces.Namespace, Name: j.Name})
	if !known {
		return
	}
	if first.Holds(int64(at)) {
		x.inside++
	}
	x.slips = append(x.slips, time.Duration(first.Slip(int64(at))))
}

func (x *estimating) figures() *Estimates {
	if x == nil {
		return nil
	}
	out := &Estimates{Every: Seconds(x.every), Jobs: len(x.slips), Slip: spread(x.slips)}
	if n := len(x.slips); n > 0 {
		var inside total
		inside.add(x.inside, 1)
		out.Inside, out.Most = inside.share(int64(n), 1), Seconds(x.slips[n-1]) // spread has sorted them
	}
	return out
}
