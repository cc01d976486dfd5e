package ledger

import (
	"slices"
	"strings"
)

// watch notes a node that got a fact and may now have less than nothing idle (seed 004 asks for this in the
// log). Overdrawn judges it later, when the facts are complete, so that their order makes no difference.
func (l *Ledger) watch(n NodeID) {
	if n == NoNode || l.nodes[n].overdrawn == l.negative(n) || len(l.watched) >= len(l.nodes) {
		return
	}
	if last := len(l.watched) - 1; last < 0 || l.watched[last] != n {
		l.watched = append(l.watched, n)
	}
}

// negative says that idle of a node is negative in some dimension.
func (l *Ledger) negative(n NodeID) bool {
	for d := range l.cols.idle {
		if l.cols.idle[d][n] < 0 {
			return true
		}
	}
	return false
}

// Overdrawn calls f, by name, for every node that facts have left with negative idle since the last call.
func (l *Ledger) Overdrawn(f func(NodeID)) {
	if len(l.watched) == 0 {
		return
	}
	var found []NodeID
	for _, n := range l.watched {
		row := &l.nodes[n]
		now := !row.free && row.Present() && l.negative(n)
		if now && !row.overdrawn {
			found = append(found, n)
		}
		row.overdrawn = now
	}
	l.watched = l.watched[:0]
	slices.SortFunc(found, func(a, b NodeID) int { return strings.Compare(l.nodes[a].Name, l.nodes[b].Name) })
	for _, n := range found {
		f(n)
	}
}
