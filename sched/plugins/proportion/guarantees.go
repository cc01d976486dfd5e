package proportion

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// guarantees finds what queues have to leave free, because guarantees of other queues are not used in full.
type guarantees struct {
	p *plugin

	unfilled   unfilled
	guaranteed resource.Sums
}

// A guarantee is kept free until it is used: what all queues hold, and what guarantees
// still lack, together stay within the cluster. What all queues deserve leaves every guarantee
// free at any one time, but not over time: a queue that holds more than it deserves now, because
// other queues came, leaves less to them, and what they deserve must not come out of the room
// that another queue is guaranteed. Room taken within a guarantee adds nothing to that sum, so the
// rule always allows it. Without guarantees the rule costs nothing.

// unfilled is what the guarantees of all queues together lack. It follows what queues hold, within a cycle,
// too: Allocatable is called inside tries.
type unfilled struct {
	cursor ledger.Cursor // of the usage of queues; 0: nothing was found yet
	lacks  resource.Sums
}

// lacking is what guarantees lack of a dimension, as things stand.
func (gs *guarantees) lacking(d resource.Dim) int64 {
	if queues, known := gs.p.l.Changes.QueueUsage.Follow(&gs.unfilled.cursor); known {
		for _, q := range queues {
			gs.lack(q)
		}
		return gs.unfilled.lacks.Get(d)
	}
	gs.unfilled.lacks = gs.unfilled.lacks[:0]
	for _, q := range gs.p.divider.leaves {
		clear(gs.p.rows[q].lacks)
		gs.lack(q)
	}
	return gs.unfilled.lacks.Get(d)
}

// lack updates what a queue's guarantee lacks.
func (gs *guarantees) lack(q ledger.QueueID) {
	if !gs.p.known(q) || gs.p.l.Queue(q).Guarantee.IsEmpty() {
		return
	}
	r, queue := &gs.p.rows[q], gs.p.l.Queue(q)
	r.lacks = widen(r.lacks, len(queue.Guarantee))
	for i, guarantee := range queue.Guarantee {
		d := resource.Dim(i)
		now := fair.Unfilled(guarantee, gs.p.rows[q].real.Get(d), queue.Allocated.Get(d), 0)
		if was := r.lacks[i]; was != now {
			gs.unfilled.lacks = gs.unfilled.lacks.AddAt(d, now-was)
			r.lacks[i] = now
		}
	}
}

// beyondGuarantees is how much of a dimension a queue may still take without touching what other queues are
// guaranteed: what is left beside that, or what its own guarantee lacks. bounded is false when nothing
// has to be kept for other queues.
func (gs *guarantees) beyondGuarantees(q ledger.QueueID, d resource.Dim) (room int64, bounded bool) {
	if gs.guaranteed.Get(d) == 0 {
		return 0, false
	}
	lacks, own := gs.lacking(d), gs.p.rows[q].lacks.Get(d)
	if lacks == own {
		return 0, false
	}
	return max(own, minus(gs.p.divider.total(d), gs.withOthers(q, d))), true
}

// withOthers is what all queues hold of a dimension, plus what the guarantees of all but one queue
// lack.
func (gs *guarantees) withOthers(q ledger.QueueID, d resource.Dim) int64 {
	root, _ := gs.p.l.Queues.Find(model.RootQueue)
	held := resource.Sum{}.Plus(gs.p.l.Queue(root).Allocated.Get(d))
	return held.Plus(gs.lacking(d)).Minus(gs.p.rows[q].lacks.Get(d)).Int64()
}

// refusal is the reason why so much more would touch what other queues are guaranteed: Need is what
// all queues would hold and keep free, Have what there is. It is the zero Reason when it would not.
func (gs *guarantees) refusal(q ledger.QueueID, want resource.Vec) trace.Reason {
	r := trace.Reason{Code: trace.QueueCapability, Queue: model.RootQueue, Text: trace.CountsGuarantees}
	r.Shorts = trace.ShortsOf(gs.p.l.Dims, func(d resource.Dim) bool {
		if !gs.p.counts(d) || want.Get(d) <= 0 {
			return false
		}
		room, bounded := gs.beyondGuarantees(q, d)
		return bounded && want.Get(d) > room
	}, func(d resource.Dim) trace.Short {
		return trace.Short{Need: resource.Sum{}.Plus(gs.withOthers(q, d)).Plus(want.Get(d)).Int64(),
			Have: gs.p.divider.total(d)}
	})
	if len(r.Shorts) == 0 {
		return trace.Reason{}
	}
	return r
}
