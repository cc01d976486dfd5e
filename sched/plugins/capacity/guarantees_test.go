package capacity

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

// How much q may still take where others borrowed beside a guarantee, in cpu of a
// hundred.
func TestAGuaranteeIsKeptFreeHoweverManyBorrow(t *testing.T) {
	tests := map[string]struct {
		tree   bool
		queues []string
		held   map[string]string
		fits   int64 // in q, pods of one cpu
		why    string
	}{
		"flat: two borrowers leave a third its guarantee": {false, []string{"q root", "r root", "v root guarantee:cpu=30"},
			map[string]string{"r": "cpu=60"}, 10, "QueueCapability root cpu 101/100"},
		"tree: on the level of the guarantee": {true, []string{"team root capability:cpu=50", "q team", "r team",
			"v team guarantee:cpu=30"},
			map[string]string{"r": "cpu=15"}, 5, "QueueCapability team cpu 51/50"},
		"tree: on every level above it": {true, []string{"team root guarantee:cpu=30", "v team guarantee:cpu=30", "q root",
			"r root"},
			map[string]string{"r": "cpu=60"}, 10, "QueueCapability root cpu 101/100"},
		"tree: what a brother of the guaranteed borrowed is no part of the guarantee": {true, []string{
			"team root guarantee:cpu=20", "v team guarantee:cpu=10", "w team", "q root"},
			map[string]string{"w": "cpu=15"}, 75, "QueueCapability root cpu 101/100"},
		"what is filled is not kept twice, and a full cluster is for nodes to say": {true,
			[]string{"q root", "r root", "v root guarantee:cpu=30"},
			map[string]string{"r": "cpu=30", "v": "cpu=30"}, 70, "QueueCapability q cpu 71/70"},
		"a queue's own guarantee is its own": {true, []string{"q root guarantee:cpu=30", "r root", "v root guarantee:cpu=10"},
			map[string]string{"r": "cpu=60"}, 30, "QueueCapability root cpu 101/100"},
		"up to its guarantee others' are no hindrance": {true, []string{"q root guarantee:cpu=60", "r root",
			"v root guarantee:cpu=60"},
			map[string]string{"v": "cpu=10"}, 60, "QueueCapability q cpu 61/60"},
		"nor what others took before they were guaranteed": {true, []string{"q root guarantee:cpu=20", "r root",
			"v root guarantee:cpu=20"},
			map[string]string{"r": "cpu=75"}, 20, "QueueCapability root cpu 116/100"},
		"a promise without a guarantee above hurts nobody outside": {true,
			[]string{"q root", "team root", "v team guarantee:cpu=30"},
			nil, 1000, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := flat(t, "cpu=100")
			if tc.tree {
				c = nested(t, "cpu=100")
			}
			c.queues(tc.queues...)
			for _, q := range []string{"r", "v", "w"} {
				if asks := tc.held[q]; asks != "" {
					c.hold(q, asks)
				}
			}
			n, _ := c.fits("q", "cpu=1")
			equal(t, "tasks that fit", n, tc.fits)
			if n > 0 && n < 1000 {
				c.hold("q", fmt.Sprintf("cpu=%d", n))
			}
			_, why := c.fits("q", "cpu=1")
			equal(t, "why not one more", brief(why), tc.why)
		})
	}
}

// promising draws a tree in which every queue promises its children no more than it is
// guaranteed itself, and root no more than there is.
func promising(t *rapid.T, c *cluster) {
	type node struct {
		name string
		left int
	}
	nodes := []node{{"root", 40}}
	var texts []string
	for i := range rapid.IntRange(2, 9).Draw(t, "queues") {
		up := &nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "parent")]
		guarantee := rapid.IntRange(0, up.left).Draw(t, "guarantee")
		up.left -= guarantee
		name := string(rune('a' + i))
		text := fmt.Sprintf("%s %s guarantee:cpu=%d", name, up.name, guarantee)
		if guarantee < 12 && rapid.IntRange(0, 3).Draw(t, "limited") == 3 {
			text += fmt.Sprintf(" capability:cpu=%d", guarantee+rapid.IntRange(0, 9).Draw(t, "capability"))
		}
		texts, nodes = append(texts, text), append(nodes, node{name, guarantee})
	}
	c.queues(texts...)
}

// Whatever others borrowed, in whatever order, within what Allocatable allows: the rest
// of a queue's guarantee is always there for it, as room of the cluster and by the
// queues' rules.
func TestAGuaranteeIsAlwaysThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]func(failer, string) *cluster{flat, nested}).Draw(t, "mode")
		c := mode(t, "cpu=40")
		promising(t, c)
		leaves := c.leaves()
		var placed []ledger.TaskID
		for i := range rapid.IntRange(1, 25).Draw(t, "steps") {
			if n := len(placed); n > 0 && rapid.IntRange(0, 4).Draw(t, "step") == 4 {
				k := rapid.IntRange(0, n-1).Draw(t, "which")
				c.Drop(placed[k])
				placed = append(placed[:k], placed[k+1:]...)
			} else {
				leaf := rapid.SampledFrom(leaves).Draw(t, "queue")
				p := c.pod(leaf, fmt.Sprintf("p%d", i), fmt.Sprintf("cpu=%d", rapid.IntRange(1, 9).Draw(t, "asks")), false)
				if c.plugin.Allocatable(c.id(leaf), c.Task(p).Class, 1) == 1 && c.roomy(p) {
					c.SetCommitment(p, ledger.Commitment{Kind: ledger.CommitBind, Node: 0})
					placed = append(placed, p)
				}
			}
			for _, leaf := range leaves {
				there(t, c, leaf)
			}
		}
	})
}

// there checks that a leaf could have all of its guarantee now.
func there(t *rapid.T, c *cluster, leaf string) {
	q := c.id(leaf)
	cpu, _ := c.Dims.Lookup(resource.CPUName)
	lacks := c.Queue(q).Guarantee.Get(cpu) - c.Queue(q).Allocated.Get(cpu)
	if lacks <= 0 {
		return
	}
	if idle := c.Nodes.Idle(cpu)[0]; idle < lacks {
		t.Fatalf("%s lacks %d of its guarantee, and %d is idle", leaf, lacks, idle)
	}
	if why := c.above(q, resource.Vec(nil).Set(cpu, lacks)); why.Is() {
		t.Fatalf("%s lacks %d of its guarantee, and is refused: %s", leaf, lacks, brief(why))
	}
}

// Allocatable's number is the largest for which nothing is in the way.
func TestAllocatableEndsWhereItMust(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]func(failer, string) *cluster{flat, nested}).Draw(t, "mode")
		c := mode(t, "cpu=10 gpu=4")
		c.queues(forestOf(t)...)
		leaves := c.leaves()
		for _, q := range leaves {
			if asks := rapid.SampledFrom([]string{"", "cpu=1", "cpu=2 gpu=1", "cpu=5"}).Draw(t, "held"); asks != "" {
				c.hold(q, asks)
			}
		}
		leaf := c.id(rapid.SampledFrom(leaves).Draw(t, "queue"))
		p := c.pod(c.Queue(leaf).Name, "asks", rapid.SampledFrom([]string{"cpu=1", "cpu=1 gpu=1", "gpu=2"}).Draw(t, "asks"),
			false)
		class := c.Task(p).Class
		n := c.plugin.Allocatable(leaf, class, 50)
		for k := int64(1); k <= 50; k++ {
			want := c.Class(class).Request.Clone().Scale(k, 1)
			if free := !c.above(leaf, want).Is(); free != (k <= n) {
				t.Fatalf("%d tasks fit, and that %d may is %v", n, k, free)
			}
		}
	})
}
