package pending

import (
	"slices"
	"sort"

	"ashlar.sh/sched/ledger"
)

// keptOrder is where queues stand beside those for which room is kept, as they were ordered when a cycle last looked
// at the parked jobs. A queue that is served falls behind others, and parked jobs of those are not looked at again: so
// the order from before holds for all jobs, whether they are parked or not.
type keptOrder struct {
	cycle uint64           // of the Index, when it was taken
	kept  []ledger.QueueID // for which room is kept, the first first
	first []int32          // by QueueID: the first of kept that the queue goes before
}

// orderKept takes the order of queues.
func (x *Index) orderKept() {
	o := &x.order
	o.cycle, o.kept, o.first = x.cycle, o.kept[:0], o.first[:0]
	if !x.l.KeptRoom.Any() {
		return
	}
	for _, j := range x.l.KeptRoom.Jobs() {
		if q := x.l.Job(j).Queue; q != ledger.NoQueue && !slices.Contains(o.kept, q) {
			o.kept = append(o.kept, q)
		}
	}
	slices.SortFunc(o.kept, x.set.CompareQueues)
	o.first = slices.Grow(o.first, x.l.Queues.Len())[:x.l.Queues.Len()]
	x.l.Queues.Each(func(q ledger.QueueID) bool {
		o.first[q] = int32(sort.Search(len(o.kept), func(i int) bool { return x.set.CompareQueues(q, o.kept[i]) < 0 }))
		return true
	})
}

// GoesBefore says that a queue goes before another, for which room is kept. While no order was taken in this cycle, or
// if room is kept for the other since then, it is as they are ordered now.
func (x *Index) GoesBefore(q, other ledger.QueueID) bool {
	at := -1
	if x.order.cycle == x.cycle && int(q) < len(x.order.first) {
		at = slices.Index(x.order.kept, other)
	}
	if at < 0 {
		return x.set.CompareQueues(q, other) < 0
	}
	return int(x.order.first[q]) <= at
}
