package sim

import (
	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/ledger"
)

// Starts estimates when the jobs that wait start, if nothing comes that is not there yet: items that are to be
// submitted later are not known to the scheduler. stop ends it where it returns true; nil: nothing does.
func (w *World) Starts(stop func() bool) (*estimate.Starts, error) { return w.starts(false, stop) }

// CoarseStarts are Starts that tell the far future in steps, which bounds what they cost (estimate.Options.Coarse).
func (w *World) CoarseStarts(stop func() bool) (*estimate.Starts, error) { return w.starts(true, stop) }

func (w *World) starts(coarse bool, stop func() bool) (*estimate.Starts, error) {
	next := int64(0)
	if w.next > 0 {
		next = w.clock(w.next)
	}
	return estimate.Of(sched.CopiesOf(w.engine), w.clock(w.shows-w.period), estimate.Options{
		Period: int64(w.period), Coarse: coarse,
		Idle: w.still >= 2 && len(w.objects.changed) == 0, Next: next,
		Owned: w.owned, Written: w.written, Freed: w.freed, Stop: stop})
}

// owned says that a pod is replaced when it is evicted.
func (w *World) owned(k ledger.Key) bool {
	l := w.objects.lives[podRef(k)]
	return l != nil && l.item.Owned
}
