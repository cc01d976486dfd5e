package capacity

import (
	"testing"
)

// Seed 001, §3.1 and §3.2: what a queue deserves and may hold, in cpu of a hundred.
func TestDeservedAndRealCapability(t *testing.T) {
	tests := map[string]struct {
		tree           bool
		queues         []string
		deserved, real int64 // of q
	}{
		"flat: the cluster is the only bound": {false, []string{"q root deserved:cpu=40"}, 40, 100},
		"flat: others' guarantees are kept": {false, []string{
			"q root deserved:cpu=40 guarantee:cpu=10", "other root guarantee:cpu=30"}, 40, 70},
		"flat: capability bounds": {false, []string{
			"q root deserved:cpu=40 capability:cpu=60 guarantee:cpu=10", "other root guarantee:cpu=30"}, 40, 60},
		"flat: deserved is clipped":             {false, []string{"q root deserved:cpu=90 capability:cpu=60"}, 60, 60},
		"flat: deserved is raised to guarantee": {false, []string{"q root deserved:cpu=5 guarantee:cpu=10"}, 10, 100},
		"flat: a guarantee stops at capability": {false, []string{"q root guarantee:cpu=50 capability:cpu=20"}, 20, 20},
		"flat: guarantees beyond the cluster": {false, []string{"q root guarantee:cpu=10",
			"other root guarantee:cpu=200"}, 10, 10},
		"flat: the tree means nothing": {false, []string{"team root capability:cpu=5", "q team deserved:cpu=40"},
			40, 100},
		"flat: what a user's root names bounds": {false, []string{"root root capability:cpu=50", "q root deserved:cpu=90"},
			50, 50},
		"tree: the cluster is the only bound": {true, []string{"q root deserved:cpu=40"}, 40, 100},
		"tree: siblings' guarantees are kept": {true, []string{"q root", "other root guarantee:cpu=30"}, 0, 70},
		"tree: the parent's siblings' too": {true, []string{"team root", "q team", "other root guarantee:cpu=30",
			"peer team guarantee:cpu=5"}, 0, 65},
		"tree: a cousin's count only above": {true, []string{"team root", "q team", "other root",
			"cousin other guarantee:cpu=30"}, 0, 100},
		"tree: capability is inherited": {true, []string{"team root capability:cpu=60", "q team deserved:cpu=80"},
			60, 60},
		"tree: a capability above the parent's": {true, []string{"team root capability:cpu=60", "q team capability:cpu=80"},
			0, 60},
		"tree: deserved is raised to guarantee": {true, []string{"team root guarantee:cpu=20", "q team guarantee:cpu=20"},
			20, 100},
		"tree: more guaranteed than there is": {true, []string{"team root capability:cpu=20", "q team guarantee:cpu=50"},
			20, 20},
		"tree: what a user's root names bounds": {true, []string{"root root capability:cpu=50", "q root deserved:cpu=90"},
			50, 50},
		"tree: what it does not name is cluster": {true, []string{"root root capability:gpu=1", "q root deserved:cpu=90"},
			90, 100},
		"tree: a queue out of place counts for nobody": {true, []string{
			"q root deserved:cpu=40", "lost nowhere guarantee:cpu=90", "a b guarantee:cpu=9", "b a guarantee:cpu=9"}, 40, 100},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := flat(t, "cpu=100 gpu=4")
			if tc.tree {
				c = nested(t, "cpu=100 gpu=4")
			}
			c.queues(tc.queues...)
			deserved, real := c.figures("q", "cpu")
			equal(t, "deserved", deserved, tc.deserved)
			equal(t, "real capability", real, tc.real)
		})
	}
}

func TestRootDeservesTheClusterAndWhatItsOwnerNames(t *testing.T) {
	c := nested(t, "cpu=100 gpu=4")
	c.ready()
	deserved, real := c.figures("root", "cpu")
	equal(t, "deserved without a Queue root", deserved, 100)
	equal(t, "real capability without a Queue root", real, 100)
	c.queues("root root deserved:cpu=80 capability:cpu=90")
	deserved, real = c.figures("root", "cpu")
	equal(t, "deserved as named", deserved, 80)
	equal(t, "real capability as named", real, 90)
	deserved, real = c.figures("root", "gpu")
	equal(t, "gpus it does not name, deserved", deserved, 4)
	equal(t, "gpus it does not name, real capability", real, 4)
}

func TestFiguresFollowNodesAndQueues(t *testing.T) {
	c := nested(t, "cpu=100")
	c.queues("team root", "q team deserved:cpu=150")
	deserved, _ := c.figures("q", "cpu")
	equal(t, "deserved of one node", deserved, 100)
	c.node("n2", "cpu=100")
	deserved, _ = c.figures("q", "cpu")
	equal(t, "deserved of two nodes", deserved, 150)
	c.queues("team root capability:cpu=30")
	deserved, _ = c.figures("q", "cpu")
	equal(t, "deserved under a capability that came", deserved, 30)
	c.tell("Queue", "", "team", nil)
	c.ExtendDims()
	_, known := c.QueueFigures(c.id("q"))
	equal(t, "figures of an orphan", known, false)
}
