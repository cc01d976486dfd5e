package ledger

import "ashlar.sh/sched/model"

// PastEviction is an eviction of the last minute: it counts against limits of evictions. It is a commitment
// that no API field keeps.
type PastEviction struct {
	At    int64 // nanoseconds since the epoch
	Queue string
	Job   JobKey
}

// historyLasts is how long an eviction is remembered, in nanoseconds.
const historyLasts = int64(60_000_000_000)

// RecordEviction remembers the eviction of a task at a time. Times must not decrease.
func (l *Ledger) RecordEviction(t TaskID, at int64) {
	j := l.tasks[t].Job
	if j == NoJob {
		return
	}
	l.evictionHistory = append(l.evictionHistory, PastEviction{At: at, Queue: l.QueueName(j), Job: l.jobs[j].Key})
}

// RestoreEvictionHistory takes over the evictions of an earlier engine, the oldest first.
func (l *Ledger) RestoreEvictionHistory(list []PastEviction) {
	l.evictionHistory = append(l.evictionHistory[:0], list...)
}

// TrimEvictionHistory drops the evictions that are a minute old.
func (l *Ledger) TrimEvictionHistory(now int64) {
	n := 0
	for n < len(l.evictionHistory) && l.evictionHistory[n].At <= model.After(now, -historyLasts) {
		n++
	}
	l.evictionHistory = append(l.evictionHistory[:0], l.evictionHistory[n:]...)
}

// EvictionHistory returns the evictions of the last minute, the oldest first. The slice is valid until the
// next change.
func (l *Ledger) EvictionHistory() []PastEviction { return l.evictionHistory }

// Displaced calls f for every task that the outermost try evicts, or of which it ends the reservation.
func (l *Ledger) Displaced(f func(t TaskID)) {
	for i := len(l.ops) - 1; i >= 0 && l.ops[i].Statement > l.statements; i-- {
		op := &l.ops[i]
		row := &l.tasks[op.Task]
		switch {
		case op.Kind == OpEvict && row.Status == model.Releasing,
			op.Kind == OpRelease && row.Status == model.Pending && row.Held.Kind == CommitReserve:
			f(op.Task)
		}
	}
}

// Evicting calls f for every task that is evicted by the open try, or by statements of this cycle that are not
// in the plan yet, in order.
func (l *Ledger) Evicting(f func(t TaskID)) {
	for i := range l.ops {
		if t := l.ops[i].Task; l.ops[i].Kind == OpEvict && l.tasks[t].Status == model.Releasing {
			f(t)
		}
	}
}
