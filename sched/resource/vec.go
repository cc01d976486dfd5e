package resource

import "math/bits"

// Vec is a dense vector: element i is the amount in dimension i. A shorter vector
// has zeros at its end. The methods that change a vector do it in place and return
// it, grown when it had to grow, as append does.
type Vec []int64

// Get is the amount in a dimension, zero when the vector does not reach so far.
func (v Vec) Get(d Dim) int64 {
	if int(d) < len(v) {
		return v[d]
	}
	return 0
}

// Set puts an amount into a dimension.
func (v Vec) Set(d Dim, x int64) Vec {
	v = v.grow(int(d) + 1)
	v[d] = x
	return v
}

func (v Vec) grow(n int) Vec {
	for len(v) < n {
		v = append(v, 0)
	}
	return v
}

// Add adds w, dimension by dimension (seed 004, "Add").
func (v Vec) Add(w Vec) Vec {
	v = v.grow(len(w))
	for i, x := range w {
		v[i] += x
	}
	return v
}

// Sub takes w away. The result may be negative: a node that holds more than it has
// is a state to show, not a reason to stop (seed 004, "SubWithoutAssert").
func (v Vec) Sub(w Vec) Vec {
	v = v.grow(len(w))
	for i, x := range w {
		v[i] -= x
	}
	return v
}

// Scale multiplies by num/den, den > 0, rounding each dimension towards zero; a
// result beyond int64 is held at its edge (seed 004, "Multi").
func (v Vec) Scale(num, den int64) Vec {
	for i, x := range v {
		v[i] = MulDiv(x, num, den)
	}
	return v
}

// Min lowers each dimension to w's; what w lacks becomes zero (seed 004,
// "MinDimensionResource" with Zero; Limits.Clip is the one with Infinity).
func (v Vec) Min(w Vec) Vec {
	for i, x := range v {
		v[i] = min(x, w.Get(Dim(i)))
	}
	return v
}

// Max raises each dimension to w's (seed 004, "SetMaxResource").
func (v Vec) Max(w Vec) Vec {
	v = v.grow(len(w))
	for i, x := range w {
		v[i] = max(v[i], x)
	}
	return v
}

// IsEmpty says that no dimension but pods holds anything; what is overdrawn holds
// nothing (seed 004, "IsEmpty").
func (v Vec) IsEmpty() bool {
	for i, x := range v {
		if x > 0 && Dim(i) != Pods {
			return false
		}
	}
	return true
}

// Clone is a copy that shares nothing.
func (v Vec) Clone() Vec { return append(Vec(nil), v...) }

// CopyFrom makes v equal to w without a new allocation where v is long enough.
func (v Vec) CopyFrom(w Vec) Vec { return append(v[:0], w...) }

// MulDiv is x·num/den, rounded towards zero, exact in between and held at the edges
// of int64. num and den are not negative, den is not zero.
func MulDiv(x, num, den int64) int64 {
	neg := x < 0
	u := uint64(x)
	if neg {
		u = -u
	}
	hi, lo := bits.Mul64(u, uint64(num))
	q := uint64(1) << 63
	if hi < uint64(den) {
		q, _ = bits.Div64(hi, lo, uint64(den))
	}
	if q > 1<<63-1 {
		if neg {
			return -1 << 63
		}
		return 1<<63 - 1
	}
	if neg {
		return -int64(q)
	}
	return int64(q)
}
