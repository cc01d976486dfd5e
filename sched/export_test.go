package sched

import "pgregory.net/rapid"

// RandomEngine is an engine in the middle of a random history, and the time of its next cycle.
func RandomEngine(t *rapid.T, actions ...string) (*Engine, int64) {
	w := newWorld(t)
	e := engine(t, w.profile(actions...), somePace(t))
	w.begin()
	for range rapid.IntRange(1, 8).Draw(t, "cycles") {
		facts, receipts := w.deal()
		e.Apply(facts...)
		e.Receive(receipts...)
		plan, _ := answers(t, e, w.now)
		w.learn(plan)
	}
	return e, w.now
}

// Again is an engine that knows what another one does.
func Again(t rapid.TB, e *Engine) *Engine { return again(t, e) }
