package model

import "math"

// Never is the last time there is: what would come later does not come.
const Never = math.MaxInt64

// After is the time d nanoseconds after another, d of either sign. Times end where an int64 does and
// never wrap: who asks to be spared for 292 years is spared, whenever that begins.
func After(at, d int64) int64 {
	switch sum := at + d; {
	case d > 0 && sum < at:
		return Never
	case d < 0 && sum > at:
		return math.MinInt64
	default:
		return sum
	}
}

// Between is how many nanoseconds lie between two times, below zero where the second is first.
func Between(from, to int64) int64 {
	switch d := to - from; {
	case to >= from && d < 0:
		return math.MaxInt64
	case to < from && d > 0:
		return math.MinInt64
	default:
		return d
	}
}

// Times are those that few pods have: they stand apart, so that the others pay a word
// for them and not three.
type Times struct {
	GoneBy   int64 // its deletionTimestamp: when its grace ends, in nanoseconds since the epoch; 0 unless Deleting
	Cooldown int64 // volcano.sh/cooldown-time in nanoseconds: how long from its start it asks to be spared
	// Lasts is how long it runs, in nanoseconds, by ashlar.sh/duration: the word of who made
	// it. 0: it does not say; what says 0 lasts 1.
	Lasts int64
}

// Rare returns a pod's Times, all zero where it has none.
func (p *Pod) Rare() Times {
	if p.Times == nil {
		return Times{}
	}
	return *p.Times
}

// SetRare gives a pod that was not handed over yet its Times.
func (p *Pod) SetRare(t Times) {
	p.Times = nil
	if t != (Times{}) {
		p.Times = &t
	}
}
