package capacity

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// reports tells what queues deserve, hold and may have.
type reports struct {
	p *plugin
}

// QueueFigures returns what a queue deserves and may hold; false for a queue with no sound position
// (flat: for one that is not a leaf). What root deserves is the cluster.
func (p *plugin) QueueFigures(q ledger.QueueID) (policy.QueueFigures, bool) {
	p.refresh()
	if !p.bounds.known(q) {
		return policy.QueueFigures{}, false
	}
	f := policy.QueueFigures{Deserved: p.report.vec(q, p.bounds.deserved), ShareMicro: p.order.share(q).Micro()}
	for d := range resource.Dim(p.bounds.dims) {
		if p.report.shown(q, d) {
			f.RealCapability = f.RealCapability.With(d, p.bounds.real(q, d))
		}
		if p.counted(d) {
			f.Held, f.Asked = f.Held.Set(d, p.devices.Held(q, d)), f.Asked.Set(d, p.devices.Asked(q, d))
		}
	}
	return f, true
}

func (rp *reports) vec(q ledger.QueueID, amount func(ledger.QueueID, resource.Dim) int64) resource.Vec {
	v := make(resource.Vec, rp.p.bounds.dims)
	for d := range v {
		v[d] = amount(q, resource.Dim(d))
	}
	return v
}

// shown says that a limit is worth a line: the cluster has something of it, or the queue has a limit in
// it.
func (rp *reports) shown(q ledger.QueueID, d resource.Dim) bool {
	return d != resource.Pods && (rp.p.bounds.offered(d) || bound(rp.p.l.Queue(q), d).Bounded)
}

// traceFigures records the cluster and every queue's figures.
func (rp *reports) traceFigures(rec *trace.Recorder) {
	if !rec.On(trace.QueueAttributes) {
		return
	}
	label := func(name string, v resource.Vec) trace.Labelled {
		return trace.Labelled{Label: name, List: rp.p.l.Dims.List(v)}
	}
	var total resource.Vec
	for d := range resource.Dim(rp.p.bounds.dims) {
		if rp.p.bounds.offered(d) {
			total = total.Set(d, rp.p.total(d))
		}
	}
	rec.Add(trace.Event{Kind: trace.TotalResource, Amounts: []trace.Labelled{label("total", total)}})
	for _, q := range rp.sharing() {
		queue := rp.p.l.Queue(q)
		rec.Add(trace.Event{Kind: trace.QueueAttributes, Queue: queue.Name, Micro: rp.p.order.share(q).Micro(),
			Amounts: []trace.Labelled{
				label("deserved", rp.vec(q, rp.p.bounds.deserved)), label("realCapability", rp.vec(q, rp.p.bounds.real)),
				label("allocated", queue.Allocated.Vec(nil)),
				label("request", queue.Request.Vec(nil)), label("elastic", queue.Elastic.Vec(nil)),
			}})
	}
}

// sharing lists root and the queues that share the cluster, by name.
func (rp *reports) sharing() []ledger.QueueID {
	var out []ledger.QueueID
	for q := range rp.p.rows {
		if rp.p.rows[q].shares {
			out = append(out, ledger.QueueID(q))
		}
	}
	slices.SortFunc(out, func(a, b ledger.QueueID) int { return cmp.Compare(rp.p.l.Queue(a).Name, rp.p.l.Queue(b).Name) })
	return out
}
