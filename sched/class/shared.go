package class

import "ashlar.sh/sched/ledger"

// SharedNodes are the nodes that could hold a task of either of two lists of classes, were they empty.
type SharedNodes struct {
	Any  bool
	x    *Index
	a, b [][]int32
}

// Shared finds the nodes that could hold a task of either list, by amounts and static filters. It is valid until the
// next question.
func (x *Index) Shared(a, b []ledger.ClassID) SharedNodes {
	s := SharedNodes{x: x, a: x.empty(a), b: x.empty(b)}
	for n := 0; !s.Any && n < x.l.Nodes.Len(); n++ {
		s.Any = s.holds(n)
	}
	return s
}

// empty is for each class how many tasks of it each node could hold, were it empty.
func (x *Index) empty(classes []ledger.ClassID) (out [][]int32) {
	for _, c := range classes {
		out = append(out, x.count(x.look(c), roomEmpty).fit)
	}
	return out
}

func (s *SharedNodes) holds(n int) bool { return someFits(s.a, n) && someFits(s.b, n) }

func someFits(fits [][]int32, n int) bool {
	for _, fit := range fits {
		if fit[n] > 0 {
			return true
		}
	}
	return false
}

// Count is how many nodes there are.
func (s *SharedNodes) Count() (sum int) {
	for n := range s.x.l.Nodes.Len() {
		if s.holds(n) {
			sum++
		}
	}
	return sum
}

// First is the first of them by name, "" when there is none.
func (s *SharedNodes) First() string {
	for _, n := range s.x.ByName() {
		if s.holds(int(n)) {
			return s.x.l.Node(n).Name
		}
	}
	return ""
}
