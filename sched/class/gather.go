package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// ColocationKeys divides the nodes by the domains that tasks of a class have to share with each other. It
// returns the topology keys, and a list of nodes, in no order, for each combination of their values. Nodes
// that lack a key are in no list. There are no keys for a class that has no such rule, or when the next task
// has a pod to join already.
func (x *Index) ColocationKeys(c ledger.ClassID) (keys []string, lists [][]ledger.NodeID) {
	if !x.AsksDomains(c) {
		return nil, nil
	}
	for _, f := range x.rows.look(c).domainFilters {
		if g, ok := f.(policy.Colocator); ok {
			keys = append(keys, g.ColocationKeys(x.l.Class(c))...)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return keys, x.labels.alike(keys)
}

// alike lists the nodes with equal values of some labels together.
func (lc *labelColumns) alike(keys []string) (lists [][]ledger.NodeID) {
	const none = -1
	in := make([]int32, lc.x.l.Nodes.Len()) // by node: the number of its combination
	count := 1
	for _, k := range keys {
		c, found := lc.of(k), map[[2]int32]int32{}
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
