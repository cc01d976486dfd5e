package explain

import (
	"os"
	"regexp"
	"testing"

	"ashlar.sh/sched/trace"
)

var changeTexts = []struct {
	change trace.Change
	want   string
}{
	{trace.Change{Kind: trace.ChangeGang, From: 8, To: 6}, "minMember 6 instead of 8"},
	{trace.Change{Kind: trace.ChangeRequest, Text: "cpu", From: 2000, To: 1300},
		"its pods ask for 1.3 cpu each instead of 2"},
	{trace.Change{Kind: trace.ChangeTier, From: 1, To: 2}, "highestTierAllowed 2 instead of 1"},
	{trace.Change{Kind: trace.ChangeTier, From: 1, To: -1}, "its network topology is a wish (mode soft)"},
	{trace.Change{Kind: trace.ChangeToleration, Text: "dedicated=gpu:NoSchedule", Count: 3},
		"its pods tolerate taint dedicated=gpu:NoSchedule, which 3 nodes have"},
	{trace.Change{Kind: trace.ChangeSelector, Text: "zone"}, "its pods have no nodeSelector for zone"},
	{trace.Change{Kind: trace.ChangeSelector}, "its pods require no node affinity"},
	{trace.Change{Kind: trace.ChangePriority, Text: "high", From: 0, To: 1000}, "priority class high (1000 instead of 0)"},
	{trace.Change{Kind: trace.ChangeQueue, Object: "b", Text: "a"}, "queue b instead of a"},
	{trace.Change{Kind: trace.ChangeGates, From: 2}, "the scheduling gates of 2 pods are removed"},
	{trace.Change{Kind: trace.ChangeQueueState, Object: "a", Text: "Closed"}, "queue a is opened, which is closed"},
	{trace.Change{Kind: trace.ChangeQueueAdded, Object: "a"}, "queue a is created"},
	{trace.Change{Kind: trace.ChangeCapability, Object: "research",
		Amounts: []trace.AmountChange{{Dim: "cpu", From: 16000, To: 24000}}}, "queue research: capability 8 cpu higher"},
	{trace.Change{Kind: trace.ChangeDeserved, Object: "a",
		Amounts: []trace.AmountChange{{Dim: "cpu", To: 1000}, {Dim: "memory", To: 1 << 30}}},
		"queue a: deserved 1 cpu and 1Gi memory higher"},
	{trace.Change{Kind: trace.ChangeWeight, Object: "a", From: 1, To: 3}, "queue a: weight 3 instead of 1"},
	{trace.Change{Kind: trace.ChangeQuota, Object: "ns/q",
		Amounts: []trace.AmountChange{{Dim: "cpu", From: 1000, To: 3000}}},
		"ResourceQuota ns/q: 2 cpu higher"},
	{trace.Change{Kind: trace.ChangeRoom, Where: []trace.Freed{{Node: "n1", Dim: "nvidia.com/gpu", Amount: 2000}}},
		"2 more nvidia.com/gpu free on node n1"},
	{trace.Change{Kind: trace.ChangeRoom, Object: "rack-1", To: 1, Where: []trace.Freed{
		{Node: "n1", Dim: "cpu", Amount: 1000}, {Node: "n1", Dim: "nvidia.com/gpu", Amount: 4000},
		{Node: "n2", Dim: "nvidia.com/gpu", Amount: 8000}, {Node: "n3", Dim: "nvidia.com/gpu", Amount: 8000}}},
		"1 more cpu and 4 more nvidia.com/gpu free on node n1, and 8 more nvidia.com/gpu free on each of n2 and n3 " +
			"(in HyperNode rack-1, tier 1)"},
	{trace.Change{Kind: trace.ChangeNodes, Object: "n1", Count: 2}, "2 more nodes like n1"},
	{trace.Change{Kind: trace.ChangeEnd, Jobs: []string{"ns/other"}}, "after ns/other ends"},
	{trace.Change{Kind: trace.ChangeEnd, Jobs: []string{"ns/a", "ns/b"}}, "after ns/a and ns/b end"},
	{trace.Change{Kind: "Newer"}, "Newer"},
}

// Each kind of change has words, and each kind of the engine's is among the examples.
func TestChangesAsAUserReadsThem(t *testing.T) {
	seen := map[trace.ChangeKind]bool{}
	for _, c := range changeTexts {
		seen[c.change.Kind] = true
		if is := ChangeText(c.change); is != c.want {
			t.Errorf("%+v:\nis   %s\nwant %s", c.change, is, c.want)
		}
	}
	source, err := os.ReadFile("../../sched/trace/change.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`ChangeKind = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 15 {
		t.Fatalf("found %d kinds in change.go, which cannot be all", len(kinds))
	}
	for _, m := range kinds {
		if !seen[trace.ChangeKind(m[1])] {
			t.Errorf("there is no example of %s", m[1])
		}
	}
}

func TestAWaySaysWhatElseWouldHappen(t *testing.T) {
	gang := trace.Change{Kind: trace.ChangeGang, From: 8, To: 6}
	high := trace.Change{Kind: trace.ChangePriority, Text: "high", To: 9}
	for want, way := range map[string]trace.Way{
		"minMember 6 instead of 8": {Changes: []trace.Change{gang}},
		"priority class high (9 instead of 0), which evicts ns/a, ns/b, ns/c and 1 more": {Changes: []trace.Change{high},
			Evicts: []string{"ns/a", "ns/b", "ns/c", "ns/d"}},
		"minMember 6 instead of 8, and priority class high (9 instead of 0)": {Changes: []trace.Change{gang, high}},
	} {
		if is := WayText(way); is != want {
			t.Errorf("is   %s\nwant %s", is, want)
		}
	}
}
