package sched

import (
	"testing"

	"ashlar.sh/sched/model"
	"pgregory.net/rapid"
)

// An audit may come at any time: after facts by which the last pod with terms about others has gone, and before the
// cycle that finds the classes of those anew that had matched its terms. One of these may go in between.
func TestAnAuditBetweenAFactAndItsCycle(t *testing.T) {
	s := newStage(t, "allocate")
	sound := func() {
		t.Helper()
		for _, f := range s.e.Audit() {
			t.Errorf("audit: %s", f)
		}
	}
	app := func(p *model.Pod) { p.Labels = []model.Label{{Key: "app", Value: "a"}} }
	apart := func(p *model.Pod) { p.Spec = &model.Spec{Requests: cpu(2, 1), Neighbours: neighbours(0)} }
	s.node("n", 2, model.Label{Key: model.HostnameKey, Value: "n"})
	s.queue("default")
	s.pod("alone", running("n"), apart)
	sound()
	s.pod("one", app)
	s.pod("two", app)
	sound()
	s.decides(1)
	s.gone("alone")
	sound()
	s.gone("one")
	sound()
	s.decides(2, "bind two n")
}

// Whenever an audit comes, it finds nothing wrong, and changes no decision.
func TestAnAuditAtAnyTimeChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		p := w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...)
		e, audited := engine(t, p), engine(t, p)
		w.begin()
		for range rapid.IntRange(2, 12).Draw(t, "cycles") {
			facts, receipts := w.deal()
			for _, x := range []*Engine{e, audited} {
				x.Apply(facts...)
				x.Receive(receipts...)
			}
			if w.yes() {
				for _, f := range audited.Audit() {
					t.Fatalf("audit: %s", f)
				}
			}
			plan, was := answers(t, e, w.now)
			_, is := answers(t, audited, w.now)
			same(t, "an engine that was audited decides otherwise", was, is)
			w.learn(plan)
		}
	})
}
