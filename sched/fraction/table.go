package fraction

import (
	"math"
	"math/bits"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Table computes what many nodes would have left in one dimension, exactly and without
// dividing: it keeps a multiplier for the allocatable of each node. It follows the
// ledger's feed of nodes.
type Table struct {
	l      *ledger.Ledger
	d      resource.Dim
	cursor ledger.Cursor // of nodes: it is fresh up to it

	of      []int64 // by NodeID: the allocatable that part and shift stand for; 0: none
	part    []uint64
	shift   []uint8
	inexact int // how many nodes are
}

// NewTable returns a Table of a dimension.
func NewTable(l *ledger.Ledger, d resource.Dim) *Table { return &Table{l: l, d: d} }

// Run computes, for the nodes from first on, the part of a node's allocatable that would
// be left with a request on top, in policy.MaxNodeScore and rounded up: MaxNodeScore less Share. For
// a node without room, and for an inexact one, the result means nothing.
func (t *Table) Run(first ledger.NodeID, request int64, left []int64) {
	t.sync()
	// Slices of one length, so that the compiler leaves out the checks of bounds.
	room := t.l.Nodes.Room(t.d)[first:][:len(left)]
	part, shift := t.part[first:][:len(left)], t.shift[first:][:len(left)]
	for i := range left {
		left[i] = rest(room[i]-request, part[i], shift[i])
	}
}

// Some is Run for some nodes: left[i] is that of nodes[i].
func (t *Table) Some(nodes []ledger.NodeID, request int64, left []int64) {
	t.sync()
	room, left := t.l.Nodes.Room(t.d), left[:len(nodes)]
	for i, n := range nodes {
		left[i] = rest(room[n]-request, t.part[n], t.shift[n])
	}
}

// rest is what is left of a node's room, as a part of its allocatable, rounded up: see
// inverse.
func rest(left int64, part uint64, shift uint8) int64 {
	whole, _ := bits.Mul64(uint64(left)*policy.MaxNodeScore, part)
	return int64(whole>>(shift&63) + uint64(-left)>>63)
}

// sync brings the table up to date.
func (t *Table) sync() {
	if t.cursor == t.l.Changes.Nodes.Now() {
		return
	}
	n := t.l.Nodes.Len()
	if grow := n - len(t.part); grow > 0 {
		t.of = append(t.of, make([]int64, grow)...)
		t.part, t.shift = append(t.part, make([]uint64, grow)...), append(t.shift, make([]uint8, grow)...)
	}
	if !t.l.Changes.Nodes.Each(t.cursor, t.refresh) {
		for i := range n {
			t.refresh(ledger.NodeID(i))
		}
	}
	t.cursor = t.l.Changes.Nodes.Now()
}

// Inexact says that some node is inexact: see InexactAt.
func (t *Table) Inexact() bool { return t.inexact > 0 }

// InexactAt says that a table has no result for a node, though Share has one: room is pipelined
// on it, it holds more than it offers, or it offers nothing or more than the table can divide by.
func (t *Table) InexactAt(n ledger.NodeID) bool { return t.shift[n] == inexactShift }

// inexactShift marks an inexact node. A node that is not present is never read.
const inexactShift = 63

// longest is the number of bits of the largest allocatable that a table divides by: 64 TiB, in bytes.
const longest = 46

func (t *Table) refresh(n ledger.NodeID) {
	was := t.shift[n] == inexactShift
	alloc, idle := t.l.Nodes.Allocatable(t.d)[n], t.l.Nodes.Idle(t.d)[n]
	switch {
	case idle >= 0 && idle <= alloc && t.l.Nodes.Pipelined(t.d)[n] == 0 && alloc >= 2 && alloc < 1<<longest:
		if alloc != t.of[n] {
			t.of[n] = alloc
			t.part[n], t.shift[n] = inverse(alloc)
		}
	case alloc <= 0 && !t.l.Node(n).Present():
		t.of[n], t.part[n], t.shift[n] = 0, 0, 0
	default:
		t.of[n], t.part[n], t.shift[n] = 0, 0, inexactShift
	}
	if is := t.shift[n] == inexactShift; is != was {
		if is {
			t.inexact++
		} else {
			t.inexact--
		}
	}
}

// inverse is the multiplier for an allocatable of some bits: with k = 64 + shift, the
// greatest whole number below 2^k/alloc, short of it by at most 1. Times x, which is at
// most alloc*MaxNodeScore, that is short of x/alloc by at most x/2^k < 1/alloc, since
// alloc²*MaxNodeScore < 2^(2*bits+17) <= 2^k: so little that no whole number lies between, and
// just enough that x/alloc itself is never reached.
func inverse(alloc int64) (part uint64, shift uint8) {
	shift = uint8(max(0, 2*bits.Len64(uint64(alloc))+17-64))
	part, _ = bits.Div64(1<<shift-1, math.MaxUint64, uint64(alloc))
	return part, shift
}
