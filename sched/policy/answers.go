package policy

import "ashlar.sh/sched/trace"

// Vote is an answer to "may this job …?". The zero Vote abstains.
type Vote int8

// The votes.
const (
	Abstain Vote = 0
	Permit  Vote = 1
	Reject  Vote = -1
)

// FalseFirst orders by a property: who does not have it comes before who does.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// Verdict is a filter's answer about a node. The zero Verdict admits.
type Verdict struct {
	Code   trace.Code
	Text   string
	Domain trace.Domain // of affinity between pods and topology spread
	// Need and Have are the amounts of a NodeDevices: devices asked for, and free.
	Need, Have int32
	// Curable: tasks leaving the node could change the answer (Kubernetes'
	// Unschedulable). Otherwise nothing that is done to the node's tasks helps
	// (UnschedulableAndUnresolvable).
	Curable bool
	// Everywhere: it says the same of every node, and no other need be asked.
	Everywhere bool
}

// Admits says that the filter has nothing against the node.
func (v Verdict) Admits() bool { return v.Code == trace.None }

// Points is the score unit: a scorer of weight 1 gives a node between 0 and Points.
// Kubernetes gives 0 to 100; a thousandth of its point keeps the order of nodes that
// its rounding would tie.
const Points = 100_000
