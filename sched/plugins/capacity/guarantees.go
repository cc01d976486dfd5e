package capacity

import (
	"slices"
	"sort"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// guarantees finds what queues have to leave free, because guarantees of other queues are not used in full.
type guarantees struct {
	p *plugin

	largest resource.Vec // guarantees; zero in dimensions in which no queue has a guarantee
}

// A guarantee is kept free until it is used: what is held below a queue, and what the
// guarantees there still lack, together stay within its realCapability, on every level
// from the leaf to root. However many queues borrow, and in whatever order, a queue within its
// guarantee is then never refused because of another queue. Room taken within a guarantee adds
// nothing to that sum, so the rule always allows it.

// add puts a queue that has a guarantee on its parent's list of such queues.
func (gs *guarantees) add(q ledger.QueueID) {
	r, guarantee := &gs.p.rows[q], gs.p.l.Queue(q).Guarantee
	gs.largest = gs.largest.Max(guarantee)
	if guarantee.IsEmpty() {
		gs.remove(q)
	} else if !r.listed && r.up != ledger.NoQueue {
		r.listed = true
		gs.p.rows[r.up].withGuarantee = append(gs.p.rows[r.up].withGuarantee, q)
	}
}

// remove takes a queue off its parent's list.
func (gs *guarantees) remove(q ledger.QueueID) {
	r := &gs.p.rows[q]
	if !r.listed {
		return
	}
	r.listed = false
	up := &gs.p.rows[r.up]
	i, last := slices.Index(up.withGuarantee, q), len(up.withGuarantee)-1
	up.withGuarantee[i] = up.withGuarantee[last]
	up.withGuarantee = up.withGuarantee[:last]
}

// unfilledBelow is what a queue has to leave free, in each dimension, for the guarantees below it. It is computed again
// only after figures below it changed.
func (gs *guarantees) unfilledBelow(q ledger.QueueID) []int64 {
	r, moved := &gs.p.rows[q], gs.p.l.Queue(q).Moved
	if r.unfilledAt == moved && r.unfilledIn == gs.p.rounds && r.unfilledOf == gs.p.moved() {
		return r.unfilled
	}
	r.unfilledAt, r.unfilledIn, r.unfilledOf = moved, gs.p.rounds, gs.p.moved()
	for len(r.unfilled) < gs.p.bounds.dims {
		r.unfilled = append(r.unfilled, 0)
	}
	clear(r.unfilled)
	for _, child := range r.withGuarantee {
		queue, below := gs.p.l.Queue(child), gs.unfilledBelow(child)
		for d, guarantee := range queue.Guarantee {
			if guarantee > 0 {
				still := gs.unfilled(child, resource.Dim(d), gs.p.holds(child, resource.Dim(d)), below[d])
				r.unfilled[d] = resource.Sum{}.Plus(r.unfilled[d]).Plus(still).Int64()
			}
		}
	}
	return r.unfilled
}

// unfilled is what a queue may still ask for because of guarantees, when it holds allocated and the
// queues below it may still ask for below.
func (gs *guarantees) unfilled(q ledger.QueueID, d resource.Dim, allocated, below int64) int64 {
	b := gs.p.bounds.limitsOf(q, d)
	if b.Guarantee == 0 {
		return 0
	}
	below = fair.Upward(below, gs.p.bounds.placing.ChildGuarantees(int32(q), int(d)), b.Guarantee)
	return fair.Unfilled(b.Guarantee, b.Real.Value, allocated, below)
}

// clash finds the first queue on the path from a leaf to root below which more would not leave room for
// what is guaranteed; future is what would be held there and kept free. It returns NoQueue when there
// is none.
func (gs *guarantees) clash(leaf ledger.QueueID, d resource.Dim, more int64) (at ledger.QueueID, future int64) {
	if gs.largest.Get(d) == 0 || !gs.p.bounds.offered(d) || int(d) >= gs.p.bounds.dims {
		return ledger.NoQueue, 0
	}
	below, left := int64(0), int64(0) // kept below q, before and after
	others := false                   // some of it is kept for queues other than the leaf
	for q, up := leaf, gs.p.rows[leaf].up; up != ledger.NoQueue; q, up = up, gs.p.rows[up].up {
		held := gs.p.holds(q, d)
		was := gs.unfilled(q, d, held, below)
		is := gs.unfilled(q, d, resource.Sum{}.Plus(held).Plus(more).Int64(), left)
		below = gs.unfilledBelow(up)[d]
		others = below > was || others && was > 0
		left = below - was + is
		if others && more > was-is {
			future = resource.Sum{}.Plus(gs.p.holds(up, d)).Plus(more).Plus(left).Int64()
			if future > gs.p.bounds.real(up, d) {
				return up, future
			}
		}
	}
	return ledger.NoQueue, 0
}

// beyondGuarantees is how many of want tasks leave room for the guarantees of other queues. Beyond that number,
// no more tasks do.
func (gs *guarantees) beyondGuarantees(q ledger.QueueID, need []ledger.Need, want int64) int64 {
	fits := func(n int64) bool {
		for i := range need {
			if at, _ := gs.clash(q, need[i].Dim, resource.MulDiv(need[i].Amount, n, 1)); at != ledger.NoQueue {
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

// refusal is the reason why a queue must leave room to others. It names the nearest queue above it in which there
// would be too little left for guarantees. Need is what would be held there and kept free, Have what that queue
// may hold.
func (gs *guarantees) refusal(leaf ledger.QueueID, want resource.Vec) trace.Reason {
	for at := gs.p.rows[leaf].up; at != ledger.NoQueue; at = gs.p.rows[at].up {
		shorts := trace.ShortsOf(gs.p.l.Dims, func(d resource.Dim) bool {
			up, _ := gs.clash(leaf, d, want.Get(d))
			return want.Get(d) > 0 && up == at
		}, func(d resource.Dim) trace.Short {
			_, future := gs.clash(leaf, d, want.Get(d))
			return trace.Short{Need: future, Have: gs.p.bounds.real(at, d)}
		})
		if len(shorts) > 0 {
			return trace.Reason{Code: trace.QueueCapability, Queue: gs.p.l.Queue(at).Name, Text: trace.CountsGuarantees,
				Shorts: shorts}
		}
	}
	return trace.Reason{}
}
