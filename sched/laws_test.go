package sched

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"pgregory.net/rapid"
)

func engine(t rapid.TB, p policy.Profile, with ...Option) *Engine {
	t.Helper()
	e, err := New(p, append(with, WithAction(evictAny{}), WithAction(placeAndFail{}))...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// again is an engine that knows what another one does, by its facts and commitments.
func again(t rapid.TB, e *Engine) *Engine {
	t.Helper()
	f := engine(t, e.profile, paceOf(e))
	f.SetVerbosity(5) // what is watched decides the same as what is not
	f.Apply(e.Facts()...)
	f.Restore(e.Commitments())
	return f
}

// somePace is a period of the histories' kind, in which seconds pass between cycles; or none.
func somePace(t *rapid.T) Option {
	return WithPeriod(rapid.SampledFrom([]int64{0, 30 * second, 90 * second}).Draw(t, "period"), 5*second)
}

func paceOf(e *Engine) Option { return WithPeriod(e.session.Surplus.Period, e.session.Surplus.Quiet) }

// answers is all that a cycle says, a line for each thing.
func answers(t rapid.TB, e *Engine, now int64) (Plan, string) {
	t.Helper()
	plan, _, next := e.Decide(now)
	var b strings.Builder
	line := func(x any) { b.WriteString(lineOf(t, x)) }
	b.WriteString(itemsOf(t, plan))
	line(next)
	r := e.Report()
	for _, j := range r.Jobs {
		line(j)
	}
	for _, q := range r.Queues {
		line(q)
	}
	for _, p := range r.Pods {
		line(p)
	}
	for _, n := range r.Nodes {
		line(n)
	}
	line(r.Problems)
	line(e.l.Usage.Saved())
	return plan, b.String()
}

// itemsOf writes the items of a plan, one a line.
func itemsOf(t rapid.TB, plan Plan) (out string) {
	for _, i := range plan.Items {
		out += lineOf(t, i)
	}
	return out
}

// lineOf is a line with a value and its type.
func lineOf(t rapid.TB, x any) string {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%T %s\n", x, text)
}

// same fails the test where two engines' answers differ, and shows where.
func same(t rapid.TB, law, was, is string) {
	t.Helper()
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Fatalf("%s:\none   says %s\nother says %s", law, x, y)
		}
	}
}

func TestExportLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		e := engine(t, w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...), somePace(t))
		watch := newInvariants()
		w.begin()
		for range rapid.IntRange(6, 20).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			e.Receive(receipts...)
			watch.receive(receipts)
			other := again(t, e)
			plan, was := answers(t, e, w.now)
			_, is := answers(t, other, w.now)
			same(t, "an engine restored from facts and commitments decides otherwise", was, is)
			watch.check(t, e, plan)
			w.learn(plan)
			if w.rarely() {
				e = other
			}
			if w.n(15) == 15 {
				e = engine(t, e.profile, paceOf(e))
				e.Apply(other.Facts()...)
				watch = newInvariants()
				w.forget()
			}
		}
	})
}

func TestShuffleLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		p := w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...)
		pace := somePace(t)
		e, f := engine(t, p, pace), engine(t, p, pace)
		w.begin()
		for range rapid.IntRange(6, 20).Draw(t, "cycles") {
			facts, receipts := w.deal()
			e.Apply(facts...)
			f.Apply(shuffled(t, facts)...)
			e.Receive(receipts...)
			f.Receive(receipts...)
			plan, was := answers(t, e, w.now)
			_, is := answers(t, f, w.now)
			same(t, "the order of facts between two cycles shows", was, is)
			w.learn(plan)
		}
		a, b := engine(t, p), engine(t, p)
		a.Apply(e.Facts()...)
		b.Apply(rapid.Permutation(e.Facts()).Draw(t, "all facts")...)
		_, was := answers(t, a, w.now)
		_, is := answers(t, b, w.now)
		same(t, "the order of facts at a start shows", was, is)
	})
}

// shuffled is the facts in another order; those about one object keep theirs.
func shuffled(t *rapid.T, facts []model.Fact) []model.Fact {
	if len(facts) < 2 {
		return facts
	}
	out := rapid.Permutation(facts).Draw(t, "facts")
	queue := map[model.Ref][]model.Fact{}
	for _, f := range facts {
		queue[f.Ref] = append(queue[f.Ref], f)
	}
	for i := range out {
		ref := out[i].Ref
		out[i], queue[ref] = queue[ref][0], queue[ref][1:]
	}
	return out
}

func TestUndoLawOfWholeActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		p := w.profile(w.withEvictingActions("enqueue", "allocate", "backfill")...)
		e := engine(t, p)
		p.Actions = []string{"placeAndFail"}
		for _, a := range e.profile.Actions {
			p.Actions = append(p.Actions, a, "placeAndFail")
		}
		f := engine(t, p)
		w.begin()
		for range rapid.IntRange(6, 20).Draw(t, "cycles") {
			facts, receipts := w.deal()
			for _, x := range []*Engine{e, f} {
				x.Apply(facts...)
				x.Receive(receipts...)
			}
			plan, was := answers(t, e, w.now)
			_, is := answers(t, f, w.now)
			same(t, "an action whose statement failed left something behind", was, is)
			for _, finding := range f.Audit() {
				t.Fatalf("audit: %s", finding)
			}
			w.learn(plan)
		}
	})
}
