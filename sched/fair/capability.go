package fair

import "math"

// Limit is an upper bound in one dimension, as resource.Limits.Bound returns it. The
// zero Limit is none.
type Limit struct {
	Value   int64
	Bounded bool
}

// Clip lowers x to the limit.
func (l Limit) Clip(x int64) int64 {
	if l.Bounded {
		return min(x, l.Value)
	}
	return x
}

// RealCapability is the most that a queue can hold of one dimension: what no sibling's
// guarantee keeps, which is the positive part of total - sumGuarantees, and its own
// guarantee, all within its capability (seed 000, §3). total is the parent's;
// sumGuarantees is over all siblings and the queue itself; guarantee is already
// within capability (decision 2). No amount is negative.
func RealCapability(total, sumGuarantees, guarantee int64, capability Limit) int64 {
	real := max(total-sumGuarantees, 0) + guarantee
	if real < 0 { // past the edge of int64
		real = math.MaxInt64
	}
	return capability.Clip(real)
}
