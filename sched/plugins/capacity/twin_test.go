package capacity

import (
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// The slow twin: after any history of facts the figures are those of a plugin that
// works all of them out for the first time.
func TestFiguresAreAsIfFoundForTheFirstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choice := policy.Choice{Hierarchy: rapid.Bool().Draw(t, "tree")}
		c := open(t, choice, "cpu=20 gpu=4")
		c.queues(forestOf(t)...)
		for i := range rapid.IntRange(1, 15).Draw(t, "changes") {
			something(t, c, i)
			if rapid.IntRange(0, 2).Draw(t, "a cycle") > 0 {
				c.ready()
				asTwin(t, c, choice)
			}
		}
		c.ready()
		asTwin(t, c, choice)
	})
}

// something is one change: of a queue, its place among them, of a node, or of what is
// held.
func something(t *rapid.T, c *cluster, i int) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "root"}).Draw(t, "queue")
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		c.tell("Queue", "", name, nil)
	case 1:
		offers := rapid.SampledFrom([]string{"", "cpu=10", "cpu=10 gpu=2", "cpu=3 tpu=5"}).Draw(t, "offers")
		c.node(rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node"), offers)
	case 2:
		if name != "root" {
			c.ExtendDims()
			c.pod(name, fmt.Sprintf("p%d", i), rapid.SampledFrom([]string{"cpu=1", "cpu=4 gpu=1"}).Draw(t, "asks"), true)
		}
	default:
		parent := rapid.SampledFrom([]string{"root", "a", "b", "nowhere"}).Draw(t, "parent")
		if q, known := c.Queues.Find(name); known && c.Queue(q).Fact != nil && rapid.IntRange(0, 3).Draw(t, "stays") > 0 {
			parent = c.Queue(q).Fact.Parent
		}
		text := name + " " + parent
		for _, field := range []string{"deserved", "capability", "guarantee"} {
			if rapid.Bool().Draw(t, field) {
				text += fmt.Sprintf(" %s:cpu=%d,gpu=%d", field, rapid.IntRange(0, 12).Draw(t, "cpu"),
					rapid.IntRange(0, 3).Draw(t, "gpu"))
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "state") == 9 {
			text += " closed"
		}
		c.queue(text)
	}
}

func asTwin(t *rapid.T, c *cluster, choice policy.Choice) {
	made, _ := Definition().New(choice, c.Ledger)
	twin := made.(*plugin)
	twin.refresh()
	for q := range ledger.QueueID(c.Queues.Len()) {
		if c.bounds.known(q) != twin.bounds.known(q) {
			t.Fatalf("queue %s takes part: %v, want %v", c.Queue(q).Name, c.bounds.known(q), twin.bounds.known(q))
		}
		if !twin.bounds.known(q) {
			continue
		}
		for d := range resource.Dim(c.Dims.Len()) {
			got := []any{*c.bounds.limitsOf(q, d), c.bounds.place(q, d), c.bounds.admit(q, d)}
			want := []any{*twin.bounds.limitsOf(q, d), twin.bounds.place(q, d), twin.bounds.admit(q, d)}
			if !slices.Equal(got, want) {
				t.Fatalf("queue %s, %s: %+v, want %+v", c.Queue(q).Name, c.Dims.Name(d), got, want)
			}
		}
		if c.order.share(q) != twin.order.share(q) || !slices.Equal(c.guarantees.unfilledBelow(q),
			twin.guarantees.unfilledBelow(q)) || !slices.Equal(c.rows[q].counts, twin.rows[q].counts) {
			t.Fatalf("queue %s: share %v, unfilled guarantees %v of %v, want %v, %v of %v", c.Queue(q).Name,
				c.order.share(q), c.guarantees.unfilledBelow(q), c.rows[q].counts,
				twin.order.share(q), twin.guarantees.unfilledBelow(q), twin.rows[q].counts)
		}
	}
}
