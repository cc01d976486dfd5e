package fair

import "math/bits"

// CompareWeighted is -1, 0 or 1 as r/weight is smaller than, equal to or larger than
// s/other: of two that hold the same, the one of more weight has had less of what is its
// due. Weights below 1 count as 1. Shares of nothing deserved come last, as in Compare.
func (r Ratio) CompareWeighted(weight int64, s Ratio, other int64) int {
	weight, other = max(weight, 1), max(other, 1)
	switch {
	case r.num == 0 && s.num == 0:
		return 0
	case weight == other || r.Over() || s.Over():
		return r.Compare(s)
	case r.den == s.den: // of the same dimension, as most are: two factors will do
		return Ratio{r.num, uint64(weight)}.Compare(Ratio{s.num, uint64(other)})
	}
	r.den, s.den = max(r.den, 1), max(s.den, 1)
	left := product(r.num, s.den, uint64(other))
	right := product(s.num, r.den, uint64(weight))
	return left.compare(right)
}

// Within says that r is at most s + micro millionths, exactly. A share of nothing
// deserved is within no other but one that Compare puts level or behind.
func (r Ratio) Within(s Ratio, micro uint32) bool {
	if r.Over() || s.Over() || r.Compare(s) <= 0 {
		return r.Compare(s) <= 0
	}
	r.den, s.den = max(r.den, 1), max(s.den, 1)
	right := product(s.num, r.den, 1_000_000).plus(product(r.den, s.den, uint64(micro)))
	return product(r.num, s.den, 1_000_000).compare(right) <= 0
}

// wide is a number of 192 bits, the lowest first: what three factors make.
type wide [3]uint64

func product(a, b, c uint64) wide {
	hi, lo := bits.Mul64(a, b)
	carry, low := bits.Mul64(lo, c)
	high, mid := bits.Mul64(hi, c)
	mid, over := bits.Add64(mid, carry, 0)
	return wide{low, mid, high + over}
}

// plus is the sum, which callers know to stay within 192 bits.
func (w wide) plus(x wide) (sum wide) {
	var carry uint64
	for i := range w {
		sum[i], carry = bits.Add64(w[i], x[i], carry)
	}
	return sum
}

func (w wide) compare(x wide) int {
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] != x[i] {
			if w[i] < x[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}
