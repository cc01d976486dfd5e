package class

import (
	"ashlar.sh/sched/ledger"
)

// roomCounts counts for how many tasks of a class there is room.
type roomCounts struct {
	x *Index
}

// tally is how many tasks of a class each node has room for, and the sum over all nodes. An update looks at
// changed nodes only.
type tally struct {
	fit    []int32
	sum    int64
	cursor ledger.Cursor // of nodes; 0: never counted
	none   ledger.Cursor // of nodes: up to it no node had room for a task; 0: not known
}

// mostFit bounds the count for one node: more tasks are never asked for.
const mostFit = 1 << 30

// fewNodes is how many nodes are looked at before a tally is kept: where there is plenty of room, a few nodes
// suffice.
const fewNodes = 64

// Capacity is how many tasks of a class the nodes have room for now, counted up to want. A result below want
// proves that want of them cannot be placed. Filters that look at the tasks on a node may lower the true
// number.
func (x *Index) Capacity(c ledger.ClassID, want int64) int64 { return x.room.capacity(c, want, false) }

// Prospect is Capacity once terminating tasks are gone. A result below want proves that want of them can
// neither be placed nor be promised room.
func (x *Index) Prospect(c ledger.ClassID, want int64) int64 { return x.room.capacity(c, want, true) }

// Whole is how many tasks of a class the nodes could hold without any other task, counted up to want, by
// amounts and static filters.
func (x *Index) Whole(c ledger.ClassID, want int64) int64 {
	r, class := x.rows.look(c), x.l.Class(c)
	t, at := &r.whole.tally, wholeAt{r.static, x.l.Changes.SpecEpoch()}
	if t.cursor > 0 && r.whole.at == at {
		return min(t.sum, want)
	}
	fit := func(n ledger.NodeID) int32 { return x.room.whole(r, class, n) }
	if x.room.few(want, fit) {
		return want
	}
	x.room.count(t, r, fit)
	r.whole.at = at
	return min(t.sum, want)
}

// whole is the result of Whole, and what it depends on.
type whole struct {
	tally
	at wholeAt
}

type wholeAt struct {
	static ledger.Cursor
	shape  uint64
}

func (rm *roomCounts) whole(r *row, class *ledger.Class, n ledger.NodeID) int32 {
	fit := int64(mostFit)
	for _, need := range class.Need {
		offered := rm.x.l.Nodes.Allocatable(need.Dim)[n]
		if offered < need.Amount {
			return 0 // the usual case when Whole is asked for all classes
		}
		fit = min(fit, offered/need.Amount)
	}
	if class.Invalid || !r.admits(n) {
		return 0
	}
	return int32(fit)
}

// few says that the first few nodes have room for so many tasks.
func (rm *roomCounts) few(want int64, fit func(ledger.NodeID) int32) bool {
	sum := int64(0)
	for n := range min(fewNodes, rm.x.l.Nodes.Len()) {
		if sum += int64(fit(ledger.NodeID(n))); sum >= want {
			return true
		}
	}
	return false
}

func (rm *roomCounts) capacity(c ledger.ClassID, want int64, future bool) int64 {
	r, class := rm.x.rows.look(c), rm.x.l.Class(c)
	t := &r.tallies[0]
	if future {
		t = &r.tallies[1]
	}
	if want == 1 {
		return rm.any(t, r, class, future)
	}
	if t.cursor != rm.x.l.Changes.Nodes.Now() {
		fit := func(n ledger.NodeID) int32 { return rm.fit(r, class, n, future) }
		if rm.few(want, fit) {
			return want
		}
		rm.count(t, r, fit)
	}
	return min(t.sum, want)
}

// any is 1 when some node has room for a task of a class, else 0. A 0 is remembered: after it, only changed
// nodes can have room.
func (rm *roomCounts) any(t *tally, r *row, class *ledger.Class, future bool) int64 {
	found := false
	if t.none > 0 && rm.x.l.Changes.Nodes.Each(t.none, func(n ledger.NodeID) { found = found || rm.fit(r, class, n, future) > 0 }) && !found {
		t.none = rm.x.l.Changes.Nodes.Now()
		return 0
	}
	t.none = 0
	for n := range rm.x.l.Nodes.Len() {
		if rm.fit(r, class, ledger.NodeID(n), future) > 0 {
			return 1
		}
	}
	t.none = rm.x.l.Changes.Nodes.Now()
	return 0
}

// count brings a tally up to date.
func (rm *roomCounts) count(t *tally, r *row, of func(ledger.NodeID) int32) {
	had := len(t.fit)
	t.fit = stretch(t.fit, rm.x.l.Nodes.Len())
	again := func(n ledger.NodeID) {
		fit := of(n)
		t.sum += int64(fit - t.fit[n])
		t.fit[n] = fit
	}
	if t.cursor == 0 || !rm.x.l.Changes.Nodes.Each(t.cursor, again) {
		for n := range t.fit {
			again(ledger.NodeID(n))
		}
	}
	t.cursor = rm.x.l.Changes.Nodes.Now()
	if len(t.fit) != had {
		rm.x.rows.weigh(r)
	}
}

// fit is how many tasks of a class a node has room for.
func (rm *roomCounts) fit(r *row, class *ledger.Class, n ledger.NodeID, future bool) int32 {
	fit := int64(mostFit)
	for _, need := range class.Need {
		room := rm.x.l.Nodes.Room(need.Dim)[n]
		if future {
			room = rm.x.l.Nodes.FutureIdle(need.Dim, n)
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
