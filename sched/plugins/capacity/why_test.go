package capacity

import (
	"testing"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
	"pgregory.net/rapid"
)

// Seed 001, §7.1: what training may hold, from root down, in cpu.
func TestArithmeticOfTheSeedsTree(t *testing.T) {
	c := seed(t)
	all, _ := c.QueueArithmetic(c.id("training"))
	if len(all) != 2 || all[0].Dim != "cpu" || all[1].Dim != "memory" {
		t.Fatalf("arithmetic of %d dimensions: %+v", len(all), all)
	}
	want := []trace.Level{
		{Queue: "root", Above: 100_000, Guarantee: 40_000, Capability: 100_000, Bounded: true, Real: 100_000},
		{Queue: "team-a", Above: 100_000, ChildGuarantees: 40_000, Guarantee: 20_000, Capability: 70_000, Bounded: true,
			Real: 70_000},
		{Queue: "training", Above: 70_000, ChildGuarantees: 20_000, Guarantee: 10_000, Capability: 50_000, Bounded: true,
			Real: 50_000},
	}
	for i, level := range all[0].Levels {
		equal(t, level.Queue, level, want[i])
	}
	equal(t, "named", all[0].Named, 40_000)
	equal(t, "deserved", all[0].Deserved, 40_000)
	equal(t, "weight", all[0].Weight, 0)
}

func TestArithmeticOfAQueueOutOfPlace(t *testing.T) {
	c := nested(t, "cpu=10")
	c.queues("lost nowhere deserved:cpu=5")
	if all, ok := c.QueueArithmetic(c.id("lost")); ok {
		t.Errorf("a queue without a parent has the arithmetic %+v", all)
	}
}

func TestArithmeticEndsAtTheFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := open(t, policy.Choice{Hierarchy: rapid.Bool().Draw(t, "tree")}, "cpu=12 gpu=6")
		c.queues(forestOf(t)...)
		for _, q := range c.report.sharing() {
			f, _ := c.QueueFigures(q)
			all, ok := c.QueueArithmetic(q)
			if !ok {
				t.Fatalf("%s has figures and no arithmetic", c.Queue(q).Name)
			}
			for _, a := range all {
				d, _ := c.Dims.Lookup(a.Dim)
				real, _ := f.RealCapability.Bound(d)
				if a.Deserved != f.Deserved.Get(d) || a.Real() != real {
					t.Errorf("%s: the arithmetic is %+v, the figures are %d of %d", c.Queue(q).Name, a, f.Deserved.Get(d), real)
				}
				if deserved := max(min(a.Named, a.Real()), a.Guarantee); deserved != a.Deserved {
					t.Errorf("%s: %+v: deserved is not %d", c.Queue(q).Name, a, deserved)
				}
				for _, l := range a.Levels[1:] {
					climbs(t, l)
				}
			}
		}
	})
}

// climbs checks that a level's limit follows from the level above.
func climbs(t *rapid.T, l trace.Level) {
	real := max(l.Above-l.ChildGuarantees, 0) + l.Guarantee
	if l.Bounded {
		real = min(real, l.Capability)
	}
	if real = min(real, l.Above); l.Real != real {
		t.Errorf("%+v: real is not %d", l, real)
	}
}
