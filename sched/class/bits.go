package class

import "math/bits"

// bitset is a set of nodes: bit n%64 of word n/64 says that node n is in it. Bits beyond the last node are 0.
type bitset []uint64

func (b bitset) has(n int) bool { return b[n/64]>>(n%64)&1 != 0 }

func (b bitset) put(n int, in bool) {
	if in {
		b[n/64] |= 1 << (n % 64)
	} else {
		b[n/64] &^= 1 << (n % 64)
	}
}

// all makes it the set of the first n nodes.
func (b bitset) all(n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if n%64 != 0 {
		b[n/64] = 1<<(n%64) - 1
	}
}

// and keeps the nodes that are also in the other set.
func (b bitset) and(with bitset) {
	for i := range b {
		b[i] &= with[i]
	}
}

func (b bitset) or(with bitset) {
	for i := range b {
		b[i] |= with[i]
	}
}

func (b bitset) count() (sum int) {
	for _, w := range b {
		sum += bits.OnesCount64(w)
	}
	return sum
}

// words is how many words a set of n nodes has.
func words(n int) int { return (n + 63) / 64 }

// grow extends a set of had nodes to n nodes; the new nodes are in it.
func (b bitset) grow(had, n int) bitset {
	b = stretch(b, words(n))
	for i := had; i < n; i++ {
		b.put(i, true)
	}
	return b
}
