package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// ShareGrows says, for a refusal by a queue's share, that the share would grow with the cluster: in every
// dimension that falls short, what the queue would hold is within the capability of the queue and of every
// queue above it.
func ShareGrows(led *ledger.Ledger, r *trace.Reason) bool {
	q, ok := led.Queues.Find(r.Queue)
	if !ok || len(r.Shorts) == 0 {
		return false
	}
	for ; q != ledger.NoQueue; q = led.Queues.Parent(q) {
		for _, s := range r.Shorts {
			dim, ok := led.Dims.Lookup(s.Dim)
			if !ok {
				continue
			}
			bound, limited := led.Queue(q).Capability.Bound(dim)
			// Overused: Need is what it deserves and Have what it holds, and it wants more.
			if limited && (s.Need > bound || r.Code == trace.QueueOverused && s.Have >= bound) {
				return false
			}
		}
	}
	return true
}
