package resource

import "math/bits"

// Sum is a 128-bit integer: what any number of int64 amounts can add up to. Two
// billion times two billion amounts would be needed to wrap it.
type Sum struct {
	hi int64
	lo uint64
}

// Plus returns s + x.
func (s Sum) Plus(x int64) Sum {
	lo, carry := bits.Add64(s.lo, uint64(x), 0)
	return Sum{s.hi + x>>63 + int64(carry), lo}
}

// Minus returns s - x.
func (s Sum) Minus(x int64) Sum {
	lo, borrow := bits.Sub64(s.lo, uint64(x), 0)
	return Sum{s.hi - x>>63 - int64(borrow), lo}
}

// Int64 is the value, held at the edges of int64: decisions read sums through it.
func (s Sum) Int64() int64 {
	switch {
	case s.hi == int64(s.lo)>>63:
		return int64(s.lo)
	case s.hi < 0:
		return -1 << 63
	default:
		return 1<<63 - 1
	}
}

// Sums is a dense vector of wide sums. Like Vec, its methods grow it and return it.
type Sums []Sum

// Get is the sum in a dimension, held at the edges of int64; zero beyond the end.
func (s Sums) Get(d Dim) int64 {
	if int(d) < len(s) {
		return s[d].Int64()
	}
	return 0
}

// Add adds a vector.
func (s Sums) Add(v Vec) Sums {
	s = s.grow(len(v))
	for i, x := range v {
		s[i] = s[i].Plus(x)
	}
	return s
}

// Sub takes a vector away.
func (s Sums) Sub(v Vec) Sums {
	s = s.grow(len(v))
	for i, x := range v {
		s[i] = s[i].Minus(x)
	}
	return s
}

// AddAt adds x in one dimension.
func (s Sums) AddAt(d Dim, x int64) Sums {
	s = s.grow(int(d) + 1)
	s[d] = s[d].Plus(x)
	return s
}

func (s Sums) grow(n int) Sums {
	if n > cap(s) { // as wide as is asked for and no wider: there are several of every job
		s = append(make(Sums, 0, n), s...)
	}
	if n > len(s) {
		clear(s[len(s):n])
		s = s[:n]
	}
	return s
}

// Vec writes the sums, held at the edges of int64, into dst and returns it.
func (s Sums) Vec(dst Vec) Vec {
	dst = dst[:0]
	for _, x := range s {
		dst = append(dst, x.Int64())
	}
	return dst
}

// Equal compares to the unit; trailing zeros do not count.
func (s Sums) Equal(t Sums) bool {
	for i := range max(len(s), len(t)) {
		var a, b Sum
		if i < len(s) {
			a = s[i]
		}
		if i < len(t) {
			b = t[i]
		}
		if a != b {
			return false
		}
	}
	return true
}

// Clone is a copy that shares nothing.
func (s Sums) Clone() Sums { return append(Sums(nil), s...) }

// PlusSum returns s + sign·t, sign being 1 or -1.
func (s Sum) PlusSum(t Sum, sign int64) Sum {
	if sign < 0 {
		lo, borrow := bits.Sub64(s.lo, t.lo, 0)
		return Sum{s.hi - t.hi - int64(borrow), lo}
	}
	lo, carry := bits.Add64(s.lo, t.lo, 0)
	return Sum{s.hi + t.hi + int64(carry), lo}
}
