package proportion

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// guaranteeKeeper keeps free what guarantees of other queues lack.
type guaranteeKeeper struct {
	p *plugin

	kept       kept
	guaranteed resource.Sums
}

// A guarantee is kept free until it is used: what all queues hold, and what guarantees
// still lack, together stay within the cluster. What all queues deserve leaves every guarantee
// free at any one time, but not over time: a queue that holds more than it deserves now, because
// other queues came, leaves less to them, and what they deserve must not come out of the room
// that another queue is guaranteed. Room taken within a guarantee adds nothing to that sum, so the
// rule always allows it. Without guarantees the rule costs nothing.

// kept is what the guarantees of all queues together lack. It follows what queues hold, within a cycle,
// too: Allocatable is called inside tries.
type kept struct {
	cursor ledger.Cursor // of the usage of queues; 0: nothing was found yet
	lacks  resource.Sums
}

// lacking is what guarantees lack of a dimension, as things stand.
func (gk *guaranteeKeeper) lacking(d resource.Dim) int64 {
	if queues, known := gk.p.l.Changes.QueueUsage.Follow(&gk.kept.cursor); known {
		for _, q := range queues {
			gk.lack(q)
		}
		return gk.kept.lacks.Get(d)
	}
	gk.kept.lacks = gk.kept.lacks[:0]
	for _, q := range gk.p.divider.leaves {
		clear(gk.p.rows[q].lacks)
		gk.lack(q)
	}
	return gk.kept.lacks.Get(d)
}

// lack updates what a queue's guarantee lacks.
func (gk *guaranteeKeeper) lack(q ledger.QueueID) {
	if !gk.p.known(q) || gk.p.l.Queue(q).Guarantee.IsEmpty() {
		return
	}
	r, queue := &gk.p.rows[q], gk.p.l.Queue(q)
	r.lacks = widen(r.lacks, len(queue.Guarantee))
	for i, guarantee := range queue.Guarantee {
		d := resource.Dim(i)
		now := fair.Unfilled(guarantee, gk.p.rows[q].real.Get(d), queue.Allocated.Get(d), 0)
		if was := r.lacks[i]; was != now {
			gk.kept.lacks = gk.kept.lacks.AddAt(d, now-was)
			r.lacks[i] = now
		}
	}
}

// beyondGuarantees is how much of a dimension a queue may still take without touching what other queues are
// guaranteed: what is left beside that, or what its own guarantee lacks. bounded is false when nothing
// has to be kept for other queues.
func (gk *guaranteeKeeper) beyondGuarantees(q ledger.QueueID, d resource.Dim) (room int64, bounded bool) {
	if gk.guaranteed.Get(d) == 0 {
		return 0, false
	}
	lacks, own := gk.lacking(d), gk.p.rows[q].lacks.Get(d)
	if lacks == own {
		return 0, false
	}
	return max(own, minus(gk.p.divider.total(d), gk.withOthers(q, d))), true
}

// withOthers is what all queues hold of a dimension, plus what the guarantees of all but one queue
// lack.
func (gk *guaranteeKeeper) withOthers(q ledger.QueueID, d resource.Dim) int64 {
	root, _ := gk.p.l.Queues.Find(model.RootQueue)
	held := resource.Sum{}.Plus(gk.p.l.Queue(root).Allocated.Get(d))
	return held.Plus(gk.lacking(d)).Minus(gk.p.rows[q].lacks.Get(d)).Int64()
}

// unspared is the reason why this much more would touch what other queues are guaranteed: Need is what
// all queues would hold and keep free, Have what there is. It is the zero Reason when it would not.
func (gk *guaranteeKeeper) unspared(q ledger.QueueID, want resource.Vec) trace.Reason {
	r := trace.Reason{Code: trace.QueueCapability, Queue: model.RootQueue, Text: trace.KeptFree}
	r.Shorts = trace.ShortsOf(gk.p.l.Dims, func(d resource.Dim) bool {
		if !gk.p.counts(d) || want.Get(d) <= 0 {
			return false
		}
		room, bounded := gk.beyondGuarantees(q, d)
		return bounded && want.Get(d) > room
	}, func(d resource.Dim) trace.Short {
		return trace.Short{Need: resource.Sum{}.Plus(gk.withOthers(q, d)).Plus(want.Get(d)).Int64(),
			Have: gk.p.divider.total(d)}
	})
	if len(r.Shorts) == 0 {
		return trace.Reason{}
	}
	return r
}
