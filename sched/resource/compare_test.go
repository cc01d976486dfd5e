package resource

// The seed's comparisons and differences as it names them, so that what the engine does need not be compared with
// them in words. The engine compares in single dimensions, where it decides, and needs none of them.

// Relation counts the dimensions in which a first vector is less than, equal to and
// greater than a second one. Dimensions that are zero in both are not counted.
type Relation struct {
	LessIn, EqualIn, GreaterIn int
}

// Compare relates v to w over all dimensions.
func Compare(v, w Vec) Relation {
	var r Relation
	for i := range max(len(v), len(w)) {
		r.count(v.Get(Dim(i)), w.Get(Dim(i)))
	}
	return r
}

// CompareIn relates v to w over the dimensions that req asks for, pods left out: the
// readings "with dimension" of seed 004.
func CompareIn(v, w, req Vec) Relation {
	var r Relation
	for i, x := range req {
		if x > 0 && Dim(i) != Pods {
			r.count(v.Get(Dim(i)), w.Get(Dim(i)))
		}
	}
	return r
}

func (r *Relation) count(a, b int64) {
	switch {
	case a == 0 && b == 0:
	case a < b:
		r.LessIn++
	case a > b:
		r.GreaterIn++
	default:
		r.EqualIn++
	}
}

// Less: strictly less in every dimension, and in at least one.
func (r Relation) Less() bool { return r.LessIn > 0 && r.EqualIn == 0 && r.GreaterIn == 0 }

// LessEqual: greater nowhere.
func (r Relation) LessEqual() bool { return r.GreaterIn == 0 }

// Equal: the same everywhere.
func (r Relation) Equal() bool { return r.LessIn == 0 && r.GreaterIn == 0 }

// LessPartly: less somewhere.
func (r Relation) LessPartly() bool { return r.LessIn > 0 }

// LessEqualPartly: less or equal somewhere. Two empty vectors share no dimension in
// which one could be less or equal, and the answer is no.
func (r Relation) LessEqualPartly() bool { return r.LessIn+r.EqualIn > 0 }

// GreaterPartly: greater somewhere.
func (r Relation) GreaterPartly() bool { return r.GreaterIn > 0 }

// Short appends to dst the dimensions in which have is less than need asks, and
// returns it; the same length as before means that need fits. Only what need asks
// for (above zero) is looked at: room that is overdrawn elsewhere is no hindrance.
// Order is by column; show it sorted by name.
func Short(dst []Dim, need, have Vec) []Dim {
	for i, x := range need {
		if x > 0 && have.Get(Dim(i)) < x {
			dst = append(dst, Dim(i))
		}
	}
	return dst
}

// Fits is Short without the names.
func Fits(need, have Vec) bool {
	for i, x := range need {
		if x > 0 && have.Get(Dim(i)) < x {
			return false
		}
	}
	return true
}

// Diff returns what v has more than w and what it has less, both as positive
// amounts (seed 004, "Diff").
func (v Vec) Diff(w Vec) (increased, decreased Vec) {
	return v.Clone().SubFloor(w), w.Clone().SubFloor(v)
}

// FitDelta is what would be left of v after giving req, in the dimensions req asks
// for and zero elsewhere; a negative dimension is one that falls short (seed 004,
// "FitDelta").
func (v Vec) FitDelta(req Vec) Vec {
	out := make(Vec, len(req))
	for i, x := range req {
		if x > 0 {
			out[i] = v.Get(Dim(i)) - x
		}
	}
	return out
}

// SubFloor takes w away and stops at zero in each dimension: the positive part of
// the difference (ExceededPart of the proportion seed).
func (v Vec) SubFloor(w Vec) Vec {
	v = v.Sub(w)
	for i, x := range v {
		if x < 0 {
			v[i] = 0
		}
	}
	return v
}
