package fair

import (
	"math/bits"

	"ashlar.sh/sched/resource"
)

// level is a water level: rest/weight units of the resource for each unit of weight.
// Over weight zero it is above every claim.
type level struct{ rest, weight int64 }

// share is a claim's exact share at this level: whole units, and a part of a unit
// counted in 1/l.weight.
func (l level) share(c Claim) (whole int64, part uint64) {
	hi, lo := bits.Mul64(uint64(l.rest), uint64(c.weight()))
	if hi >= uint64(l.weight) {
		return c.upper(), 0
	}
	q, r := bits.Div64(hi, lo, uint64(l.weight))
	switch {
	case q >= uint64(c.upper()):
		return c.upper(), 0
	case q < uint64(c.lower()):
		return c.lower(), 0
	}
	return int64(q), r
}

// water is what is given out below a level: fixed amounts, of claims whose floor the
// level has not reached or who have enough, and the weight of those that take.
type water struct {
	fixed  resource.Sum
	taking int64
}

// rise finds the highest level for which total suffices: the one at which all of it is
// given out, if there is one.
func (f *Filler) rise(total int64, claims []Claim) level {
	w := f.meet(claims)
	if w.fixed.Int64() >= total {
		return level{0, 1}
	}
	lowest(f.stops, patience(len(f.stops)), func(next []stop) bool {
		higher := w
		for i := range next {
			higher.pass(&next[i])
		}
		if higher.above(&next[len(next)-1], total) {
			return false
		}
		w = higher
		return true
	})
	return level{total - w.fixed.Int64(), w.taking}
}

// meet lists the stops of all claims and returns the water at level zero.
func (f *Filler) meet(claims []Claim) water {
	f.stops = f.stops[:0]
	var w water
	for i := range claims {
		c := &claims[i]
		lower, upper, weight := c.lower(), c.upper(), c.weight()
		w.fixed = w.fixed.Plus(lower)
		if lower == upper {
			continue
		}
		f.meetAt(upper, weight, false)
		if lower == 0 {
			w.taking += weight
			continue
		}
		f.meetAt(lower, weight, true)
	}
	return w
}

func (f *Filler) meetAt(amount, weight int64, begins bool) {
	f.stops = append(f.stops, stop{
		amount: uint64(amount), weight: uint64(weight), index: int32(len(f.stops)), begins: begins,
	})
}

// pass is the rise past a stop.
func (w *water) pass(s *stop) {
	if s.begins {
		w.fixed = w.fixed.Minus(int64(s.amount))
		w.taking += int64(s.weight)
		return
	}
	w.fixed = w.fixed.Plus(int64(s.amount))
	w.taking -= int64(s.weight)
}

// above says that the water, risen to the stop s, is more than total.
func (w water) above(s *stop, total int64) bool {
	fixed := w.fixed.Int64()
	if fixed > total {
		return true
	}
	left := stop{amount: uint64(total - fixed), weight: uint64(w.taking), index: s.index}
	return left.before(s) == 1
}
