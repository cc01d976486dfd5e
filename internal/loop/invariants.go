package loop

import (
	"k8s.io/klog/v2"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// The invariants that are checked while it runs, as they are labelled in ashlar_invariant_violations_total.
const (
	figuresHold = "figures" // a recount from scratch finds every figure right
	nodesHold   = "nodes"   // no binding takes a node above what it offers
)

// check counts the bindings of a plan that must not be: those to nodes on which pods then hold more than there is, of
// what the bound pod asks for. It changes nothing of the plan: what is wrong is what led to it.
func (m *metrics) check(led *ledger.Ledger, items []sched.Item) {
	for _, i := range items {
		if i.Kind != sched.BindPod {
			continue
		}
		if what, over := overfull(led, i); over {
			m.wrong.WithLabelValues(nodesHold).Inc()
			klog.ErrorS(nil, "A binding takes a node above what it offers: this is a bug in ashlar", "pod", i.Pod,
				"node", i.Node, "resource", what)
		}
	}
}

// overfull says of which resource a node has less than nothing left, of those that the pod bound to it asks for.
func overfull(led *ledger.Ledger, i sched.Item) (what string, over bool) {
	t, known := led.Tasks.Find(i.Pod)
	n, there := led.Nodes.Find(i.Node)
	if !known || !there {
		return "", false
	}
	for d, asked := range led.Class(led.Task(t).Class).Request {
		if asked > 0 && led.Nodes.Idle(resource.Dim(d))[n] < 0 {
			return led.Dims.Name(resource.Dim(d)), true
		}
	}
	return "", false
}
