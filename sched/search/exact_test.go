package search_test

import (
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
)

// TestAGangIsPlacedWhereItCanBe compares the search with every way of placing the members of a small gang: what the
// search places is lawful, and where members are equal, or limited in the network, it finds a place whenever there is
// one. Room that is kept for another gang is taken by a gang that comes before that one, and by no other.
func TestAGangIsPlacedWhereItCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newSmall(t)
		possible := w.possible()
		if r := w.s.Policy.ValidateJob(w.gang); r.Is() { // the actions try no such job
			if possible {
				t.Fatalf("the gang is refused because of %v, and can be placed", r)
			}
			return
		}
		exact := !w.mixed || w.limit > 0 || w.near > 0 && w.parts != nil
		would := search.Would(w.s, w.gang)
		why := search.Why(w.s, search.PendingTasksOf(w.s, w.gang))
		w.unplaced(t)
		outcome := search.Attempt(w.s, search.PendingTasksOf(w.s, w.gang))
		switch {
		case outcome == search.Committed && !possible:
			w.sound(t)
			t.Fatal("the gang is placed, and cannot be")
		case outcome == search.Committed:
			w.sound(t)
		case possible && exact:
			t.Fatalf("the gang is not placed, and can be: %v", w.s.Pending.Reason(w.gang))
		default:
			w.unplaced(t)
		}
		if is := outcome == search.Committed; would != is || why.Is() == is {
			t.Fatalf("an attempt places the gang: %t; Would: %t; Why: %v", is, would, why)
		}
		for _, finding := range w.l.Audit() {
			t.Fatalf("audit: %s", finding)
		}
	})
}

// unplaced fails the test where a member has a place.
func (w *small) unplaced(t *rapid.T) {
	for _, task := range w.tasks {
		if row := w.l.Task(task); row.Status != model.Pending {
			t.Fatalf("%v is %v", row.Key, row.Status)
		}
	}
}
