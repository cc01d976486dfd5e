package fair

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/resource"
)

// level is a water level: rest/weight units of the resource for each unit of weight.
// Over weight zero it is above every claim.
type level struct{ rest, weight int64 }

// share is a claim's exact share at this level: whole units, and a part of a unit
// counted in 1/l.weight.
func (l level) share(c Demand) (whole int64, part uint64) {
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

// water is what total is used for below a level: room is what the fixed amounts leave
// of it, those of demands of which the level has not reached the floor, or that have enough;
// taking is the weight of the others.
type water struct {
	room   resource.Sum
	taking int64
}

// rise finds the highest level for which total suffices: the one at which all of it is
// given out, if there is one.
func (f *Filler) rise(total int64, demands []Demand) level {
	w := f.meet(total, demands)
	if w.room.Int64() <= 0 {
		return level{0, 1}
	}
	slices.SortFunc(f.stops, stop.compare)
	for _, next := range f.stops {
		higher := w
		if higher.pass(next); higher.above(next) {
			break
		}
		w = higher
	}
	return level{w.room.Int64(), w.taking}
}

// meet lists the stops of all claims and returns the water at level zero.
func (f *Filler) meet(total int64, demands []Demand) water {
	f.stops = f.stops[:0]
	w := water{room: resource.Sum{}.Plus(total)}
	for i := range demands {
		c := &demands[i]
		lower, upper, weight := c.lower(), c.upper(), c.weight()
		w.room = w.room.Minus(lower)
		if lower == upper {
			continue
		}
		f.meetAt(upper, weight, 2*i+1)
		if lower == 0 {
			w.taking += weight
			continue
		}
		f.meetAt(lower, weight, 2*i)
	}
	return w
}

// meetAt adds a stop: index is even where the claim begins to take, odd where it has
// enough.
func (f *Filler) meetAt(amount, weight int64, index int) {
	f.stops = append(f.stops, stop{amount: uint64(amount), weight: uint32(weight), index: int32(index)})
}

// pass is the rise past a stop: an even one frees its amount and takes, an odd one the
// reverse.
func (w *water) pass(s stop) {
	side := int64(s.index&1)*2 - 1
	w.room = w.room.Minus(side * int64(s.amount))
	w.taking -= side * int64(s.weight)
}

// above says that the water, risen to the stop s, is more than total.
func (w water) above(s stop) bool {
	room := w.room.Int64()
	if room < 0 {
		return true
	}
	hi, lo := bits.Mul64(uint64(room), uint64(s.weight))
	needHi, needLo := bits.Mul64(s.amount, uint64(w.taking))
	_, borrow := bits.Sub64(lo, needLo, 0)
	_, borrow = bits.Sub64(hi, needHi, borrow)
	return borrow == 1
}
