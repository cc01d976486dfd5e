package capacity

import (
	"slices"
	"sort"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// guaranteeKeeper keeps free what guarantees of other queues lack.
type guaranteeKeeper struct {
	p *plugin

	guards resource.Vec // zero in dimensions in which no queue has a guarantee
}

// A guarantee is kept free until it is used: what is held below a queue, and what the
// guarantees there still lack, together stay within its realCapability, on every level
// from the leaf to root. However many queues borrow, and in whatever order, a queue within its
// guarantee is then never refused because of another queue. Room taken within a guarantee adds
// nothing to that sum, so the rule always allows it.

// guard keeps the list of the queues below a queue that have a guarantee.
func (gk *guaranteeKeeper) guard(q ledger.QueueID) {
	r, guarantee := &gk.p.rows[q], gk.p.l.Queue(q).Guarantee
	gk.guards = gk.guards.Max(guarantee)
	if guarantee.IsEmpty() {
		gk.unguard(q)
	} else if !r.assured && r.up != ledger.NoQueue {
		r.assured = true
		gk.p.rows[r.up].guarded = append(gk.p.rows[r.up].guarded, q)
	}
}

// unguard takes a queue off its parent's list.
func (gk *guaranteeKeeper) unguard(q ledger.QueueID) {
	r := &gk.p.rows[q]
	if !r.assured {
		return
	}
	r.assured = false
	up := &gk.p.rows[r.up]
	i, last := slices.Index(up.guarded, q), len(up.guarded)-1
	up.guarded[i] = up.guarded[last]
	up.guarded = up.guarded[:last]
}

// keeps is what a queue keeps free of each dimension for the guarantees below it. It is computed again
// only after figures below it changed.
func (gk *guaranteeKeeper) keeps(q ledger.QueueID) []int64 {
	r, moved := &gk.p.rows[q], gk.p.l.Queue(q).Moved
	if r.keptAt == moved && r.keptIn == gk.p.rounds && r.keptOf == gk.p.moved() {
		return r.kept
	}
	r.keptAt, r.keptIn, r.keptOf = moved, gk.p.rounds, gk.p.moved()
	for len(r.kept) < gk.p.bounds.dims {
		r.kept = append(r.kept, 0)
	}
	clear(r.kept)
	for _, child := range r.guarded {
		queue, below := gk.p.l.Queue(child), gk.keeps(child)
		for d, guarantee := range queue.Guarantee {
			if guarantee > 0 {
				still := gk.unfilled(child, resource.Dim(d), gk.p.holds(child, resource.Dim(d)), below[d])
				r.kept[d] = resource.Sum{}.Plus(r.kept[d]).Plus(still).Int64()
			}
		}
	}
	return r.kept
}

// unfilled is what a queue may still ask for because of guarantees, when it holds allocated and the
// queues below it may still ask for below.
func (gk *guaranteeKeeper) unfilled(q ledger.QueueID, d resource.Dim, allocated, below int64) int64 {
	b := gk.p.bounds.limitsOf(q, d)
	if b.Guarantee == 0 {
		return 0
	}
	below = fair.Upward(below, gk.p.bounds.placing.Promised(int32(q), int(d)), b.Guarantee)
	return fair.Unfilled(b.Guarantee, b.Real.Value, allocated, below)
}

// clash finds the first queue on the path from a leaf to root below which more would not leave room for
// what is guaranteed; future is what would be held there and kept free. It returns NoQueue when there
// is none.
func (gk *guaranteeKeeper) clash(leaf ledger.QueueID, d resource.Dim, more int64) (at ledger.QueueID, future int64) {
	if gk.guards.Get(d) == 0 || !gk.p.bounds.offered(d) || int(d) >= gk.p.bounds.dims {
		return ledger.NoQueue, 0
	}
	below, left := int64(0), int64(0) // kept below q, before and after
	others := false                   // some of it is kept for queues other than the leaf
	for q, up := leaf, gk.p.rows[leaf].up; up != ledger.NoQueue; q, up = up, gk.p.rows[up].up {
		held := gk.p.holds(q, d)
		was := gk.unfilled(q, d, held, below)
		is := gk.unfilled(q, d, resource.Sum{}.Plus(held).Plus(more).Int64(), left)
		below = gk.keeps(up)[d]
		others = below > was || others && was > 0
		left = below - was + is
		if others && more > was-is {
			future = resource.Sum{}.Plus(gk.p.holds(up, d)).Plus(more).Plus(left).Int64()
			if future > gk.p.bounds.real(up, d) {
				return up, future
			}
		}
	}
	return ledger.NoQueue, 0
}

// beyondGuarantees is how many of want tasks leave room for the guarantees of other queues. Beyond that number,
// no more tasks do.
func (gk *guaranteeKeeper) beyondGuarantees(q ledger.QueueID, need []ledger.Need, want int64) int64 {
	fits := func(n int64) bool {
		for i := range need {
			if at, _ := gk.clash(q, need[i].Dim, resource.MulDiv(need[i].Amount, n, 1)); at != ledger.NoQueue {
				return false
			}
		}
		return true
	}
	if fits(want) {
		return want
	}
	return int64(sort.Search(int(want), func(n int) bool { return !fits(int64(n) + 1) }))
}

// unspared is the reason why a queue must leave room to others: the queue nearest to it in which
// guarantees would not be kept. Need is what would be held there and kept free, Have what that queue
// may hold.
func (gk *guaranteeKeeper) unspared(leaf ledger.QueueID, want resource.Vec) trace.Reason {
	for at := gk.p.rows[leaf].up; at != ledger.NoQueue; at = gk.p.rows[at].up {
		shorts := trace.ShortsOf(gk.p.l.Dims, func(d resource.Dim) bool {
			up, _ := gk.clash(leaf, d, want.Get(d))
			return want.Get(d) > 0 && up == at
		}, func(d resource.Dim) trace.Short {
			_, future := gk.clash(leaf, d, want.Get(d))
			return trace.Short{Need: future, Have: gk.p.bounds.real(at, d)}
		})
		if len(shorts) > 0 {
			return trace.Reason{Code: trace.QueueCapability, Queue: gk.p.l.Queue(at).Name, Text: trace.KeptFree, Shorts: shorts}
		}
	}
	return trace.Reason{}
}
