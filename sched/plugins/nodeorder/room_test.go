package nodeorder_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/nodeorder"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

const gi = 1 << 30

// build makes the plugin alone in a profile.
func build(t rapid.TB, l *ledger.Ledger, a policy.Arguments) *policy.Set {
	t.Helper()
	profile := policy.Profile{Tiers: [][]policy.Choice{{{Plugin: "nodeorder", Arguments: a}}}}
	set, err := policy.Build(profile, []policy.Definition{nodeorder.Definition()}, l)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// only leaves one of the three scores by room.
func only(key string) policy.Arguments {
	a := policy.Arguments{"leastrequested.weight": "0", "mostrequested.weight": "0", "balancedresource.weight": "0"}
	if key != "" {
		a[key] = "1"
	}
	return a
}

func amounts(cpu, memory int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cpu}, {Name: resource.MemoryName, Value: memory},
		{Name: resource.PodsName, Value: 1}}
}

func gpus(count int64) resource.Amount {
	return resource.Amount{Name: "nvidia.com/gpu", Value: count}
}

func addNode(l *ledger.Ledger, name string, offers resource.List) ledger.NodeID {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Version: 1,
		Object: &model.Node{Meta: model.Meta{Name: name}, Allocatable: offers}})
	n, _ := l.Nodes.Find(name)
	return n
}

func addPod(l *ledger.Ledger, name, node string, leaving bool, asks resource.List) ledger.TaskID {
	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true, Group: "job",
		Node: node, Deleting: leaving, Spec: &model.Spec{Requests: asks}}
	if node != "" {
		pod.Phase = model.PodRunning
	}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: pod})
	task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return task
}

func classOf(l *ledger.Ledger, t ledger.TaskID) *ledger.Class { return l.Class(l.Task(t).Class) }

// A node of 4 cpu and 8 Gi holds 1 cpu and 2 Gi; the task asks for 1 cpu and 4 Gi: half
// of the cpu and three quarters of the memory would be held.
func TestAScoreByRoomWorkedOut(t *testing.T) {
	for name, c := range map[string]struct {
		arguments policy.Arguments
		want      int64
	}{
		"least: half the cpu and a quarter of the memory left": {only("leastrequested.weight"), (50_000 + 25_000) / 2},
		"most: half the cpu and three quarters of the memory":  {only("mostrequested.weight"), (50_000 + 75_000) / 2},
		"balanced: the shares are a quarter apart, half of it": {only("balancedresource.weight"), 100_000 - 25_000/2},
		"by default least and balanced, once each":             {nil, 37_500 + 87_500},
		"weights multiply": {policy.Arguments{"leastrequested.weight": "3", "balancedresource.weight": "2"},
			3*37_500 + 2*87_500},
		"least and most of one weight are the same for all nodes": {policy.Arguments{"mostrequested.weight": "1",
			"balancedresource.weight": "0"}, 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			n := addNode(l, "node", amounts(4000, 8*gi))
			addPod(l, "holder", "node", false, amounts(1000, 2*gi))
			task := addPod(l, "asker", "", false, amounts(1000, 4*gi))
			if got := build(t, l, c.arguments).NodePlugins.NodeOrders[0].ScoreNode(classOf(l, task), n); got != c.want {
				t.Errorf("score %d, want %d", got, c.want)
			}
		})
	}
}

func TestWhatCountsAsHeld(t *testing.T) {
	full := amounts(4000, 8*gi)
	for name, c := range map[string]struct {
		offers                resource.List
		asks                  resource.List
		prepare               func(*ledger.Ledger, ledger.NodeID)
		least, most, balanced int64
	}{
		"a task that asks for nothing is not balanced": {full, nil, nil, 100_000, 0, 0},
		"a node filled to the brim":                    {full, full, nil, 0, 100_000, 100_000},
		"one resource full, the other empty":           {full, amounts(4000, 0), nil, 50_000, 50_000, 50_000},
		"a terminating task holds until it is gone": {full, nil,
			func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", true, amounts(1000, 2*gi)) }, 75_000, 25_000, 0},
		"a promise is held": {full, nil, func(l *ledger.Ledger, n ledger.NodeID) {
			p := addPod(l, "p", "", false, amounts(1000, 2*gi))
			l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(p, n); return true })
		}, 75_000, 25_000, 0},
		"more held than there is is as much as there is": {full, amounts(1000, 0),
			func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", false, amounts(4000, 0)) }, 50_000, 50_000, 50_000},
		"a node without memory scores for cpu alone": {amounts(4000, 0), amounts(1000, 0), nil, 37_500, 12_500, 100_000},
		"a node that offers nothing":                 {nil, amounts(1000, gi), nil, 0, 0, 100_000},
		"amounts near the end of 64 bits do not wrap": {amounts(1<<62, 1<<62), amounts(1<<61, 1<<60), nil, 62_500, 37_500,
			87_500},
		"shares are rounded down, what is left up": {amounts(3, 3), amounts(1, 1), nil, 66_667, 33_333, 100_000},
		"GPUs count for the balance of a task that asks for them": {append(amounts(4000, 8*gi), gpus(8)),
			append(amounts(1000, 2*gi), gpus(8)), nil, 75_000, 25_000, 100_000 - 35_355},
		"GPUs that others hold do not count for a task that asks for none": {append(amounts(4000, 8*gi), gpus(8)),
			amounts(1000, 2*gi),
			func(l *ledger.Ledger, _ ledger.NodeID) {
				addPod(l, "p", "node", false, append(amounts(1000, 2*gi), gpus(8)))
			}, 50_000, 50_000, 100_000},
		"GPUs asked alone are balanced with what others hold": {append(amounts(4000, 8*gi), gpus(8)),
			append(amounts(0, 0), gpus(4)),
			func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", false, amounts(2000, 4*gi)) }, 50_000, 50_000,
			100_000},
		"GPUs and cpu on a node that has no memory": {append(amounts(4000, 0), gpus(8)), append(amounts(1000, 0), gpus(4)),
			nil, 37_500, 12_500, 87_500},
		"other resources do not count": {append(amounts(4000, 8*gi), resource.Amount{Name: "example.com/gpu", Value: 8}),
			append(amounts(1000, 2*gi), resource.Amount{Name: "example.com/gpu", Value: 8}), nil, 75_000, 25_000, 100_000},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			n := addNode(l, "node", c.offers)
			if c.prepare != nil {
				c.prepare(l, n)
			}
			class := classOf(l, addPod(l, "asker", "", false, c.asks))
			for key, want := range map[string]int64{"leastrequested.weight": c.least, "mostrequested.weight": c.most,
				"balancedresource.weight": c.balanced} {
				if got := build(t, l, only(key)).NodePlugins.NodeOrders[0].ScoreNode(class, n); got != want {
					t.Errorf("%s: score %d, want %d", key, got, want)
				}
			}
		})
	}
}

// Nodes scored in one go have the scores that each has by itself, if they offer what is asked.
func TestScoresInOneGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledger.New()
		amount := func(what string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, what) }
		asks := func(what string) resource.List {
			return append(amounts(amount(what+" cpu", 4000), amount(what+" memory", 8*gi)), gpus(amount(what+" gpus", 4)))
		}
		var nodes []ledger.NodeID
		for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
			name := fmt.Sprint("n", i)
			offers := amounts(amount("cpu", 8000), amount("memory", 16*gi))
			if rapid.Bool().Draw(t, "has devices") {
				offers = append(offers, gpus(amount("devices", 8)))
			}
			nodes = append(nodes, addNode(l, name, offers))
			if rapid.Bool().Draw(t, "holds") {
				addPod(l, "p"+name, name, rapid.Bool().Draw(t, "leaves"), asks("holder"))
			}
			if rapid.Bool().Draw(t, "promised") {
				p := addPod(l, "q"+name, "", false, asks("waiter"))
				l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(p, nodes[i]); return true })
			}
		}
		class := classOf(l, addPod(l, "asker", "", false, asks("asker")))
		key := rapid.SampledFrom([]string{"leastrequested.weight", "mostrequested.weight",
			"balancedresource.weight"}).Draw(t, "score")
		score := build(t, l, only(key)).NodePlugins.NodeOrders[0].(policy.BulkOrder)
		listed, run := make([]int64, len(nodes)), make([]int64, len(nodes))
		score.AddScores(class, nodes, listed)
		score.AddRun(class, nodes[0], run)
		for i, n := range nodes {
			fits := true
			for _, need := range class.Need {
				fits = fits && l.Nodes.Room(need.Dim)[n] >= need.Amount
			}
			if want := score.ScoreNode(class, n); fits && (listed[i] != want || run[i] != want) {
				t.Fatalf("%s of node %d: %d listed, %d in a run, %d by itself", key, i, listed[i], run[i], want)
			}
		}
	})
}

func TestAScoreOfWeightZeroIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		arguments   policy.Arguments
		room, facts int
	}{
		"the defaults score by room, preferences, taints and images": {nil, 1, 3},
		"no score by room":    {only(""), 0, 3},
		"no preferences":      {policy.Arguments{"nodeaffinity.weight": "0"}, 1, 2},
		"no taints":           {policy.Arguments{"tainttoleration.weight": "0"}, 1, 2},
		"no images":           {policy.Arguments{"imagelocality.weight": "0"}, 1, 2},
		"one by room is left": {only("mostrequested.weight"), 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			set := build(t, ledger.New(), c.arguments)
			if len(set.NodePlugins.NodeOrders) != c.room || len(set.NodePlugins.StaticOrders) != c.facts {
				t.Errorf("%d scores by room and %d by facts, want %d and %d", len(set.NodePlugins.NodeOrders),
					len(set.NodePlugins.StaticOrders), c.room, c.facts)
			}
		})
	}
}

func TestAWeightThatIsNoneIsRefusedByName(t *testing.T) {
	for _, text := range []string{"-1", "100001", "1.5", "much"} {
		_, err := nodeorder.Definition().New(policy.Choice{Arguments: policy.Arguments{"mostrequested.weight": text}},
			ledger.New())
		if err == nil || !strings.Contains(err.Error(), "mostrequested.weight") {
			t.Errorf("weight %s: err = %v, want one that names the key", text, err)
		}
	}
}
