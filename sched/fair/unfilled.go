package fair

import "ashlar.sh/sched/resource"

// Unfilled is what a queue may still ask for because of guarantees, so that the queue above has to leave it free: what
// the queue holds less than its guarantee, or what the queues below it may still ask for, whichever is more; but not
// more than the queue may hold. Only allocated may be negative, and guarantee may not be above real.
func Unfilled(guarantee, real, allocated, below int64) int64 {
	lacks := resource.Sum{}.Plus(guarantee).Minus(allocated).Int64()
	below = min(below, resource.Sum{}.Plus(real).Minus(allocated).Int64())
	return max(lacks, below, 0)
}

// Upward is how much of what a queue's children may still ask for counts above the queue. It is all of it if the
// queue's own guarantee is at least the sum of its children's; otherwise it is a part in proportion, so that guarantees
// which cannot all be met take no room from queues outside.
func Upward(unfilled, children, guarantee int64) int64 {
	if children <= guarantee {
		return unfilled
	}
	return resource.MulDiv(unfilled, max(guarantee, 0), children)
}
