package ledger

import (
	"fmt"
	"slices"
)

// InUse counts, by node, the tasks that use a thing there: a host port, a CPU of their own. It is for
// PluginStates that keep such things. The zero value is empty.
type InUse[K comparable] struct{ byNode [][]Use[K] }

// Use is how many tasks use one thing, by the way they hold room. A Use of no task is not kept.
type Use[K comparable] struct {
	Of K
	By [NumHolds]int32 // by Hold
}

// All is the number of tasks in all ways.
func (u *Use[K]) All() int32 { return u.By[Firm] + u.By[Pipelined] + u.By[Leaving] }

// Stay is All; with future, without those that are terminating.
func (u *Use[K]) Stay(future bool) int32 {
	if future {
		return u.By[Firm] + u.By[Pipelined]
	}
	return u.All()
}

// String returns a use as an audit shows it.
func (u Use[K]) String() string {
	return fmt.Sprintf("%v held %d, leaving %d, pipelined %d", u.Of, u.By[Firm], u.By[Leaving], u.By[Pipelined])
}

// On lists what is in use on a node. Decisions must not depend on the order.
func (i *InUse[K]) On(n NodeID) []Use[K] {
	if int(n) < len(i.byNode) {
		return i.byNode[n]
	}
	return nil
}

// Add adds x, which may be negative, to the tasks that use a thing of a node in one way.
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

// Against lists the nodes for which a new count differs, for an audit; less sorts the things.
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
