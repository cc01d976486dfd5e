package ledger

import (
	"cmp"
	"slices"
)

// seniority numbers the queues that have a fact by age, then by name. Orders of queues end with it; comparing
// numbers is faster than comparing names.
type seniority struct {
	mark  Cursor     // of Changes.QueueSpecs, when they were numbered; 0: never
	ranks []int32    // by QueueID
	by    []queueAge // the ages and names that the numbers depend on, in order
}

type queueAge struct {
	queue   QueueID
	created int64
	name    string
}

func (a queueAge) compare(b queueAge) int {
	return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.name, b.name))
}

// Seniority is the rank of a queue among the queues that have a fact: by age, the oldest first, then by name.
// It is for comparisons only, and changes with the facts of queues. A queue without a fact has 0, as the oldest has.
func (qs *Queues) Seniority(q QueueID) int32 {
	s := &qs.seniority
	if now := qs.l.Changes.QueueSpecs.Now(); s.mark != now {
		s.mark = now
		if !s.stands(qs) {
			s.sort(qs)
		}
	}
	if int(q) >= len(s.ranks) {
		return 0 // it has no fact
	}
	return s.ranks[q]
}

// stands says that the queues are the ones that were numbered last.
func (s *seniority) stands(qs *Queues) bool {
	n := 0
	for q := range qs.rows {
		if qs.rows[q].Fact == nil {
			continue
		}
		n++
		if q >= len(s.ranks) || int(s.ranks[q]) >= len(s.by) || s.by[s.ranks[q]] != qs.ageOf(QueueID(q)) {
			return false
		}
	}
	return n == len(s.by)
}

func (s *seniority) sort(qs *Queues) {
	s.by, s.ranks = s.by[:0], make([]int32, len(qs.rows))
	for q := range qs.rows {
		if qs.rows[q].Fact != nil {
			s.by = append(s.by, qs.ageOf(QueueID(q)))
		}
	}
	slices.SortFunc(s.by, queueAge.compare)
	for i, a := range s.by {
		s.ranks[a.queue] = int32(i)
	}
}

func (qs *Queues) ageOf(q QueueID) queueAge {
	return queueAge{q, qs.rows[q].Fact.Created, qs.rows[q].Name}
}
