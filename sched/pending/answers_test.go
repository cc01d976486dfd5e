package pending

import (
	"testing"

	"ashlar.sh/sched/model"
)

// An answer is remembered until something changes that it may depend on, and no longer.
func TestAnAnswerHoldsWhileNothingChanges(t *testing.T) {
	changes := map[string]struct {
		do    func(c *cluster, version *int)
		holds bool
	}{
		"nothing":       {func(*cluster, *int) {}, true},
		"a failed try":  {func(c *cluster, _ *int) { take(c, false) }, true},
		"another cycle": {func(c *cluster, _ *int) { c.Open() }, true},
		"a fact":        {func(c *cluster, v *int) { tell(c, v, model.KindPod, "ns", "new", pod("new", "")) }, false},
		"time":          {func(c *cluster, _ *int) { c.TimePassed() }, false},
		"work put off":  {func(c *cluster, _ *int) { c.Deferred() }, false},
		"another's state": {func(c *cluster, v *int) { tell(c, v, model.KindPod, "ns", "new", pod("new", "")); c.Open() },
			false},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			c, _, version := waiting(t)
			var m Answers[string, int]
			if _, known := m.Recall(c.Index, "question"); known {
				t.Error("an answer is known that was never given")
			}
			m.Remember(c.Index, "question", 7)
			change.do(c, version)
			if a, known := m.Recall(c.Index, "question"); known != change.holds || known && a != 7 {
				t.Errorf("the answer is %d, known %t; want it to hold: %t", a, known, change.holds)
			}
			m.Remember(c.Index, "other", 1)
			if _, known := m.Recall(c.Index, "question"); known != change.holds {
				t.Errorf("after another answer it is known %t", known)
			}
		})
	}
}
