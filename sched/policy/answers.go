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

// FalseFirst orders by a property: what does not have it comes before what has it.
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
	// Everywhere: the answer is the same for every node, so no other node need be judged.
	Everywhere bool
}

// Admits says that the filter does not refuse the node.
func (v Verdict) Admits() bool { return v.Code == trace.None }

// Points is the unit of scores: a scorer of weight 1 gives a node between 0 and Points. In Kubernetes,
// scores are 0 to 100; a thousandth of such a point keeps apart nodes that rounding would make equal.
const Points = 100_000
