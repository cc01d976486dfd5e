package gauge

import (
	"math"
	"math/bits"
)

// divisor divides by one number many times, by multiplying with its inverse.
type divisor struct {
	by      uint64
	inverse uint64 // 2^64/by, rounded down
}

// divisorOf prepares a divisor; by is above 0.
func divisorOf(by int64) divisor {
	return divisor{uint64(by), math.MaxUint64 / uint64(by)}
}

// divide is x/by, rounded down, for x of 0 and more. The inverse is too small by less
// than 1 + 1/by, and x is below 2^63: the quotient comes out right or one too small,
// which the remainder shows.
func (d *divisor) divide(x int64) int64 {
	q, _ := bits.Mul64(uint64(x), d.inverse)
	if uint64(x)-q*d.by >= d.by {
		q++
	}
	return int64(q)
}
