package fair

import (
	"math/bits"

	"ashlar.sh/sched/resource"
)

// nearby is how often a level is put right before the search for it starts from nothing.
const nearby = 4

// near finds the level for total from one that was right before something changed: the
// claims that take at a level, and what the others have, make the next one; a level that
// makes itself gives out exactly total. False: it is not near, or there is none that does.
// It is then as high as rise finds it, or as good: shares are the same.
func (l level) near(total int64, demands []Demand) (level, bool) {
	for range nearby {
		if l.rest <= 0 || l.weight <= 0 {
			return level{}, false
		}
		w := l.water(total, demands)
		next := level{w.room.Int64(), w.taking}
		if next.same(l) {
			return next, true
		}
		l = next
	}
	return level{}, false
}

// water is what a total is used for at this level.
func (l level) water(total int64, demands []Demand) water {
	w := water{room: resource.Sum{}.Plus(total)}
	for i := range demands {
		c := &demands[i]
		lower, upper, weight := c.lower(), c.upper(), c.weight()
		switch {
		case l.reaches(upper, weight):
			w.room = w.room.Minus(upper)
		case lower == 0 || l.reaches(lower, weight):
			w.taking += weight
		default:
			w.room = w.room.Minus(lower)
		}
	}
	return w
}

// reaches says that a claim of so much weight has at least amount at this level.
func (l level) reaches(amount, weight int64) bool {
	hi, lo := bits.Mul64(uint64(l.rest), uint64(weight))
	needHi, needLo := bits.Mul64(uint64(amount), uint64(l.weight))
	_, borrow := bits.Sub64(lo, needLo, 0)
	_, borrow = bits.Sub64(hi, needHi, borrow)
	return borrow == 0
}

// same says that two levels, the second of them above zero, are equally high.
func (l level) same(m level) bool {
	if l.rest <= 0 || l.weight <= 0 {
		return false
	}
	hi, lo := bits.Mul64(uint64(l.rest), uint64(m.weight))
	otherHi, otherLo := bits.Mul64(uint64(m.rest), uint64(l.weight))
	return hi == otherHi && lo == otherLo
}
