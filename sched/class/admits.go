package class

import "ashlar.sh/sched/ledger"

// AsksTasks says that some filter looks at single tasks of a class: then an answer for one task need not hold
// for another.
func (x *Index) AsksTasks(c ledger.ClassID) bool { return len(x.rows.look(c).taskFilters) > 0 }

// AsksDomains says that pods on other nodes decide where tasks of a class may go: then a task may find a place
// on a node where no room was freed, and the place of one task affects the next.
func (x *Index) AsksDomains(c ledger.ClassID) bool {
	s := x.l.Class(c).Spec
	limited := s.Groups != nil && s.Groups.Limits != nil
	return (s.Neighbours != nil || len(s.MatchedTerms) > 0 || limited) && len(x.rows.look(c).domainFilters) > 0
}

// Admitted is the answer of the static filters for a class, by NodeID: which nodes could take its tasks if
// room is left aside. It is valid until the next question.
func (x *Index) Admitted(c ledger.ClassID) []bool {
	r := x.rows.look(c)
	if r.admittedAt == r.static && len(r.admitted) == x.l.Nodes.Len() {
		return r.admitted
	}
	r.admitted = stretch(r.admitted, x.l.Nodes.Len())
	for n := range r.admitted {
		r.admitted[n] = !x.l.Class(c).Invalid && r.admits(ledger.NodeID(n))
	}
	r.admittedAt = r.static
	x.rows.weigh(r)
	return r.admitted
}
