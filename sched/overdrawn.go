package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// traceOverdrawn records the nodes on which more is bound than they offer, once each time that it happens. Two
// schedulers in one cluster can bring this about (decision 29).
func (e *Engine) traceOverdrawn() {
	e.l.Nodes.Overdrawn(func(n ledger.NodeID) {
		var less resource.Vec
		for d := range resource.Dim(e.l.Dims.Len()) {
			less = append(less, min(0, e.l.Nodes.Idle(d)[n]))
		}
		e.rec.Add(trace.Event{Kind: trace.IdleNegative, Node: e.l.Node(n).Name,
			Amounts: []trace.Labelled{{Label: "idle", List: e.l.Dims.List(less)}}})
	})
}
