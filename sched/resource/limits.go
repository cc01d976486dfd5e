package resource

// Limits are upper bounds, dimension by dimension; a dimension without a bound is
// unlimited. The zero Limits bounds nothing. Values are immutable once shared:
// With and Min return new ones.
type Limits struct {
	bound Vec
	has   []bool
}

// Bound is the limit in a dimension, and false when there is none.
func (l Limits) Bound(d Dim) (int64, bool) {
	if int(d) < len(l.has) && l.has[d] {
		return l.bound[d], true
	}
	return 0, false
}

// With returns the limits with dimension d bounded by x.
func (l Limits) With(d Dim, x int64) Limits {
	n := max(len(l.has), int(d)+1)
	out := Limits{bound: make(Vec, n), has: make([]bool, n)}
	copy(out.bound, l.bound)
	copy(out.has, l.has)
	out.bound[d], out.has[d] = x, true
	return out
}

// Min returns the tighter of two limits in each dimension.
func (l Limits) Min(m Limits) Limits {
	n := max(len(l.has), len(m.has))
	out := Limits{bound: make(Vec, n), has: make([]bool, n)}
	for i := range n {
		x, a := l.Bound(Dim(i))
		y, b := m.Bound(Dim(i))
		switch {
		case a && b:
			out.bound[i], out.has[i] = min(x, y), true
		case a:
			out.bound[i], out.has[i] = x, true
		case b:
			out.bound[i], out.has[i] = y, true
		}
	}
	return out
}

// Clip lowers v in place to the limits (seed 004, "MinDimensionResource" with
// Infinity: what has no bound is left as it is).
func (l Limits) Clip(v Vec) Vec {
	for i, x := range v {
		if b, ok := l.Bound(Dim(i)); ok && b < x {
			v[i] = b
		}
	}
	return v
}

// Short appends the dimensions of v that exceed their bound, and returns dst.
func (l Limits) Short(dst []Dim, v Vec) []Dim {
	for i, x := range v {
		if b, ok := l.Bound(Dim(i)); ok && x > b {
			dst = append(dst, Dim(i))
		}
	}
	return dst
}

// Dims is the number of columns up to the last that may be bounded.
func (l Limits) Dims() int { return len(l.has) }

// Empty says that nothing is bounded.
func (l Limits) Empty() bool {
	for _, h := range l.has {
		if h {
			return false
		}
	}
	return true
}
