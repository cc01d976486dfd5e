package capacity

import (
	"slices"
	"testing"

	"ashlar.sh/sched/fair"
)

// seed is the tree of seed 001, §7.1, with what its §7.2 and §7.3 say is held, in cpu.
func seed(t failer) *cluster {
	c := nested(t, "cpu=100 memory=400")
	c.queues(
		"root root deserved:cpu=100,memory=400 capability:cpu=100,memory=400 guarantee:cpu=40,memory=160",
		"team-a root deserved:cpu=60,memory=240 capability:cpu=70,memory=300 guarantee:cpu=20,memory=80",
		"team-b root deserved:cpu=40,memory=160 capability:cpu=50,memory=200 guarantee:cpu=20,memory=80",
		"training team-a deserved:cpu=40,memory=160 capability:cpu=50,memory=200 guarantee:cpu=10,memory=40",
		"inference team-a deserved:cpu=20,memory=80 capability:cpu=30,memory=120 guarantee:cpu=10,memory=40",
		"batch team-b deserved:cpu=30,memory=120 capability:cpu=40,memory=160 guarantee:cpu=15,memory=60",
		"interactive team-b deserved:cpu=10,memory=40 capability:cpu=20,memory=80 guarantee:cpu=5,memory=20",
	)
	c.hold("training", "cpu=30")
	c.hold("inference", "cpu=15")
	c.hold("batch", "cpu=25")
	c.hold("interactive", "cpu=5")
	return c
}

// thousandths is a queue's share, rounded.
func (c *cluster) thousandths(queue string) int64 {
	return (c.order.share(c.id(queue)).Micro() + 500) / 1000
}

// Seed 001, §7.2: one task of 10 cpu in training moves three shares.
func TestOneTaskMovesTheSharesOfAllAncestors(t *testing.T) {
	c := seed(t)
	for _, q := range []struct {
		name          string
		before, after int64
	}{{"training", 750, 1000}, {"team-a", 750, 917}, {"root", 750, 850}} {
		equal(t, q.name+" before", c.thousandths(q.name), q.before)
		again := seed(t)
		again.hold("training", "cpu=10")
		equal(t, q.name+" after", again.thousandths(q.name), q.after)
	}
}

// Seed 001, §7.3: training and batch compare by their teams.
func TestLeavesCompareByTheQueuesBelowTheirCommonAncestor(t *testing.T) {
	c := seed(t)
	c.hold("training", "cpu=10") // team-a 0.917, team-b 0.75
	leaves := []string{"training", "inference", "batch", "interactive"}
	slices.SortFunc(leaves, func(a, b string) int { return c.CompareQueues(c.id(a), c.id(b)) })
	want := []string{"interactive", "batch", "inference", "training"}
	if !slices.Equal(leaves, want) {
		t.Errorf("served in the order %v, want %v", leaves, want)
	}
}

func TestTheSeedsQueuesMayHoldTheirCapabilities(t *testing.T) {
	c := seed(t)
	for name, want := range map[string][2]int64{
		"root": {100, 100}, "team-a": {60, 70}, "team-b": {40, 50}, "training": {40, 50},
		"inference": {20, 30}, "batch": {30, 40}, "interactive": {10, 20},
	} {
		deserved, real := c.figures(name, "cpu")
		equal(t, name, [2]int64{deserved, real}, want)
	}
}

// Seed 001, §4.1.
func TestShare(t *testing.T) {
	tests := map[string]struct {
		queue, holds string
		want         int64
	}{
		"best effort is 1, holding nothing":       {"q root", "", 1000},
		"best effort is 1, whatever it holds":     {"q root", "cpu=50", 1000},
		"nothing but zeros is best effort":        {"q root deserved:cpu=0", "cpu=5", 1000},
		"a guarantee alone is best effort":        {"q root guarantee:cpu=10", "cpu=5", 1000},
		"deserved and nothing held is 0":          {"q root deserved:cpu=10", "", 0},
		"some of it held is between":              {"q root deserved:cpu=10", "cpu=4", 400},
		"all of it held is 1":                     {"q root deserved:cpu=10", "cpu=10", 1000},
		"more than that is above 1":               {"q root deserved:cpu=10", "cpu=15", 1500},
		"the largest of the dimensions counts":    {"q root deserved:cpu=10,gpu=4", "cpu=1 gpu=3", 750},
		"a dimension that is not named does not":  {"q root deserved:cpu=10", "cpu=1 gpu=8", 100},
		"a zero that is meant does":               {"q root deserved:cpu=10,gpu=0", "cpu=1 gpu=1", fair.MaxMicro / 1000},
		"deserved is what a capability leaves":    {"q root deserved:cpu=10 capability:cpu=5", "cpu=1", 200},
		"what no node offers does not count":      {"q root deserved:cpu=10,tpu=4", "cpu=1 tpu=4", 100},
		"a guarantee raises what it is a part of": {"q root deserved:cpu=10 guarantee:cpu=20", "cpu=10", 500},
	}
	for name, tc := range tests {
		for mode, make := range map[string]func(failer, string) *cluster{"flat": flat, "tree": nested} {
			t.Run(name+", "+mode, func(t *testing.T) {
				c := make(t, "cpu=100 gpu=8")
				c.queues(tc.queue)
				if tc.holds != "" {
					c.hold("q", tc.holds)
				}
				equal(t, "share in thousandths", c.thousandths("q"), tc.want)
			})
		}
	}
}
