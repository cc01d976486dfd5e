package fair

import "math/bits"

// Ratio is an exact share, allocated over deserved. The zero Ratio is 0. Compare is
// the only way to tell whether two are equal: 1/2 and 2/4 are.
type Ratio struct{ num, den uint64 }

// Share is allocated/deserved (seed 000, §5, with decision 3 for zero): 0 of 0 is 0,
// and anything of nothing deserved is over every other share. What is below zero
// counts as zero.
func Share(allocated, deserved int64) Ratio {
	return Ratio{uint64(max(allocated, 0)), uint64(max(deserved, 0))}
}

// Max is the largest of some shares, a queue's share when they are those of its
// dimensions. Of none it is 0.
func Max(shares ...Ratio) Ratio {
	var most Ratio
	for _, r := range shares {
		if r.Compare(most) > 0 {
			most = r
		}
	}
	return most
}

// Over says that the share is of nothing deserved: it has no value, only a place
// behind all others.
func (r Ratio) Over() bool { return r.den == 0 && r.num > 0 }

// Compare is -1, 0 or 1 as r is smaller than, equal to or larger than s. Two shares
// of nothing deserved compare by what is held, so that of two queues that borrow the
// same dimension the one that holds less goes first; between different dimensions
// that means nothing, but it is still an order.
func (r Ratio) Compare(s Ratio) int {
	if r.num == 0 {
		r.den = 1
	}
	if s.num == 0 {
		s.den = 1
	}
	if r.den == 0 && s.den == 0 {
		r.den, s.den = 1, 1
	}
	hi, lo := bits.Mul64(r.num, s.den)
	otherHi, otherLo := bits.Mul64(s.num, r.den)
	switch {
	case hi == otherHi && lo == otherLo:
		return 0
	case hi < otherHi || hi == otherHi && lo < otherLo:
		return -1
	}
	return 1
}

// MaxMicro is the largest share that is printed: a thousand million. A larger share
// and one of nothing deserved are printed as this.
const MaxMicro = 1_000_000_000 * 1_000_000

// Micro is the share in millionths, rounded half up, at most MaxMicro: for showing.
// It never falls where Compare rises, but different shares may have the same.
func (r Ratio) Micro() int64 {
	switch {
	case r.num == 0:
		return 0
	case r.den == 0:
		return MaxMicro
	}
	hi, lo := bits.Mul64(r.num, 2_000_000)
	lo, carry := bits.Add64(lo, r.den, 0)
	hi += carry
	if hi >= 2*r.den {
		return MaxMicro
	}
	q, _ := bits.Div64(hi, lo, 2*r.den)
	return int64(min(q, MaxMicro))
}
