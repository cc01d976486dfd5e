package fair

import (
	"cmp"
	"math/bits"
)

// stop is a place in an order. In the search for the level it is a height at which
// the rising water meets a claim: at the floor, where the claim begins to take, or at
// the upper edge, where it has enough. In the dealing of left-over units it is a
// claim's place in the queue for them.
type stop struct {
	// amount/weight is the height, and index, different in all stops of a search,
	// decides between equal ones. Weights reach 2^31; small stops are quickly moved.
	amount uint64
	weight uint32
	index  int32
}

// compare is negative when s is lower than t.
func (s stop) compare(t stop) int {
	hi, lo := bits.Mul64(s.amount, uint64(t.weight))
	otherHi, otherLo := bits.Mul64(t.amount, uint64(s.weight))
	switch {
	case hi != otherHi:
		return cmp.Compare(hi, otherHi)
	case lo != otherLo:
		return cmp.Compare(lo, otherLo)
	default:
		return cmp.Compare(s.index, t.index)
	}
}
