package class

import "ashlar.sh/sched/ledger"

// AsksTasks says that some filter looks at single tasks of a class: then what holds for
// one of them need not for another.
func (x *Index) AsksTasks(c ledger.ClassID) bool { return len(x.look(c).taskFilters) > 0 }

// AsksDomains says that who sits elsewhere decides where tasks of a class may go: then room
// may come to be where none grows, and where one of them goes makes a difference to the
// next.
func (x *Index) AsksDomains(c ledger.ClassID) bool {
	s := x.l.Class(c).Spec
	limited := s.Groups != nil && s.Groups.Limits != nil
	return (s.Neighbours != nil || len(s.MatchedTerms) > 0 || limited) && len(x.look(c).domainFilters) > 0
}

// Admitted is the static filters' answer for a class by NodeID: which nodes could take its
// tasks whatever happens to the tasks on them. It is good until the next question.
func (x *Index) Admitted(c ledger.ClassID) []bool {
	r := x.look(c)
	if r.admittedAt == r.static && len(r.admitted) == x.l.NumNodes() {
		return r.admitted
	}
	r.admitted = stretch(r.admitted, x.l.NumNodes())
	for n := range r.admitted {
		r.admitted[n] = !x.l.Class(c).Invalid && r.admits(ledger.NodeID(n))
	}
	r.admittedAt = r.static
	x.weigh(r)
	return r.admitted
}
