package sched

import (
	"reflect"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"pgregory.net/rapid"
)

// noted fails the test where the checkpoint is not what the engine is committed to.
func noted(t rapid.TB, e *Engine) {
	t.Helper()
	e.Checkpoint()
	if was, is := e.Commitments(), e.LastCheckpoint(); !reflect.DeepEqual(was, is) {
		t.Fatalf("the engine is committed to\n%+v\nand its checkpoint says\n%+v", was, is)
	}
}

// A checkpoint costs what has changed and says the same as all commitments counted anew.
func TestACheckpointIsWhatIsCommitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...))
		w.begin()
		for range rapid.IntRange(6, 20).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			if w.yes() {
				noted(t, e)
			}
			e.Receive(receipts...)
			noted(t, e)
			plan, _, _ := e.Decide(w.now)
			noted(t, e)
			w.learn(plan)
		}
	})
}

// bomb is a stopwatch that panics when it was asked so many times.
type bomb struct{ left int }

func (b *bomb) Begin(policy.Part, string) { b.tick() }
func (b *bomb) End()                      { b.tick() }

func (b *bomb) tick() {
	if b.left--; b.left == 0 {
		panic("bomb")
	}
}

// A cycle that panics, at the opening of a plugin, before or after any action or its commit,
// never was: an engine made of the facts and the checkpoint decides as one that knows nothing
// of it.
func TestACycleThatPanicsNeverWas(t *testing.T) {
	panicked := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		p := w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...)
		b := &bomb{}
		broken := func() *Engine {
			e, err := New(p, WithAction(evictAny{}), WithAction(placeAndFail{}), WithStopwatch(b))
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		e := broken()
		w.begin()
		for range rapid.IntRange(6, 16).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			e.Checkpoint()
			other := again(t, e)
			b.left = 1 + w.n(40)
			if plan, ok := survived(func() Plan { plan, _, _ := e.Decide(w.now); return plan }); ok {
				b.left = 0
				e.Checkpoint()
				w.learn(plan)
				continue
			}
			panicked++
			made := broken()
			made.SetVerbosity(5)
			made.Apply(e.Facts()...)
			made.Restore(e.LastCheckpoint())
			_, was := answers(t, other, w.now)
			plan, is := answers(t, made, w.now)
			same(t, "an engine made anew after a panic decides otherwise than if that cycle had not been", was, is)
			for _, finding := range made.Audit() {
				t.Fatalf("audit: %s", finding)
			}
			e = made
			e.Checkpoint()
			w.learn(plan)
		}
	})
	if panicked == 0 {
		t.Error("no cycle panicked: this shows nothing")
	}
}

func survived(decide func() Plan) (plan Plan, ok bool) {
	defer func() { ok = recover() == nil }()
	return decide(), true
}

// A phase that was written while an engine was made anew is not waited for: the fact that
// shows it is newer than the one it was decided on, and no other will come.
func TestAPhaseThatTheFactsShowIsNotRestored(t *testing.T) {
	s := newStage(t, "enqueue", "allocate")
	s.queue("default")
	s.node("a", 2)
	g := &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: "g", UID: "g"}, Queue: "default", MinMember: 1,
		Phase: model.GroupPending}
	ref := model.Ref{Kind: model.KindPodGroup, Namespace: "ns", Name: "g"}
	s.e.Apply(model.Fact{Ref: ref, UID: "g", Version: 100, Object: g})
	s.e.Decide(0)
	decided := s.e.Commitments()
	if len(decided.Phases) != 1 {
		t.Fatalf("decided are the phases %+v, want one", decided.Phases)
	}
	shown := *g
	shown.Phase = decided.Phases[0].Phase
	for name, c := range map[string]struct {
		fact model.Fact
		want int
	}{
		"it shows the phase":             {model.Fact{Ref: ref, UID: "g", Version: 101, Object: &shown}, 0},
		"it is the one that was decided": {model.Fact{Ref: ref, UID: "g", Version: 100, Object: g}, 1},
		"it is newer and does not":       {model.Fact{Ref: ref, UID: "g", Version: 101, Object: g}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, s.e.profile)
			e.Apply(s.e.Facts()...)
			e.Apply(c.fact)
			e.Restore(decided)
			if held := e.Commitments().Phases; len(held) != c.want {
				t.Errorf("it waits for %+v, want %d phases", held, c.want)
			}
		})
	}
}
