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
	gangsHold   = "gangs"   // no binding starts a gang below its minimum, where the configuration knows gangs
	podsHold    = "pods"    // no pod is bound that has a node, and every decision says which life of a pod it means
	recordsHold = "records" // no pod is evicted without a record of why
)

var invariants = []string{figuresHold, nodesHold, gangsHold, podsHold, recordsHold}

// violated counts what must not be and was found.
func (m *metrics) violated(invariant string, times int) {
	m.wrong.WithLabelValues(invariant).Add(float64(times))
	if m.onViolation != nil {
		m.onViolation(invariant)
	}
}

// check counts what of a plan must not be. ready says whether the configuration lets a job start as it is once the plan
// is carried out. It changes nothing of the plan: what is wrong is what led to it.
func (m *metrics) check(led *ledger.Ledger, ready func(ledger.JobID) bool, items []sched.Item) {
	for _, i := range items {
		broken := func(invariant, what string) {
			m.violated(invariant, 1)
			klog.ErrorS(nil, "What is decided must not be: this is a bug in ashlar", "invariant", invariant, "what", what,
				"kind", i.Kind, "pod", i.Pod, "node", i.Node)
		}
		switch i.Kind {
		case sched.BindPod:
			if what, over := overfull(led, i); over {
				broken(nodesHold, "the node has less than none left of "+what)
			}
			t, known := led.Tasks.Find(i.Pod)
			if known && led.Task(t).Pod.Node != "" {
				broken(podsHold, "the pod is on node "+led.Task(t).Pod.Node+" already")
			}
			if known && led.Task(t).Job != ledger.NoJob && !ready(led.Task(t).Job) {
				broken(gangsHold, "its gang stays below its minimum")
			}
		case sched.EvictPod:
			if i.Record == nil || i.Action == "" {
				broken(recordsHold, "nothing says why")
			}
		default:
			continue
		}
		if i.UID == "" {
			broken(podsHold, "no UID says which life of the pod is meant")
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
