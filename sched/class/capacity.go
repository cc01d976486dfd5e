package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// room is a kind of room on a node.
type room uint8

const (
	roomNow    room = iota // what a task may take now
	roomFuture             // what it may take once terminating tasks are gone
	roomEmpty              // what it could take if no other task were there
	numRooms
)

// tally is how many tasks of a class each node has room for, and the sum over all nodes. An update looks at changed
// nodes only.
type tally struct {
	fit    []int32
	sum    int64
	cursor ledger.Cursor // 0: never counted
	none   ledger.Cursor // up to it no node had room for a task; 0: not known
}

// mostFit bounds the count for one node: more tasks are never asked for.
const mostFit = 1 << 30

// fewNodes is how many nodes are looked at before a tally is kept: where there is plenty of room, a few nodes suffice.
const fewNodes = 64

// Capacity is how many tasks of a class the nodes have room for now, or in future, once terminating tasks are gone,
// counted up to want. A result below want proves that want of them cannot be placed, or in future neither be placed
// nor be pipelined. Filters that look at single tasks or at domains may lower the true number.
func (x *Index) Capacity(c ledger.ClassID, want int64, when When) int64 {
	r, of := x.look(c), roomOf(when)
	if want != 1 {
		return x.capacity(r, want, of)
	}
	if x.any(r, of) {
		return 1
	}
	return 0
}

// Whole is how many tasks of a class the nodes could hold without any other task, counted up to want, by amounts and
// static filters.
func (x *Index) Whole(c ledger.ClassID, want int64) int64 {
	return x.capacity(x.look(c), want, roomEmpty)
}

// WholeFits is, by NodeID, for how many tasks of a class each node has room without any other task. It is valid until
// the next question.
func WholeFits(x *Index, c ledger.ClassID) []int32 { return x.count(x.look(c), roomEmpty).fit }

// Fits is, by NodeID, for how many tasks of a class each node has room now, or in future, once terminating tasks are
// gone. Filters that look at single tasks or at domains, and tasks placed next to each other, may lower the true
// number. It is valid until the next question.
func (x *Index) Fits(c ledger.ClassID, when When) []int32 {
	return x.count(x.look(c), roomOf(when)).fit
}

// Feasible is the number of nodes that have room for a class now.
func (x *Index) Feasible(c ledger.ClassID) (count int) {
	r := x.look(c)
	x.nodes = r.candidates(0, x.l.Nodes.Len(), x.nodes[:0])
	for _, n := range r.takers(x.nodes, false) {
		count += differ(r.refusedByDomain(n, false, nil).Admits(), false)
	}
	return count
}

func roomOf(when When) room {
	if when == InFuture {
		return roomFuture
	}
	return roomNow
}

// roomFeed has the nodes of which a kind of room changed. That of empty nodes changes with their facts only.
func (x *Index) roomFeed(of room) *ledger.Feed[ledger.NodeID] {
	if of == roomEmpty {
		return &x.l.Changes.NodeFacts
	}
	return &x.l.Changes.Nodes
}

func (x *Index) capacity(r *row, want int64, of room) int64 {
	if r.tallies[of].cursor != x.roomFeed(of).Now() {
		sum := int64(0)
		for n := range min(fewNodes, x.l.Nodes.Len()) {
			if sum += int64(r.fit(ledger.NodeID(n), of)); sum >= want {
				return want
			}
		}
	}
	return min(x.count(r, of).sum, want)
}

// any says that some node has room for a task of a class. That there is none is remembered: after it, only changed
// nodes can have room.
func (x *Index) any(r *row, of room) bool {
	t, feed := &r.tallies[of], x.roomFeed(of)
	has := func(n ledger.NodeID) bool { return r.fit(n, of) > 0 }
	changed, known := feed.Since(t.none)
	if t.none = 0; known && slices.ContainsFunc(changed, has) {
		return true
	}
	for n := 0; !known && n < x.l.Nodes.Len(); n++ {
		if has(ledger.NodeID(n)) {
			return true
		}
	}
	t.none = feed.Now()
	return false
}

// count brings a tally up to date.
func (x *Index) count(r *row, of room) *tally {
	t, feed := &r.tallies[of], x.roomFeed(of)
	if t.cursor == feed.Now() {
		return t
	}
	had := len(t.fit)
	t.fit = stretch(t.fit, x.l.Nodes.Len())
	again := func(n ledger.NodeID) {
		fit := r.fit(n, of)
		t.sum += int64(fit - t.fit[n])
		t.fit[n] = fit
	}
	if !feed.Each(t.cursor, again) {
		for n := range t.fit {
			again(ledger.NodeID(n))
		}
	}
	t.cursor = feed.Now()
	if len(t.fit) != had {
		x.weigh(r)
	}
	return t
}

// fit is how many tasks of a class a node has room for.
func (r *row) fit(n ledger.NodeID, of room) int32 {
	fit, nodes := int64(mostFit), &r.x.l.Nodes
	for _, need := range r.class.Need {
		amount := int64(0)
		switch of {
		case roomNow:
			amount = nodes.Room(need.Dim)[n]
		case roomFuture:
			amount = nodes.FutureIdle(need.Dim, n)
		case roomEmpty:
			amount = nodes.Allocatable(need.Dim)[n]
		}
		if amount < need.Amount {
			return 0 // the usual case when Whole is asked for all classes
		}
		fit = min(fit, amount/need.Amount)
	}
	if r.class.Invalid || !r.admits(n) ||
		of != roomEmpty && !r.passes(n, false) && !(of == roomFuture && r.passes(n, true)) {
		return 0
	}
	return int32(fit)
}
