package sched

import (
	"testing"

	"pgregory.net/rapid"
)

// rest runs cycles until the engine names a time that holds: until two in a row have decided nothing, and again a
// second later, since for which jobs room is kept is checked once a second. It returns all that was decided, and the
// last times.
func rest(t *rapid.T, e *Engine, now int64) (all Plan, is, next int64) {
	t.Helper()
	for _, is = range [...]int64{now, now + second} {
		for still := 0; still < 2; still++ {
			plan, _, at := e.Decide(is)
			if next = at; len(plan.Items) > 0 {
				all.Items, still = append(all.Items, plan.Items...), -1
			}
			if len(all.Items) > 1000 {
				t.Fatalf("without a fact it decides on, lately %v", plan.Items)
			}
		}
	}
	if next != 0 && next <= is {
		t.Fatalf("at %d it names %d", is, next)
	}
	return all, is, next
}

// Once an engine has come to rest it decides nothing before the time that it named, so that nothing is lost by not
// asking it until then.
func TestNothingIsDecidedBeforeNextLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...), somePace(t))
		w.begin()
		for range rapid.IntRange(3, 12).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			plan, now, next := rest(t, e, w.now)
			w.now = now
			w.learn(plan)
			at := w.now + int64(1+w.n(300))*second
			if next != 0 {
				at = min(at, next-1)
			}
			if at > w.now {
				w.now = at
				if early, _, _ := e.Decide(at); len(early.Items) > 0 {
					t.Fatalf("at %d it decides %+v, and named %d", at, early.Items, next)
				}
			}
		}
	})
}
