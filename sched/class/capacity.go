package class

import (
	"ashlar.sh/sched/ledger"
)

// domain count is how many tasks of a class every node has room for, and how many all have
// together: brought up to date by looking at the nodes that changed.
type tally struct {
	fit    []int32
	sum    int64
	cursor uint64 // the journal up to which it is fresh; 0: never counted
	none   uint64 // the journal up to which no node had room for a single one; 0: not known
}

// mostFit bounds what is counted for one node: no more tasks than that are ever wanted.
const mostFit = 1 << 30

// fewNodes is how many nodes are looked at before a domain count is kept: where there is room
// in plenty, a few show it.
const fewNodes = 64

// Capacity is how many tasks of a class the nodes have room for now, counted up to
// want: less than want means that no way of placing want of them exists. Filters that
// look at who sits on a node could lower the true number further.
func (x *Index) Capacity(c ledger.ClassID, want int64) int64 { return x.capacity(c, want, false) }

// Prospect is Capacity once those who are leaving are gone: less than want means that
// want of them can neither be placed nor promised room.
func (x *Index) Prospect(c ledger.ClassID, want int64) int64 { return x.capacity(c, want, true) }

// Whole is how many tasks of a class the nodes could hold if nobody else were there, counted
// up to want, by amounts and by what stands still about nodes.
func (x *Index) Whole(c ledger.ClassID, want int64) int64 {
	r, class := x.look(c), x.l.Class(c)
	t, at := &r.whole.tally, wholeAt{r.static, x.l.SpecEpoch()}
	if t.cursor > 0 && r.whole.at == at {
		return min(t.sum, want)
	}
	fit := func(n ledger.NodeID) int32 { return x.whole(r, class, n) }
	if x.few(want, fit) {
		return want
	}
	x.count(t, r, fit)
	r.whole.at = at
	return min(t.sum, want)
}

// whole is a domain count of what nodes could hold, and what it rests on.
type whole struct {
	tally
	at wholeAt
}

type wholeAt struct{ static, shape uint64 }

func (x *Index) whole(r *row, class *ledger.Class, n ledger.NodeID) int32 {
	fit := int64(mostFit)
	for _, need := range class.Need {
		offered := x.l.Allocatable(need.Dim)[n]
		if offered < need.Amount {
			return 0 // most often, where it is asked of all of them
		}
		fit = min(fit, offered/need.Amount)
	}
	if class.Invalid || !r.admits(n) {
		return 0
	}
	return int32(fit)
}

// few says that the first few nodes have room for so many tasks.
func (x *Index) few(want int64, fit func(ledger.NodeID) int32) bool {
	sum := int64(0)
	for n := range min(fewNodes, x.l.NumNodes()) {
		if sum += int64(fit(ledger.NodeID(n))); sum >= want {
			return true
		}
	}
	return false
}

func (x *Index) capacity(c ledger.ClassID, want int64, future bool) int64 {
	r, class := x.look(c), x.l.Class(c)
	t := &r.tallies[0]
	if future {
		t = &r.tallies[1]
	}
	if want == 1 {
		return x.any(t, r, class, future)
	}
	if t.cursor != x.l.Now() {
		fit := func(n ledger.NodeID) int32 { return x.fit(r, class, n, future) }
		if x.few(want, fit) {
			return want
		}
		x.count(t, r, fit)
	}
	return min(t.sum, want)
}

// any is 1 when some node has room for a task of a class, else 0. That none had is
// remembered: then only nodes that changed since can have.
func (x *Index) any(t *tally, r *row, class *ledger.Class, future bool) int64 {
	found := false
	if t.none > 0 && x.l.Since(t.none, func(n ledger.NodeID) { found = found || x.fit(r, class, n, future) > 0 }) && !found {
		t.none = x.l.Now()
		return 0
	}
	t.none = 0
	for n := range x.l.NumNodes() {
		if x.fit(r, class, ledger.NodeID(n), future) > 0 {
			return 1
		}
	}
	t.none = x.l.Now()
	return 0
}

// count brings a domain count up to date.
func (x *Index) count(t *tally, r *row, of func(ledger.NodeID) int32) {
	had := len(t.fit)
	t.fit = stretch(t.fit, x.l.NumNodes())
	again := func(n ledger.NodeID) {
		fit := of(n)
		t.sum += int64(fit - t.fit[n])
		t.fit[n] = fit
	}
	if t.cursor == 0 || !x.l.Since(t.cursor, again) {
		for n := range t.fit {
			again(ledger.NodeID(n))
		}
	}
	t.cursor = x.l.Now()
	if len(t.fit) != had {
		x.weigh(r)
	}
}

// fit is how many tasks of a class a node has room for.
func (x *Index) fit(r *row, class *ledger.Class, n ledger.NodeID, future bool) int32 {
	fit := int64(mostFit)
	for _, need := range class.Need {
		room := x.l.Room(need.Dim)[n]
		if future {
			room = x.l.FutureIdle(need.Dim, n)
		}
		if room < need.Amount {
			return 0
		}
		fit = min(fit, room/need.Amount)
	}
	if class.Invalid || !r.admits(n) || !r.passes(class, n, false) && !(future && r.passes(class, n, true)) {
		return 0
	}
	return int32(fit)
}
