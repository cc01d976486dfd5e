package drf_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/drf"
	"ashlar.sh/sched/policy"
)

func level(name string, weight int64) model.Level {
	return model.Level{Name: name, Weight: weight * 1000}
}

// quiet is world for properties.
func quiet(hierarchy bool, facts []model.Fact) (*ledger.Ledger, plugin) {
	l := ledger.New()
	for _, f := range facts {
		l.Apply(f)
	}
	l.ExtendDims()
	p, _ := drf.Definition().New(policy.Choice{Hierarchy: hierarchy}, l)
	return l, p.(plugin)
}

func find(l *ledger.Ledger, name string) ledger.JobID {
	j, _ := l.Jobs.Find(ledger.JobKey{Namespace: "ns", Name: name, Adopted: true})
	return j
}

func TestQueuesAreComparedWhereTheirWaysPart(t *testing.T) {
	for name, c := range map[string]struct {
		a, b  []model.Level
		holds map[string]int64 // thousandths of cpu, by queue; c is below eng
		want  int
	}{
		"without paths the poorer queue goes first": {nil, nil, map[string]int64{"a": 1000, "b": 2000}, -1},
		"siblings by what they hold": {[]model.Level{level("eng", 1), level("a", 1)},
			[]model.Level{level("eng", 1), level("b", 1)}, map[string]int64{"a": 2000, "b": 1000}, 1},
		"siblings by what they hold and their weight": {[]model.Level{level("eng", 1), level("a", 3)},
			[]model.Level{level("eng", 1), level("b", 1)}, map[string]int64{"a": 2000, "b": 1000}, -1},
		"a relative's holdings count above": {[]model.Level{level("eng", 1), level("a", 1)},
			[]model.Level{level("sci", 1)}, map[string]int64{"b": 1000, "c": 2000}, 1},
		"and not below": {[]model.Level{level("eng", 1), level("a", 1)},
			[]model.Level{level("eng", 1), level("b", 1)}, map[string]int64{"b": 1000, "c": 2000}, -1},
		"the weight of the level that parts them decides": {[]model.Level{level("eng", 4), level("a", 1)},
			[]model.Level{level("sci", 1)}, map[string]int64{"a": 3000, "b": 1000}, -1},
		"two queues at one place are siblings": {[]model.Level{level("eng", 1)}, []model.Level{level("eng", 1)},
			map[string]int64{"a": 1000}, 1},
		"a queue beside a level below its own": {[]model.Level{level("eng", 1)},
			[]model.Level{level("eng", 1), level("b", 1)}, map[string]int64{"a": 1000, "c": 2000}, 1},
		"of equals the first by name": {[]model.Level{level("z", 1)}, []model.Level{level("a", 1)},
			nil, -1},
		"a name below another name is another level": {[]model.Level{level("x", 1), level("eng", 1)},
			[]model.Level{level("b", 1)}, map[string]int64{"c": 3000, "b": 1000}, -1},
		"no path is a place of its own beside the levels": {nil, []model.Level{level("sci", 1)},
			map[string]int64{"a": 1000, "b": 2000}, -1},
		"no path is not below a level of the queue's name": {nil, []model.Level{level("a", 1)},
			map[string]int64{"a": 1000, "b": 2000}, -1},
		"a place of greater weight may hold more than none": {nil, []model.Level{level("sci", 3)},
			map[string]int64{"a": 1000, "b": 2000}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			facts := []model.Fact{node, queue("a", c.a...), queue("b", c.b...), queue("c", level("eng", 1), level("c", 1))}
			for q, cpu := range c.holds {
				facts = append(facts, held{"job-" + q, q, amounts(cpu, 0, 0)}.pod())
			}
			l, p := world(t, true, facts...)
			if got := p.(hierarchical).CompareQueues(queueID(l, "a"), queueID(l, "b")); got != c.want {
				t.Errorf("a compares to b as %d, want %d", got, c.want)
			}
		})
	}
}

func TestTheTreeFollowsFiguresAndFacts(t *testing.T) {
	l, p := world(t, true, node, queue("a"), queue("b"), held{"job-a", "a", amounts(1000, 0, 0)}.pod())
	h := p.(hierarchical)
	if h.CompareQueues(queueID(l, "a"), queueID(l, "b")) <= 0 {
		t.Error("the queue that holds something goes first")
	}
	l.Apply(held{"job-b", "b", amounts(2000, 0, 0)}.pod())
	if h.CompareQueues(queueID(l, "a"), queueID(l, "b")) >= 0 {
		t.Error("what b holds now does not count")
	}
	f := queue("b", level("sci", 4))
	f.Version = 2
	l.Apply(f)
	l.ExtendDims()
	if h.CompareQueues(queueID(l, "a"), queueID(l, "b")) <= 0 {
		t.Error("the weight that b has now does not count")
	}
	bigger := *node.Object.(*model.Node)
	bigger.Allocatable = amounts(0, 0, 0)
	grown := node
	grown.Version, grown.Object = 2, &bigger
	l.Apply(grown)
	if got := h.CompareQueues(queueID(l, "a"), queueID(l, "b")); got != -1 {
		t.Errorf("where no node offers anything the first by name goes first; got %d", got)
	}
}

func TestWithoutItsFlagDrfOrdersNoQueues(t *testing.T) {
	_, p := world(t, false, node)
	if _, orders := p.(policy.QueueOrder); orders {
		t.Error("drf orders queues without enableHierarchy")
	}
}

func TestTheOrderOfQueuesIsTotalAndForgetsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := []model.Fact{node}
		n := rapid.IntRange(3, 7).Draw(t, "queues")
		for i := range n {
			name := fmt.Sprintf("q%d", i)
			var path []model.Level
			for range rapid.IntRange(0, 3).Draw(t, "depth") {
				path = append(path, level(rapid.SampledFrom([]string{"x", "y", "q1"}).Draw(t, "level"),
					rapid.Int64Range(1, 3).Draw(t, "weight")))
			}
			facts = append(facts, queue(name, path...))
			facts = append(facts, held{"job-" + name, name, amounts(rapid.Int64Range(0, 3).Draw(t, "cpu")*1000,
				rapid.Int64Range(0, 3).Draw(t, "memory")*10, 0)}.pod())
		}
		l, p := quiet(true, facts)
		again, q := quiet(true, rapid.Permutation(facts).Draw(t, "order of facts"))
		ordered(t, n, func(a, b int) int {
			x, y := fmt.Sprintf("q%d", a), fmt.Sprintf("q%d", b)
			r := p.(hierarchical).CompareQueues(queueID(l, x), queueID(l, y))
			if s := q.(hierarchical).CompareQueues(queueID(again, x), queueID(again, y)); r != s {
				t.Fatalf("%s compares to %s as %d, and as %d when facts come in another order", x, y, r, s)
			}
			if (r == 0) != (a == b) {
				t.Fatalf("%s and %s compare as %d", x, y, r)
			}
			return r
		})
	})
}
