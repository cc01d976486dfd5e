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

// allocated is what so many bytes take of the heap, which has a few sizes only, and whole pages of what is large.
func allocated(bytes int) int64 {
	step := 16
	for step*16 <= bytes {
		step *= 2
	}
	if bytes > 16<<10 {
		step = 8 << 10
	}
	return int64((bytes + step - 1) &^ (step - 1))
}

// weightOfList is what a list takes that is alone in its memory.
func weightOfList[T any](list []T) int64 {
	var one T
	return allocated(cap(list) * int(unsafe.Sizeof(one)))
}

// weight is what an object that is known no more takes as long as it is kept.
func weight(o model.Object) int64 {
	switch o := o.(type) {
	case nil:
		return 0
	case *model.Pod:
		bytes := allocated(int(unsafe.Sizeof(*o))) + allocated(len(o.Name)) + allocated(len(o.UID))
		if o.Times != nil {
			bytes += allocated(int(unsafe.Sizeof(*o.Times)))
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
	bytes := allocated(int(unsafe.Sizeof(c))) + weightOfList(c.Tasks) + weightOfList(c.Phases) +
		weightOfList(c.WaitingJobs) + weightOfList(c.PastEvictions) + weightOfList(c.Arrivals) +
		weightOfList(c.Losses) +
		int64(len(c.Charges.Jobs)+len(c.Charges.Members)+len(c.Charges.Minimums)+len(c.Charges.Began))*128
	for _, m := range c.Memories {
		bytes += int64(len(m.Text))
	}
	bytes += weightOfList(c.Runs)
	for i := range c.Runs {
		bytes += weightOfList(c.Runs[i].Runs)
	}
	if c.Usage != nil {
		for _, list := range [][]ledger.UsageRecord{c.Usage.Queues, c.Usage.Tenants} {
			bytes += weightOfList(list)
			for i := range list {
				bytes += weightOfList(list[i].Amounts)
			}
		}
	}
	return bytes
}
