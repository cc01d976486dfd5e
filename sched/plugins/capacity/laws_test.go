package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// forestOf draws up to eight queues below root, of any shape, as queue's texts. Amounts
// are few, so that shares tie.
func forestOf(t *rapid.T) []string {
	names := []string{"root"}
	var out []string
	amount := func(what string, most int) string {
		if !rapid.Bool().Draw(t, what+" named") {
			return ""
		}
		return fmt.Sprintf(" %s:cpu=%d,gpu=%d", what, rapid.IntRange(0, most).Draw(t, what),
			rapid.IntRange(0, 4).Draw(t, what))
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "queues") {
		name := string(rune('a' + i))
		text := name + " " + rapid.SampledFrom(names).Draw(t, "parent") + amount("deserved", 4) + amount("capability", 20)
		if rapid.IntRange(0, 3).Draw(t, "rank") == 3 {
			text += " priority:1"
		}
		if rapid.IntRange(0, 2).Draw(t, "age") == 2 {
			text += " born:1"
		}
		if rapid.IntRange(0, 2).Draw(t, "guaranteed") == 2 {
			text += amount("guarantee", 3)
		}
		out, names = append(out, text), append(names, name)
	}
	return out
}

// leaves are the queues that take jobs, by name.
func (c *cluster) leaves() []string {
	var out []string
	for _, q := range c.report.sharing() {
		if c.Queue(q).Leaf() {
			out = append(out, c.Queue(q).Name)
		}
	}
	slices.Sort(out)
	return out
}

// before is the order of policy.Set with this plugin alone.
func (c *cluster) before(a, b string) int {
	x, y := c.id(a), c.id(b)
	if r := c.CompareQueues(x, y); r != 0 {
		return r
	}
	return cmp.Or(cmp.Compare(c.Queue(x).Fact.Created, c.Queue(y).Fact.Created), cmp.Compare(a, b))
}

func TestTheOrderIsTotalAndTheSameHoweverFactsCame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]func(failer, string) *cluster{flat, nested}).Draw(t, "mode")
		queues := forestOf(t)
		one, other := mode(t, "cpu=10 gpu=4"), mode(t, "cpu=10 gpu=4")
		one.queues(queues...)
		other.queues(rapid.Permutation(queues).Draw(t, "another order")...)
		names := one.leaves()
		for _, q := range names {
			if asks := rapid.SampledFrom([]string{"", "cpu=1", "cpu=2 gpu=1"}).Draw(t, "held"); asks != "" {
				one.hold(q, asks)
				other.hold(q, asks)
			}
		}
		for _, a := range names {
			for _, b := range names {
				if x, y := one.before(a, b), one.before(b, a); (x < 0) != (y > 0) || (x == 0) != (a == b) {
					t.Fatalf("%s and %s: %d, and %d the other way", a, b, x, y)
				}
				if one.before(a, b) != other.before(a, b) {
					t.Fatalf("%s and %s: %d, and %d after facts in another order", a, b, one.before(a, b), other.before(a, b))
				}
				for _, d := range names {
					if one.before(a, b) < 0 && one.before(b, d) < 0 && one.before(a, d) >= 0 {
						t.Fatalf("%s before %s before %s, and not before it", a, b, d)
					}
				}
			}
		}
	})
}

// Placing what Allocatable allows and nodes have room for lifts no queue above realCapability, and what
// children hold and ask for adds up to their parents'.
func TestNoQueueIsLiftedAboveItsRealCapability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]func(failer, string) *cluster{flat, nested}).Draw(t, "mode")
		c := mode(t, "cpu=10 gpu=4")
		c.queues(forestOf(t)...)
		leaves := c.leaves()
		for i := range rapid.IntRange(1, 12).Draw(t, "tasks") {
			leaf := rapid.SampledFrom(leaves).Draw(t, "queue")
			asks := rapid.SampledFrom([]string{"cpu=1", "cpu=3", "gpu=1", "cpu=2 gpu=2", "tpu=1"}).Draw(t, "asks")
			p := c.pod(leaf, fmt.Sprintf("p%d", i), asks, false)
			if c.plugin.Allocatable(c.id(leaf), c.Task(p).Class, 1) == 1 && c.roomy(p) {
				c.Try(func(tx *ledger.Tx) bool { tx.Allocate(p, 0); return true })
			}
			for _, q := range c.report.sharing() {
				sound(t, c, q)
			}
		}
	})
}

// roomy says that the node has room for a task, as the engine sees to.
func (c *cluster) roomy(p ledger.TaskID) bool {
	for _, need := range c.Class(c.Task(p).Class).Need {
		if need.Dim != resource.Pods && c.Nodes.Idle(need.Dim)[0] < need.Amount {
			return false
		}
	}
	return true
}

func sound(t *rapid.T, c *cluster, q ledger.QueueID) {
	queue := c.Queue(q)
	for d := range resource.Dim(c.Dims.Len()) {
		held, real := queue.Allocated.Get(d), c.bounds.real(q, d)
		if c.bounds.offered(d) && held > real {
			t.Fatalf("%s holds %d of %s and may hold %d", queue.Name, held, c.Dims.Name(d), real)
		}
		allocated, request := int64(0), int64(0)
		c.Queues.Each(func(child ledger.QueueID) bool {
			if c.Queues.Parent(child) == q {
				allocated += c.Queue(child).Allocated.Get(d)
				request += c.Queue(child).Request.Get(d)
			}
			return true
		})
		if !queue.Leaf() && (allocated != held || request != queue.Request.Get(d)) {
			t.Fatalf("%s holds %d and asks for %d of %s, its children %d and %d",
				queue.Name, held, queue.Request.Get(d), c.Dims.Name(d), allocated, request)
		}
	}
}

func TestServingMovesOthersOnlyBelowACommonAncestor(t *testing.T) {
	for name, tc := range map[string]struct {
		tree   bool
		queues []string
		want   bool
	}{
		"flat queues":                {false, []string{"a root", "b a"}, false},
		"a tree of one level":        {true, []string{"a root", "b root"}, false},
		"a tree of more than one":    {true, []string{"a root", "b a"}, true},
		"a tree of root and nothing": {true, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := flat(t, "cpu=1")
			if tc.tree {
				c = nested(t, "cpu=1")
			}
			c.queues(tc.queues...)
			equal(t, "serving one moves others", c.ServingMovesOthers(), tc.want)
		})
	}
}
