package ledger

import (
	"fmt"
	"slices"
)

// InUse counts, node by node, who sits on what: on a host port, on cpus of his own. It is
// what a book of such things is made of. The zero value is empty.
type InUse[K comparable] struct{ byNode [][]Use[K] }

// Use is how many sit on one thing in which way. One with nobody is not kept.
type Use[K comparable] struct {
	Of K
	By [NumHolds]int32 // by Hold
}

// All is how many sit there in whichever way.
func (u *Use[K]) All() int32 { return u.By[Firm] + u.By[Promised] + u.By[Leaving] }

// Stay is All without those that will be gone, if future; with them otherwise.
func (u *Use[K]) Stay(future bool) int32 {
	if future {
		return u.By[Firm] + u.By[Promised]
	}
	return u.All()
}

// String is a use as an audit shows it.
func (u Use[K]) String() string {
	return fmt.Sprintf("%v held %d, leaving %d, promised %d", u.Of, u.By[Firm], u.By[Leaving], u.By[Promised])
}

// On lists what is in use on a node, in no order that may be decided by.
func (i *InUse[K]) On(n NodeID) []Use[K] {
	if int(n) < len(i.byNode) {
		return i.byNode[n]
	}
	return nil
}

// Add counts x more, or fewer, who sit on a thing of a node in a way.
func (i *InUse[K]) Add(n NodeID, of K, how Hold, x int32) {
	for len(i.byNode) <= int(n) {
		i.byNode = append(i.byNode, nil)
	}
	used := i.byNode[n]
	at := slices.IndexFunc(used, func(u Use[K]) bool { return u.Of == of })
	if at < 0 {
		at = len(used)
		used = append(used, Use[K]{Of: of})
	}
	if used[at].By[how] += x; used[at].By == [NumHolds]int32{} {
		last := len(used) - 1
		used[at] = used[last]
		used = used[:last]
	}
	i.byNode[n] = used
}

// Against lists the nodes of which something else was counted again, for an audit; less
// puts things in order.
func (i *InUse[K]) Against(again *InUse[K], l *Ledger, less func(a, b K) int) (found []string) {
	sorted := func(used []Use[K]) []Use[K] {
		return slices.SortedFunc(slices.Values(used), func(a, b Use[K]) int { return less(a.Of, b.Of) })
	}
	for at := range max(len(i.byNode), len(again.byNode)) {
		n := NodeID(at)
		if kept, counted := sorted(i.On(n)), sorted(again.On(n)); !slices.Equal(kept, counted) {
			found = append(found, fmt.Sprintf("node %s: kept %v, counted %v", l.Node(n).Name, kept, counted))
		}
	}
	slices.Sort(found)
	return found
}
