package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// ColocationKeys divides the nodes by the domains that tasks of a class have to share with each
// other: the labels that say which those are, and a list of nodes for each combination of
// their values, in no order. Nodes that lack a label are in none. There are no labels for a
// class that asks no such thing, or whose next task has somebody to join already.
func (x *Index) ColocationKeys(c ledger.ClassID) (keys []string, lists [][]ledger.NodeID) {
	if !x.AsksDomains(c) {
		return nil, nil
	}
	for _, f := range x.look(c).domainFilters {
		if g, ok := f.(policy.Colocator); ok {
			keys = append(keys, g.ColocationKeys(x.l.Class(c))...)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return keys, x.alike(keys)
}

// alike lists the nodes that have the same values of some labels together.
func (x *Index) alike(keys []string) (lists [][]ledger.NodeID) {
	const none = -1
	in := make([]int32, x.l.NumNodes()) // by node: the number of its combination
	count := 1
	for _, k := range keys {
		c, found := x.column(k), map[[2]int32]int32{}
		for n := range in {
			at := [2]int32{in[n], c.of[n]}
			if in[n] == none || at[1] == 0 {
				in[n] = none
				continue
			}
			id, known := found[at]
			if !known {
				id = int32(len(found))
				found[at] = id
			}
			in[n] = id
		}
		count = len(found)
	}
	lists = make([][]ledger.NodeID, count)
	for n, i := range in {
		if i != none {
			lists[i] = append(lists[i], ledger.NodeID(n))
		}
	}
	return lists
}
