package ledger

import (
	"slices"
	"strings"
)

// watch notes a node that got a fact and may now have less than nothing idle (seed 004 asks for this in the
// log). Overdrawn judges it later, when the facts are complete, so that their order makes no difference.
func (ns *Nodes) watch(n NodeID) {
	if n == NoNode || ns.rows[n].overdrawn == ns.negative(n) || len(ns.watched) >= len(ns.rows) {
		return
	}
	if last := len(ns.watched) - 1; last < 0 || ns.watched[last] != n {
		ns.watched = append(ns.watched, n)
	}
}

// negative says that idle of a node is negative in some dimension.
func (ns *Nodes) negative(n NodeID) bool {
	for d := range ns.cols.idle {
		if ns.cols.idle[d][n] < 0 {
			return true
		}
	}
	return false
}

// Overdrawn calls f, by name, for every node that facts have left with negative idle since the last call.
func (ns *Nodes) Overdrawn(f func(NodeID)) {
	if len(ns.watched) == 0 {
		return
	}
	var found []NodeID
	for _, n := range ns.watched {
		row := &ns.rows[n]
		now := !row.free && row.Present() && ns.negative(n)
		if now && !row.overdrawn {
			found = append(found, n)
		}
		row.overdrawn = now
	}
	ns.watched = ns.watched[:0]
	slices.SortFunc(found, func(a, b NodeID) int { return strings.Compare(ns.rows[a].Name, ns.rows[b].Name) })
	for _, n := range found {
		f(n)
	}
}
