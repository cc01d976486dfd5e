package summary

import (
	"math/big"
	"math/bits"
	"slices"
	"time"
)

// total is a sum of products of what is never negative, 128 bits wide.
type total struct{ hi, lo uint64 }

func (t *total) add(a, b int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, lo, 0)
	t.hi, _ = bits.Add64(t.hi, hi, carry)
}

// over is the total divided by n, rounded down; 0 without n.
func (t *total) over(n int64) int64 {
	if n <= 0 {
		return 0
	}
	_, hi := bits.Div64(0, t.hi, uint64(n))
	quotient, _ := bits.Div64(hi, t.lo, uint64(n))
	return int64(quotient)
}

// share is the total as a share of a whole that lasts, in millionths, rounded down; 0 of
// nothing.
func (t *total) share(whole, lasts int64) Share {
	all := new(big.Int).Mul(big.NewInt(whole), big.NewInt(lasts))
	if all.Sign() <= 0 {
		return 0
	}
	part := new(big.Int).SetUint64(t.hi)
	part.Lsh(part, 64).Add(part, new(big.Int).SetUint64(t.lo)).Mul(part, big.NewInt(1_000_000))
	return Share(part.Quo(part, all).Int64())
}

// Spread is how values of many jobs are spread, in nanoseconds; all 0 without any.
type Spread struct {
	Mean Seconds `json:"mean"`
	P50  Seconds `json:"p50"`
	P90  Seconds `json:"p90"`
	P99  Seconds `json:"p99"`
	Max  Seconds `json:"max"`
}

// spread sorts the values it is given.
func spread(values []time.Duration) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	slices.Sort(values)
	var sum total
	for _, v := range values {
		sum.add(int64(v), 1)
	}
	rank := func(p int) Seconds { return Seconds(values[(p*len(values)+99)/100-1]) }
	return Spread{Mean: Seconds(sum.over(int64(len(values)))), P50: rank(50), P90: rank(90), P99: rank(99), Max: rank(100)}
}

// level is an amount that changes over time: its integral, its peak and its curve.
type level struct {
	now, peak int64
	peakAt    time.Duration
	since     time.Duration
	sum       total
	curve     curve
}

// at moves time on; what is now held until then.
func (l *level) at(t time.Duration) {
	if t > l.since {
		l.sum.add(l.now, int64(t-l.since))
		l.curve.hold(l.now, l.since, t)
		l.since = t
	}
}

// top notes the amount as it stands once all has happened that happens at a moment.
func (l *level) top() {
	if l.now > l.peak {
		l.peak, l.peakAt = l.now, l.since
	}
}
