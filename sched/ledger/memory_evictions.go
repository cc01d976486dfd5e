package ledger

import "ashlar.sh/sched/model"

// EvictionHistory holds the evictions of the last minute, which count against limits of evictions.
type EvictionHistory struct {
	l *Ledger

	past []PastEviction // evictions of the last minute, the oldest first
}

// PastEviction is an eviction of the last minute: it counts against limits of evictions. It is a commitment
// that no API field keeps.
type PastEviction struct {
	At    int64 // nanoseconds since the epoch
	Queue string
	Job   JobKey
}

// historyLasts is how long an eviction is remembered, in nanoseconds.
const historyLasts = int64(60_000_000_000)

// Record remembers the eviction of a task at a time. Times must not decrease.
func (eh *EvictionHistory) Record(t TaskID, at int64) {
	j := eh.l.Tasks.rows[t].Job
	if j == NoJob {
		return
	}
	eh.past = append(eh.past, PastEviction{At: at, Queue: eh.l.Jobs.QueueName(j), Job: eh.l.Jobs.rows[j].Key})
}

// Restore takes over the evictions of an earlier engine, the oldest first.
func (eh *EvictionHistory) Restore(list []PastEviction) {
	eh.past = append(eh.past[:0], list...)
}

// Trim drops the evictions that are a minute old.
func (eh *EvictionHistory) Trim(now int64) {
	n := 0
	for n < len(eh.past) && eh.past[n].At <= model.After(now, -historyLasts) {
		n++
	}
	eh.past = append(eh.past[:0], eh.past[n:]...)
}

// All returns the evictions of the last minute, the oldest first. The slice is valid until the
// next change.
func (eh *EvictionHistory) All() []PastEviction { return eh.past }
