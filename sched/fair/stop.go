package fair

import (
	"math/bits"
	"slices"
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

// before is 1 when s is lower than t, and 0 otherwise: the cross products, followed by
// the indexes, are subtracted as one long number, and what is borrowed at the end is
// the answer. It has no branch, which makes the search several times faster.
func (s *stop) before(t *stop) uint64 {
	hi, lo := bits.Mul64(s.amount, uint64(t.weight))
	otherHi, otherLo := bits.Mul64(t.amount, uint64(s.weight))
	_, borrow := bits.Sub64(uint64(s.index), uint64(t.index), 0)
	_, borrow = bits.Sub64(lo, otherLo, borrow)
	_, borrow = bits.Sub64(hi, otherHi, borrow)
	return borrow
}

// lowest accepts stops from the lowest up while fits agrees, moves those it accepted
// to the front and returns their number. fits is asked about the stops that come next
// after those accepted so far, the last of them being the highest; a run that it
// refuses, it also refuses as part of a longer one.
//
// This is quickselect: it sorts only as far as the answer needs. What is left after
// rounds splits is sorted and halved, so that no input is slow.
func lowest(stops []stop, rounds int, fits func(next []stop) bool) int {
	n, end := 0, len(stops)
	for ; n < end; rounds-- {
		rest := stops[n:end]
		if rounds == 0 {
			slices.SortFunc(rest, func(a, b stop) int { return int(b.before(&a)) - int(a.before(&b)) })
		}
		pivot := len(rest) / 2
		if rounds > 0 {
			pivot = split(rest, middle(rest))
		}
		if fits(rest[:pivot+1]) {
			n += pivot + 1
		} else {
			end = n + pivot
		}
	}
	return n
}

// patience is how many splits a search over n stops is given: far more than it needs,
// unless the input was made to be slow.
func patience(n int) int { return 4 * bits.Len(uint(n)) }

// middle is the place of the median of the first, middle and last stop.
func middle(s []stop) int {
	a, b, c := 0, len(s)/2, len(s)-1
	if s[b].before(&s[a]) == 1 {
		a, b = b, a
	}
	switch {
	case s[c].before(&s[a]) == 1:
		return a
	case s[c].before(&s[b]) == 1:
		return c
	}
	return b
}

// split moves the stops below the pivot in front of it, the others behind it, and
// returns the pivot's new place.
func split(s []stop, pivot int) int {
	last := len(s) - 1
	s[pivot], s[last] = s[last], s[pivot]
	at, n := s[last], uint64(0)
	for i := range s[:last] {
		below := s[i].before(&at)
		s[i], s[n] = s[n], s[i]
		n += below
	}
	s[n], s[last] = s[last], s[n]
	return int(n)
}
