package proportion

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// QueueFigures returns what a queue deserves and may hold; for root it is the cluster.
func (p *plugin) QueueFigures(q ledger.QueueID) (policy.QueueFigures, bool) {
	if p.l.Queue(q).Name == model.RootQueue {
		return p.root(q), true
	}
	if !p.known(q) {
		return policy.QueueFigures{}, false
	}
	f := policy.QueueFigures{Deserved: p.rows[q].deserved, ShareMicro: p.share(q).Micro(), Overused: p.overused(q)}
	for d, x := range p.rows[q].real {
		if p.shown(q, resource.Dim(d)) {
			f.RealCapability = f.RealCapability.With(resource.Dim(d), x)
		}
	}
	return f, true
}

// shown says that a dimension is worth a line: the cluster has it, or the queue has a limit in it.
func (p *plugin) shown(q ledger.QueueID, d resource.Dim) bool {
	_, bounded := p.l.Queue(q).Capability.Bound(d)
	return d != resource.Pods && (bounded || p.l.Nodes.Total(d) > 0)
}

func (p *plugin) root(q ledger.QueueID) policy.QueueFigures {
	var f policy.QueueFigures
	var share fair.Ratio
	for d := range resource.Dim(p.l.Dims.Len()) {
		if !p.shown(q, d) {
			continue
		}
		total := p.divider.total(d)
		f.Deserved = f.Deserved.Set(d, total)
		f.RealCapability = f.RealCapability.With(d, total)
		share = fair.Max(share, fair.Share(p.l.Queue(q).Allocated.Get(d), total))
	}
	f.ShareMicro = share.Micro()
	return f
}

// traceFigures records how deserved was computed, round by round, as the seed's log does (seed 000 §4.4). The
// rounds of all dimensions are merged.
func (p *plugin) traceFigures(rec *trace.Recorder) {
	n := p.l.Dims.Len()
	rounds, units := make([][]fair.Round, n), make([]int64, n)
	var total resource.Vec
	most := 0
	for d := range resource.Dim(n) {
		if d == resource.Pods || p.divider.total(d) == 0 {
			continue
		}
		total = total.Set(d, p.divider.total(d))
		stakes, unit := p.divider.divide(d)
		rounds[d] = fair.Explain(p.divider.total(d)/unit, stakes)
		units[d] = unit
		most = max(most, len(rounds[d]))
	}
	rec.Add(trace.Event{Kind: trace.TotalResource, Amounts: p.labelled("total", total)})
	values := make([]resource.Vec, len(p.divider.sharing))
	met := make([]bool, len(p.divider.sharing))
	for i := range most {
		p.traceRound(rec, rounds, units, i, values, met)
	}
}

func (p *plugin) traceRound(rec *trace.Recorder, rounds [][]fair.Round, units []int64, i int, values []resource.Vec,
	met []bool) {
	weights := make([]int64, len(p.divider.sharing))
	open := make([]bool, len(p.divider.sharing))
	var remaining resource.Vec
	for d := range rounds {
		if i >= len(rounds[d]) {
			continue
		}
		r := rounds[d][i]
		remaining = remaining.Set(resource.Dim(d), r.Left*units[d])
		for _, s := range r.Steps {
			values[s.Demand] = values[s.Demand].Set(resource.Dim(d), s.Value*units[d])
			weights[s.Demand] = max(weights[s.Demand], r.TotalWeight)
			met[s.Demand] = true
			open[s.Demand] = open[s.Demand] || !s.Met
		}
	}
	for k, q := range p.divider.sharing {
		if !met[k] {
			continue
		}
		met[k] = false
		queue := p.l.Queue(q)
		if weights[k] > 0 {
			rec.Add(trace.Event{Kind: trace.ConsideringQueue, Queue: queue.Name, Weight: queue.Weight(), Total: weights[k]})
		}
		rec.Add(trace.Event{Kind: trace.FormatDeserved, Queue: queue.Name, Amounts: p.labelled("deserved", values[k])})
		if !open[k] {
			rec.Add(trace.Event{Kind: trace.QueueMeet, Queue: queue.Name})
		}
	}
	rec.Add(trace.Event{Kind: trace.RemainingResource, Amounts: p.labelled("remaining", remaining)})
}

func (p *plugin) labelled(label string, v resource.Vec) []trace.Labelled {
	return []trace.Labelled{{Label: label, List: p.l.Dims.List(v)}}
}
