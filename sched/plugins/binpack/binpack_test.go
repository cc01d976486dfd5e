package binpack_test

import (
	"fmt"
	"strings"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/binpack"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

const (
	gi  = 1 << 30
	gpu = "nvidia.com/gpu"
)

// build makes the plugin alone in a profile.
func build(t testing.TB, l *ledger.Ledger, a policy.Arguments) *policy.Set {
	t.Helper()
	profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "binpack", Arguments: a}}}}
	set, err := policy.Build(profile, []policy.Definition{binpack.Definition()}, l)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func amounts(cpu, memory, gpus int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cpu}, {Name: resource.MemoryName, Value: memory},
		{Name: gpu, Value: gpus * 1000}, {Name: resource.PodsName, Value: 1}}
}

func addNode(l *ledger.Ledger, name string, offers resource.List) ledger.NodeID {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Version: 1,
		Object: &model.Node{Meta: model.Meta{Name: name}, Allocatable: offers}})
	n, _ := l.Nodes.Find(name)
	return n
}

func addPod(l *ledger.Ledger, name, node string, asks resource.List) ledger.TaskID {
	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Group: "job",
		Node: node, Spec: &model.Spec{Requests: asks}}
	if node != "" {
		pod.Phase = model.PodRunning
	}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: pod})
	task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return task
}

func classOf(l *ledger.Ledger, t ledger.TaskID) *ledger.Class { return l.Class(l.Task(t).Class) }

// A node of 4 cpu, 8 Gi and 8 gpus holds 1 cpu, 4 Gi and 2 gpus. With a task of 1 cpu,
// 2 Gi and 4 gpus it would hold 50 % of the cpu, 75 % of the memory, 75 % of the gpus.
func TestAScoreWorkedOut(t *testing.T) {
	task, small := amounts(1000, 2*gi, 4), amounts(1000, 0, 0)
	for name, c := range map[string]struct {
		arguments policy.Arguments
		asks      resource.List
		want      int64
	}{
		"cpu and memory count once each": {nil, task, (50_000 + 75_000) / 2},
		"cpu counts three times":         {policy.Arguments{"binpack.cpu": "3"}, task, (3*50_000 + 75_000) / 4},
		"a further resource":             {policy.Arguments{"binpack.resources": gpu}, task, (50_000 + 75_000 + 75_000) / 3},
		"a further resource with a weight": {policy.Arguments{"binpack.resources": "a, " + gpu,
			"binpack.resources." + gpu: "6"},
			task, (50_000 + 75_000 + 6*75_000) / 8},
		"a weight without the resource on the list": {policy.Arguments{"binpack.resources." + gpu: "6"}, task, 62_500},
		"only what the task asks for counts":        {nil, small, 50_000},
		"a resource of weight 0 does not count":     {policy.Arguments{"binpack.memory": "0"}, task, 50_000},
		"no resource counts":                        {policy.Arguments{"binpack.cpu": "0", "binpack.memory": "0"}, task, 0},
		"a task that asks for nothing":              {nil, nil, 0},
		"the plugin's weight multiplies":            {policy.Arguments{"binpack.weight": "10"}, task, 625_000},
		"a negative resource weight counts as 1":    {policy.Arguments{"binpack.cpu": "-3"}, task, 62_500},
		"cpu on the list keeps its own argument": {policy.Arguments{"binpack.resources": "cpu",
			"binpack.resources.cpu": "9"}, task, 62_500},
		"more cpu than is left scores 0 for cpu": {nil, amounts(3001, 2*gi, 0), 75_000 / 2},
		"exactly what is left is full":           {nil, amounts(3000, 4*gi, 0), 100_000},
		"the heaviest weights do not overflow": {policy.Arguments{"binpack.weight": "100000", "binpack.cpu": "100000",
			"binpack.memory": "100000"},
			amounts(3000, 4*gi, 0), 100_000 * policy.MaxNodeScore},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			score := build(t, l, c.arguments).NodePlugins.NodeOrders[0]
			n := addNode(l, "node", amounts(4000, 8*gi, 8))
			addPod(l, "holder", "node", amounts(1000, 4*gi, 2))
			if got := score.ScoreNode(classOf(l, addPod(l, "asker", "", c.asks)), n); got != c.want {
				t.Errorf("score %d, want %d", got, c.want)
			}
		})
	}
}

func TestWhatIsPromisedIsHeld(t *testing.T) {
	l := ledger.New()
	score := build(t, l, nil).NodePlugins.NodeOrders[0]
	n := addNode(l, "node", amounts(4000, 8*gi, 0))
	promised := addPod(l, "promised", "", amounts(2000, 4*gi, 0))
	class := classOf(l, addPod(l, "asker", "", amounts(1000, 2*gi, 0)))
	l.Try(func(tx *ledger.Tx) bool {
		tx.Pipeline(promised, n)
		if got := score.ScoreNode(class, n); got != 75_000 {
			t.Errorf("score %d with a promise of half the node, want 75000", got)
		}
		return false
	})
	if got := score.ScoreNode(class, n); got != 25_000 {
		t.Errorf("score %d after the promise was undone, want 25000", got)
	}
}

func TestAResourceIsFoundWhenItAppears(t *testing.T) {
	l := ledger.New()
	score := build(t, l, policy.Arguments{"binpack.resources": gpu, "binpack.cpu": "0"}).NodePlugins.NodeOrders[0]
	plain := addNode(l, "plain", resource.List{{Name: resource.CPUName, Value: 4000}})
	class := classOf(l, addPod(l, "plain", "", resource.List{{Name: resource.CPUName, Value: 1000}}))
	if got := score.ScoreNode(class, plain); got != 0 {
		t.Errorf("score %d before anybody named the resource, want 0", got)
	}
	rich := addNode(l, "rich", amounts(4000, 8*gi, 8))
	class = classOf(l, addPod(l, "asker", "", resource.List{{Name: gpu, Value: 2000}}))
	if got := score.ScoreNode(class, rich); got != 25_000 {
		t.Errorf("score %d on the node that has it, want 25000", got)
	}
	if got := score.ScoreNode(class, plain); got != 0 {
		t.Errorf("score %d on the node that lacks it, want 0", got)
	}
}

func TestAmountsNearTheEndOf64BitsDoNotWrap(t *testing.T) {
	l := ledger.New()
	score := build(t, l, nil).NodePlugins.NodeOrders[0]
	n := addNode(l, "node", amounts(1<<62, 1<<62, 0))
	class := classOf(l, addPod(l, "asker", "", amounts(1<<61, 1<<60, 0)))
	if got := score.ScoreNode(class, n); got != 37_500 {
		t.Errorf("score %d, want 37500", got)
	}
}

func TestWeightZeroLeavesThePluginOut(t *testing.T) {
	if set := build(t, ledger.New(), policy.Arguments{"binpack.weight": "0"}); len(set.NodePlugins.NodeOrders) != 0 {
		t.Errorf("%d scores, want none", len(set.NodePlugins.NodeOrders))
	}
}

func TestAWeightThatIsNoneIsRefusedByName(t *testing.T) {
	for name, a := range map[string]policy.Arguments{
		"a negative weight of the plugin": {"binpack.weight": "-1"},
		"a weight beyond the highest":     {"binpack.cpu": "100001"},
		"a weight that is no number":      {"binpack.memory": "much"},
		"a resource's weight, the same":   {"binpack.resources": gpu, "binpack.resources." + gpu: "2.5"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := binpack.Definition().New(policy.Choice{Arguments: a}, ledger.New())
			if err == nil || !strings.Contains(err.Error(), "argument binpack.") {
				t.Errorf("err = %v, want one that names the key", err)
			}
		})
	}
}

// BenchmarkScoreNode is one score with the default weights over 8192 nodes in an order
// that no prefetcher guesses.
func BenchmarkScoreNode(b *testing.B) {
	const nodes = 8192
	l := ledger.New()
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		addNode(l, name, amounts(64_000, 256*gi, 8))
		addPod(l, "p"+name, name, amounts(int64(i%60)*1000, int64(i%50)*gi, 0))
	}
	class := classOf(l, addPod(l, "asker", "", amounts(1500, 3*gi, 0)))
	score := build(b, l, nil).NodePlugins.NodeOrders[0]
	at := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		at = at*1664525 + 1013904223
		score.ScoreNode(class, ledger.NodeID(at>>19))
	}
}
