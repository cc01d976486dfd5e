package proportion

import (
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// QueueArithmetic returns the rounds in which a queue got what it deserves (seed 000 §4.4), and what it
// may hold (§3).
func (p *plugin) QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool) {
	root := p.l.Queue(q).Name == model.RootQueue
	if !root && !p.known(q) {
		return nil, false
	}
	var dims []resource.Dim
	for d := range resource.Dim(p.l.Dims.Len()) {
		if p.shown(q, d) || !root && p.rows[q].deserved.Get(d) > 0 {
			dims = append(dims, d)
		}
	}
	p.l.Dims.SortByName(dims)
	out := make([]trace.Arithmetic, 0, len(dims))
	for _, d := range dims {
		if root {
			total := p.divider.total(d)
			out = append(out, trace.Arithmetic{Dim: p.l.Dims.Name(d), Levels: []trace.Level{p.whole(d)}, Named: total,
				Deserved: total})
		} else {
			a := p.shared(q, d)
			a.Memory = p.memory.Explain(p.l, q, d, p.l.Queue(q).Allocated.Get(d), p.rows[q].deserved.Get(d))
			out = append(out, a)
		}
	}
	return out, true
}

// whole is root: the nodes, within what a user's Queue root names.
func (p *plugin) whole(d resource.Dim) trace.Level {
	level := trace.Level{Queue: model.RootQueue, Above: max(0, p.l.Nodes.Total(d)), Real: p.divider.total(d)}
	if root, named := p.l.Queues.Find(model.RootQueue); named {
		level.Capability, level.Bounded = p.l.Queue(root).Capability.Bound(d)
	}
	return level
}

func (p *plugin) shared(q ledger.QueueID, d resource.Dim) trace.Arithmetic {
	queue, own := p.l.Queue(q), p.divider.demand(q, d)
	level := trace.Level{Queue: queue.Name, Above: p.divider.total(d), ChildGuarantees: p.guarantees.guaranteed.Get(d),
		Guarantee: own.Floor,
		Real:      own.RealCapability.Value}
	level.Capability, level.Bounded = queue.Capability.Bound(d)
	a := trace.Arithmetic{Dim: p.l.Dims.Name(d), Levels: []trace.Level{p.whole(d), level},
		Weight: own.Weight, Request: own.Request, Guarantee: own.Floor}
	at := slices.Index(p.divider.sharing, q)
	if at < 0 {
		return a
	}
	stakes, unit := p.divider.divide(d)
	for i, r := range fair.Explain(p.divider.total(d)/unit, stakes) {
		for _, s := range r.Steps {
			if s.Demand == at {
				a.Rounds = append(a.Rounds, trace.Round{Number: i + 1, TotalWeight: r.TotalWeight, Remaining: r.Remaining * unit,
					Given: s.Given * unit, Capped: s.Capped * unit, Asked: s.Asked * unit, Value: s.Value * unit,
					Met: s.Met, Correction: r.Correction})
				a.Deserved = s.Value * unit
			}
		}
	}
	return a
}
