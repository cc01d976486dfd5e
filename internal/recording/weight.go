package recording

import (
	"unsafe"

	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// What things take of memory, in bytes, roughly: what is shared between objects, as the Specs of one template's pods,
// is not counted.
const (
	weightOfRecord = 1 << 10 // of why a pod was evicted
	weightOfOpaque = 4 << 10 // of an object of Kubernetes
	weightOfNode   = 2 << 10
	weightOfOther  = 1 << 10
)

// weight is what an object that is known no more takes as long as it is kept.
func weight(o model.Object) int64 {
	switch o := o.(type) {
	case nil:
		return 0
	case *model.Pod:
		bytes := int64(unsafe.Sizeof(*o)) + int64(len(o.Name)+len(o.UID))
		if o.Times != nil {
			bytes += int64(unsafe.Sizeof(*o.Times))
		}
		if o.Opaque != nil {
			bytes += weightOfOpaque
		}
		return bytes
	case *model.Node:
		return weightOfNode
	case *model.Opaque:
		return weightOfOpaque
	}
	return weightOfOther
}

func weightOfCommitments(c sched.Commitments) int64 {
	bytes := int64(unsafe.Sizeof(c)) +
		int64(len(c.Tasks))*int64(unsafe.Sizeof(sched.TaskCommitment{})) +
		int64(len(c.Phases))*int64(unsafe.Sizeof(sched.PhaseCommitment{})) +
		int64(len(c.Lenders))*int64(unsafe.Sizeof(sched.Lender{})) +
		int64(len(c.Spent))*int64(unsafe.Sizeof(ledger.PastEviction{})) +
		int64(len(c.Arrivals))*int64(unsafe.Sizeof(sched.Arrival{})) +
		int64(len(c.Losses))*int64(unsafe.Sizeof(ledger.Loss{})) +
		int64(len(c.Charges.Jobs)+len(c.Charges.Members)+len(c.Charges.Minimums)+len(c.Charges.Began))*128
	for _, m := range c.Memories {
		bytes += int64(len(m.Text))
	}
	return bytes
}
