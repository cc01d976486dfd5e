package capacity

import (
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// QueueArithmetic returns how a queue's spec.deserved became what it deserves, and what it and every
// ancestor may hold (seed 001 §3).
func (p *plugin) QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool) {
	p.refresh()
	if !p.known(q) {
		return nil, false
	}
	var dims []resource.Dim
	for d := range resource.Dim(p.dims) {
		if p.shown(q, d) || p.deserved(q, d) > 0 {
			dims = append(dims, d)
		}
	}
	p.l.Dims.SortByName(dims)
	out := make([]trace.Arithmetic, 0, len(dims))
	for _, d := range dims {
		a := trace.Arithmetic{Dim: p.l.Dims.Name(d), Named: p.l.Queue(q).Deserved.Get(d), Deserved: p.deserved(q, d)}
		for at := q; at != ledger.NoQueue; at = p.rows[at].up {
			a.Levels = append(a.Levels, p.rung(at, d))
		}
		slices.Reverse(a.Levels)
		a.Guarantee = a.Levels[len(a.Levels)-1].Guarantee
		if q == p.root {
			top, _ := p.top(d)
			a.Named = top.Deserved
		}
		out = append(out, a)
	}
	return out, true
}

// rung is one queue's realCapability, from what its parent may hold.
func (p *plugin) rung(q ledger.QueueID, d resource.Dim) trace.Level {
	queue := p.l.Queue(q)
	level := trace.Level{Queue: queue.Name, Real: p.real(q, d)}
	if q == p.root {
		top, named := p.top(d)
		level.Above, level.Capability, level.Bounded = max(0, p.total(d)), named.Value, named.Bounded
		level.Guarantee = min(top.Guarantee, level.Real)
		return level
	}
	up := p.rows[q].up
	level.Above = p.real(up, d)
	limit := p.limit(q, d)
	level.Capability, level.Bounded = limit.Value, limit.Bounded
	level.Promised = p.placing.Promised(int32(up), int(d))
	level.Guarantee = p.limitsOf(q, d).Guarantee
	return level
}

// limit is the capability that a queue names; in the tree, if it names none, that of its nearest
// ancestor that does (seed 001 §3.2).
func (p *plugin) limit(q ledger.QueueID, d resource.Dim) fair.Limit {
	for at := q; at != p.root; at = p.rows[at].up {
		if b := bound(p.l.Queue(at), d); b.Bounded || !p.tree {
			return b
		}
	}
	_, named := p.top(d)
	return named
}
