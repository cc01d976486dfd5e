package ledger

import (
	"slices"
	"strings"
)

// watch notes a node of which a fact came, if that may have left it with less than nothing
// idle (seed 004 has this in the log). Overdrawn judges it: by then the facts are complete,
// so that their order makes no difference.
func (l *Ledger) watch(n NodeID) {
	if n == NoNode || l.nodes[n].overdrawn == l.negative(n) || len(l.watched) >= len(l.nodes) {
		return
	}
	if last := len(l.watched) - 1; last < 0 || l.watched[last] != n {
		l.watched = append(l.watched, n)
	}
}

// negative says that a node has less than nothing idle of something.
func (l *Ledger) negative(n NodeID) bool {
	for d := range l.cols.idle {
		if l.cols.idle[d][n] < 0 {
			return true
		}
	}
	return false
}

// Overdrawn calls f for every node, by name, that facts have left with less than nothing
// idle since it was last asked.
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
