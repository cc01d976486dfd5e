package capacity

import (
	"slices"
	"sort"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// A guarantee is kept free until it is used: what is held below a queue, and what the
// guarantees there still lack, together stay within its realCapability, on every level
// from the leaf to root. However many queues borrow, and in whatever order, a queue within its
// guarantee is then never refused because of another queue. Room taken within a guarantee adds
// nothing to that sum, so the rule always allows it.

// guard keeps the list of the queues below a queue that have a guarantee.
func (p *plugin) guard(q ledger.QueueID) {
	r, guarantee := &p.rows[q], p.l.Queue(q).Guarantee
	p.guards = p.guards.Max(guarantee)
	if guarantee.IsEmpty() {
		p.unguard(q)
	} else if !r.assured && r.up != ledger.NoQueue {
		r.assured = true
		p.rows[r.up].guarded = append(p.rows[r.up].guarded, q)
	}
}

// unguard takes a queue off its parent's list.
func (p *plugin) unguard(q ledger.QueueID) {
	r := &p.rows[q]
	if !r.assured {
		return
	}
	r.assured = false
	up := &p.rows[r.up]
	i, last := slices.Index(up.guarded, q), len(up.guarded)-1
	up.guarded[i] = up.guarded[last]
	up.guarded = up.guarded[:last]
}

// keeps is what a queue keeps free of each dimension for the guarantees below it. It is computed again
// only after figures below it changed.
func (p *plugin) keeps(q ledger.QueueID) []int64 {
	r, moved := &p.rows[q], p.l.Queue(q).Moved
	if r.keptAt == moved && r.keptIn == p.rounds && r.keptOf == p.moved() {
		return r.kept
	}
	r.keptAt, r.keptIn, r.keptOf = moved, p.rounds, p.moved()
	for len(r.kept) < p.dims {
		r.kept = append(r.kept, 0)
	}
	clear(r.kept)
	for _, child := range r.guarded {
		queue, below := p.l.Queue(child), p.keeps(child)
		for d, guarantee := range queue.Guarantee {
			if guarantee > 0 {
				still := p.unfilled(child, resource.Dim(d), p.holds(child, resource.Dim(d)), below[d])
				r.kept[d] = resource.Sum{}.Plus(r.kept[d]).Plus(still).Int64()
			}
		}
	}
	return r.kept
}

// unfilled is what a queue may still ask for because of guarantees, when it holds allocated and the
// queues below it may still ask for below.
func (p *plugin) unfilled(q ledger.QueueID, d resource.Dim, allocated, below int64) int64 {
	b := p.limitsOf(q, d)
	if b.Guarantee == 0 {
		return 0
	}
	below = fair.Upward(below, p.placing.Promised(int32(q), int(d)), b.Guarantee)
	return fair.Unfilled(b.Guarantee, b.Real.Value, allocated, below)
}

// clash finds the first queue on the path from a leaf to root below which more would not leave room for
// what is guaranteed; future is what would be held there and kept free. It returns NoQueue when there
// is none.
func (p *plugin) clash(leaf ledger.QueueID, d resource.Dim, more int64) (at ledger.QueueID, future int64) {
	if p.guards.Get(d) == 0 || !p.offered(d) || int(d) >= p.dims {
		return ledger.NoQueue, 0
	}
	below, left := int64(0), int64(0) // kept below q, before and after
	others := false                   // some of it is kept for queues other than the leaf
	for q, up := leaf, p.rows[leaf].up; up != ledger.NoQueue; q, up = up, p.rows[up].up {
		held := p.holds(q, d)
		was := p.unfilled(q, d, held, below)
		is := p.unfilled(q, d, resource.Sum{}.Plus(held).Plus(more).Int64(), left)
		below = p.keeps(up)[d]
		others = below > was || others && was > 0
		left = below - was + is
		if others && more > was-is {
			future = resource.Sum{}.Plus(p.holds(up, d)).Plus(more).Plus(left).Int64()
			if future > p.real(up, d) {
				return up, future
			}
		}
	}
	return ledger.NoQueue, 0
}

// spared is how many of want tasks leave room for the guarantees of other queues. Beyond that number,
// no more tasks do.
func (p *plugin) spared(q ledger.QueueID, need []ledger.Need, want int64) int64 {
	fits := func(n int64) bool {
		for i := range need {
			if at, _ := p.clash(q, need[i].Dim, resource.MulDiv(need[i].Amount, n, 1)); at != ledger.NoQueue {
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
func (p *plugin) unspared(leaf ledger.QueueID, want resource.Vec) trace.Reason {
	for at := p.rows[leaf].up; at != ledger.NoQueue; at = p.rows[at].up {
		shorts := policy.Shorts(p.l.Dims, func(d resource.Dim) bool {
			up, _ := p.clash(leaf, d, want.Get(d))
			return want.Get(d) > 0 && up == at
		}, func(d resource.Dim) trace.Short {
			_, future := p.clash(leaf, d, want.Get(d))
			return trace.Short{Need: future, Have: p.real(at, d)}
		})
		if len(shorts) > 0 {
			return trace.Reason{Code: trace.QueueCapability, Queue: p.l.Queue(at).Name, Text: trace.KeptFree, Shorts: shorts}
		}
	}
	return trace.Reason{}
}
