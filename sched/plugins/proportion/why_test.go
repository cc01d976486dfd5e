package proportion_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// arithmetic is a queue's, for one dimension; nil where it has none.
func (c *cluster) arithmetic(queue, dim string) *trace.Arithmetic {
	id, known := c.l.Queues.Find(queue)
	if !known {
		return nil
	}
	all, _ := c.p.(policy.QueueArithmetic).QueueArithmetic(id)
	for i := range all {
		if all[i].Dim == dim {
			return &all[i]
		}
	}
	return nil
}

// Seed 000, §15, both rounds of queue A, and the one round of C, in whole cores.
func TestArithmeticOfTheWorkedExample(t *testing.T) {
	c := newCluster(t, 100, queue{name: "a", weight: 2, capability: 50, guarantee: 10, pending: 80},
		queue{name: "b", weight: 3, pending: 60}, queue{name: "c", weight: 5, guarantee: 20, pending: 30})
	a, last := c.arithmetic("a", "cpu"), c.arithmetic("c", "cpu")
	want := []trace.Round{
		{Number: 1, TotalWeight: 10, Remaining: 100_000, Given: 20_000, Capped: 20_000, Asked: 20_000, Value: 20_000},
		{Number: 2, TotalWeight: 5, Remaining: 20_000, Given: 8_000, Capped: 28_000, Asked: 28_000, Value: 28_000},
	}
	if !slices.Equal(a.Rounds, want) || a.Deserved != 28_000 || a.Weight != 2 {
		t.Errorf("a came to %d by %+v, want 28000 by %+v", a.Deserved, a.Rounds, want)
	}
	met := trace.Round{Number: 1, TotalWeight: 10, Remaining: 100_000, Given: 50_000, Capped: 50_000, Asked: 30_000,
		Value: 30_000, Met: true}
	if !slices.Equal(last.Rounds, []trace.Round{met}) {
		t.Errorf("c came to what it deserves by %+v, want %+v", last.Rounds, met)
	}
	level := trace.Level{Queue: "a", Above: 100_000, ChildGuarantees: 30_000, Guarantee: 10_000, Capability: 50_000,
		Bounded: true, Real: 50_000}
	if a.Levels[1] != level {
		t.Errorf("a may hold %+v, want %+v", a.Levels[1], level)
	}
}

func TestArithmeticEndsAtTheFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := told(t, someFacts(t))
		for _, dim := range []string{"cpu", gpu} {
			parts, _ := c.parts(dim)
			for _, p := range parts {
				a := c.arithmetic(p.queue, dim)
				if a == nil {
					if p.deserved > 0 {
						t.Errorf("%s deserves %d %s without arithmetic", p.queue, p.deserved, dim)
					}
					continue
				}
				if a.Deserved != p.deserved || a.Guarantee != p.guarantee || a.Request != p.request {
					t.Errorf("%s %s: the arithmetic is %+v, the figures %+v", p.queue, dim, *a, p)
				}
				explained(t, a)
			}
		}
	})
}

// explained checks that each number of an arithmetic follows from those before it.
func explained(t *rapid.T, a *trace.Arithmetic) {
	for _, l := range a.Levels {
		real := max(l.Above-l.ChildGuarantees, 0) + l.Guarantee
		if l.Bounded {
			real = min(real, l.Capability)
		}
		if l.Real != real {
			t.Errorf("%+v: real is not %d", l, real)
		}
	}
	value := int64(0)
	for _, r := range a.Rounds {
		if capped := min(value+r.Given, a.Real()); !r.Correction && (r.Capped != capped ||
			r.Asked != min(capped, a.Request) || r.Value != max(r.Asked, a.Guarantee)) {
			t.Errorf("round %+v does not follow from %d with %+v", r, value, *a)
		}
		value = r.Value
	}
	if value != a.Deserved {
		t.Errorf("the rounds end at %d, deserved is %d", value, a.Deserved)
	}
}
