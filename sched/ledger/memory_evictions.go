package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// EvictionHistory holds the evictions of the last minute, which count against limits of evictions.
type EvictionHistory struct {
	l *Ledger

	past []PastEviction // evictions of the last minute, the oldest first
	from int64          // evictions before this time are not known and may be of the last minute; 0: all are known
}

// PastEviction is an eviction of the last minute: it counts against limits of evictions. It is a commitment
// that no API field keeps.
type PastEviction struct {
	At    int64 // nanoseconds since the epoch
	Queue string
	Job   JobKey
	Item  uint64 `json:",omitempty"` // of the plan; 0: it was decided by a version that did not keep that
}

// historyLasts is how long an eviction is remembered, in nanoseconds.
const historyLasts = int64(60_000_000_000)

// Record remembers the eviction of a task at a time, by a plan item. Times must not decrease.
func (eh *EvictionHistory) Record(t TaskID, at int64, item uint64) {
	j := eh.l.Tasks.rows[t].Job
	if j == NoJob {
		return
	}
	eh.past = append(eh.past, PastEviction{At: at, Queue: eh.l.Jobs.QueueName(j), Job: eh.l.Jobs.rows[j].Key,
		Item: item})
}

// TakeBack forgets the eviction by a plan item that was not carried out, and that nothing was asked for.
func (eh *EvictionHistory) TakeBack(item uint64) {
	eh.past = slices.DeleteFunc(eh.past, func(e PastEviction) bool { return e.Item == item })
}

// Restore takes over the evictions of an earlier engine, the oldest first, and the time before which they
// are not known.
func (eh *EvictionHistory) Restore(list []PastEviction, from int64) {
	eh.past = append(eh.past[:0], list...)
	eh.from = from
}

// KnownFrom says that evictions before a time, in nanoseconds since the epoch, are not known: another
// scheduler may have evicted until then.
func (eh *EvictionHistory) KnownFrom(at int64) { eh.from = at }

// From returns the time before which evictions of the last minute are not known; 0 if all are.
func (eh *EvictionHistory) From() int64 { return eh.from }

// CompleteAt returns the time from which all evictions of the last minute are known; 0 if they are.
func (eh *EvictionHistory) CompleteAt() int64 {
	if eh.from == 0 {
		return 0
	}
	return model.After(eh.from, historyLasts)
}

// Trim drops the evictions that are a minute old.
func (eh *EvictionHistory) Trim(now int64) {
	if eh.from != 0 && eh.CompleteAt() <= now {
		eh.from = 0
	}
	n := 0
	for n < len(eh.past) && eh.past[n].At <= model.After(now, -historyLasts) {
		n++
	}
	eh.past = append(eh.past[:0], eh.past[n:]...)
}

// All returns the evictions of the last minute, the oldest first. The slice is valid until the
// next change.
func (eh *EvictionHistory) All() []PastEviction { return eh.past }
