package fair

import "ashlar.sh/sched/resource"

// Unfilled is what a queue may still ask for because it is guaranteed, and what the
// queue above therefore keeps free: what its guarantee lacks, or what those below it may
// still ask for, when that is more; but not what it cannot hold. No amount but allocated
// may be negative, and no guarantee above real.
func Unfilled(guarantee, real, allocated, below int64) int64 {
	lacks := resource.Sum{}.Plus(guarantee).Minus(allocated).Int64()
	below = min(below, resource.Sum{}.Plus(real).Minus(allocated).Int64())
	return max(lacks, below, 0)
}

// Upward is how much of what a queue's children may still ask for counts above it. All,
// if the queue is guaranteed what it promised its children; otherwise the part that it
// is guaranteed of it, so that a promise which cannot be kept hurts no queue outside.
func Upward(unfilled, promised, guarantee int64) int64 {
	if promised <= guarantee {
		return unfilled
	}
	return resource.MulDiv(unfilled, max(guarantee, 0), promised)
}
