package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// AsksTasks says that some filter looks at single tasks of a class: then an answer for one task need not hold
// for another.
func (x *Index) AsksTasks(c ledger.ClassID) bool { return len(x.look(c).taskFilters) > 0 }

// AsksDomains says that pods on other nodes decide where tasks of a class may go: then a task may find a place
// on a node where no room was freed, and the place of one task affects the next.
func (x *Index) AsksDomains(c ledger.ClassID) bool {
	s := x.l.Class(c).Spec
	limited := s.Groups != nil && s.Groups.Limits != nil
	return (s.Neighbours != nil || len(s.MatchedTerms) > 0 || limited) && len(x.look(c).domainFilters) > 0
}

// Admitted is the answer of the static filters for a class, by NodeID: which nodes could take its tasks if
// room is left aside. It is valid until the next question.
func (x *Index) Admitted(c ledger.ClassID) []bool {
	r := x.look(c)
	if r.admittedAt == r.static && len(r.admittedNodes) == x.l.Nodes.Len() {
		return r.admittedNodes
	}
	r.admittedNodes = stretch(r.admittedNodes, x.l.Nodes.Len())
	for n := range r.admittedNodes {
		r.admittedNodes[n] = !x.l.Class(c).Invalid && r.admits(ledger.NodeID(n))
	}
	r.admittedAt = r.static
	x.weigh(r)
	return r.admittedNodes
}

// ColocationKeys divides the nodes by the domains that tasks of a class have to share with each other. It
// returns the topology keys, and a list of nodes, for each combination of their values. Nodes
// that lack a key are in no list. There are no keys for a class that has no such rule, or when the next task
// has a pod to join already.
func (x *Index) ColocationKeys(c ledger.ClassID) (keys []string, lists [][]ledger.NodeID) {
	if !x.AsksDomains(c) {
		return nil, nil
	}
	for _, f := range x.look(c).domainFilters {
		if g, ok := f.(policy.Colocator); ok {
			keys = append(keys, g.ColocationKeys(x.l.Class(c))...)
		}
	}
	if len(keys) == 0 || x.l.Nodes.Len() == 0 {
		return keys, nil
	}
	in, count := make([]int32, x.l.Nodes.Len()), 1
	for _, k := range keys {
		c := x.labels.of(k)
		count = regroup(in, func(n int) int32 { return c.of[n] }, len(in)+1)
	}
	lists = membersOf(in, count)
	return keys, slices.DeleteFunc(lists, func(list []ledger.NodeID) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return x.labels.of(k).of[list[0]] == 0 })
	})
}
