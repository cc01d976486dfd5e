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
	if !p.bounds.known(q) {
		return nil, false
	}
	var dims []resource.Dim
	for d := range resource.Dim(p.bounds.dims) {
		if p.report.shown(q, d) || p.bounds.deserved(q, d) > 0 {
			dims = append(dims, d)
		}
	}
	p.l.Dims.SortByName(dims)
	out := make([]trace.Arithmetic, 0, len(dims))
	for _, d := range dims {
		a := trace.Arithmetic{Dim: p.l.Dims.Name(d), Named: p.l.Queue(q).Deserved.Get(d), Deserved: p.bounds.deserved(q, d)}
		if slices.Contains(p.rows[q].counts, d) {
			a.Memory = p.memory.Explain(p.l, q, d, p.holds(q, d), p.bounds.deserved(q, d))
		}
		for at := q; at != ledger.NoQueue; at = p.rows[at].up {
			a.Levels = append(a.Levels, p.report.realLevel(at, d))
		}
		slices.Reverse(a.Levels)
		a.Guarantee = a.Levels[len(a.Levels)-1].Guarantee
		if q == p.bounds.root {
			top, _ := p.bounds.top(d)
			a.Named = top.Deserved
		}
		out = append(out, a)
	}
	return out, true
}

// realLevel is one queue's realCapability, from what its parent may hold.
func (rp *reports) realLevel(q ledger.QueueID, d resource.Dim) trace.Level {
	queue := rp.p.l.Queue(q)
	level := trace.Level{Queue: queue.Name, Real: rp.p.bounds.real(q, d)}
	if q == rp.p.bounds.root {
		top, named := rp.p.bounds.top(d)
		level.Above, level.Capability, level.Bounded = max(0, rp.p.total(d)), named.Value, named.Bounded
		level.Guarantee = min(top.Guarantee, level.Real)
		return level
	}
	up := rp.p.rows[q].up
	level.Above = rp.p.bounds.real(up, d)
	limit := rp.limit(q, d)
	level.Capability, level.Bounded = limit.Value, limit.Bounded
	level.ChildGuarantees = rp.p.bounds.placing.ChildGuarantees(int32(up), int(d))
	level.Guarantee = rp.p.bounds.limitsOf(q, d).Guarantee
	return level
}

// limit is the capability that a queue names; in the tree, if it names none, that of its nearest
// ancestor that does (seed 001 §3.2).
func (rp *reports) limit(q ledger.QueueID, d resource.Dim) fair.Limit {
	for at := q; at != rp.p.bounds.root; at = rp.p.rows[at].up {
		if b := bound(rp.p.l.Queue(at), d); b.Bounded || !rp.p.bounds.tree {
			return b
		}
	}
	_, named := rp.p.bounds.top(d)
	return named
}
