package packing_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/plugins/packing"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

const gpu = "nvidia.com/gpu"

// world is a ledger with nodes, and the plugin that scores them.
type world struct {
	l     *ledger.Ledger
	p     policy.BatchNodeOrder
	nodes []ledger.NodeID
	pods  int
}

func open(t testing.TB, by string) *world {
	t.Helper()
	l := ledger.New()
	p, err := packing.Definition().New(policy.Choice{Arguments: policy.Arguments{"packing.by": by}}, l)
	if err != nil {
		t.Fatal(err)
	}
	return &world{l: l, p: p.(policy.BatchNodeOrder)}
}

func amounts(cpu, gpus int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: cpu * 1000}, {Name: gpu, Value: gpus * 1000}}
}

func (w *world) node(cpu, gpus int64) {
	name := fmt.Sprintf("n%d", len(w.nodes))
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Version: 1,
		Object: &model.Node{Meta: model.Meta{Name: name}, Allocatable: amounts(cpu, gpus)}})
	n, _ := w.l.Nodes.Find(name)
	w.nodes = append(w.nodes, n)
}

// pod is a job of one; on is a node's number, -1: it waits.
func (w *world) pod(on int, cpu, gpus int64) ledger.TaskID {
	name := fmt.Sprintf("p%d", w.pods)
	w.pods++
	o := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name}, Ours: true,
		Spec: &model.Spec{Requests: amounts(cpu, gpus)}}
	if on >= 0 {
		o.Node, o.Phase = fmt.Sprintf("n%d", on), model.PodRunning
	}
	w.l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1,
		Object: o})
	task, _ := w.l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
	return task
}

func (w *world) scores(t ledger.TaskID) []int64 {
	w.p.(policy.Opener).Open(nil)
	out := make([]int64, len(w.nodes))
	w.p.ScoreNodes(t, w.nodes, out)
	return out
}

// n0 has 16 cores and 8 GPUs free, n1 8 and 2, n2 4 and 2; the largest node has 16 and 8.
// A task asks for 4 cores and 2 GPUs. Left would be 12/16 and 6/8, 4/16 and 0, nothing.
// Free times asked for: 1*1/4 and 1*1/4; 1/2*1/4 and 1/4*1/4; 1/4*1/4 twice.
//
// Of 4 tasks, one asks for 4 and 2, two for 1 and 1, and one for 6 cores and no GPU.
// Fragments before: on n0 8 GPUs to the one without; on n1 2 to it; on n2 2 to it. With the task on it:
// n0 6 to it; n1 and n2 have no GPU free. So 2 fewer everywhere: by that there is no
// difference, until 13 cores are taken of n0.
func TestScoresReckonedByHand(t *testing.T) {
	const points = policy.MaxNodeScore
	build := func(by string) (*world, ledger.TaskID) {
		w := open(t, by)
		w.node(16, 8)
		w.node(8, 2)
		w.node(4, 2)
		task := w.pod(-1, 4, 2)
		w.pod(-1, 1, 1)
		w.pod(-1, 1, 1)
		w.pod(-1, 6, 0)
		return w, task
	}
	for by, want := range map[string][]int64{
		"bestfit":    {points / 4, points - points/8, points},
		"dotproduct": {points - points/4, points - points*3/32, points - points/16},
		"fgd":        {0, 0, 0},
	} {
		w, task := build(by)
		if got := w.scores(task); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", by, got, want)
		}
	}
	// n0 has 5 cores left: with the task on it one, and its 6 GPUs are of use to those two
	// that ask for one core, but no longer to the task's like: 2*6 where 1*8 were useless
	// before. The others are as above.
	w, task := build("fgd")
	w.pod(0, 11, 0)
	if got := w.scores(task); got[0] != 0 || got[1] != points || got[2] != points {
		t.Errorf("fgd where cores run out: %v", got)
	}
}

func TestChanceIsAFunctionOfNamesAndSpreadsEvenly(t *testing.T) {
	w := open(t, "random")
	for range 10 {
		w.node(16, 8)
	}
	first := make([]int, 10)
	for range 2000 {
		task := w.pod(-1, 1, 1)
		scores, again := w.scores(task), w.scores(task)
		best := 0
		for i := range scores {
			if scores[i] != again[i] || scores[i] < 0 || scores[i] > policy.MaxNodeScore {
				t.Fatalf("%v, then %v", scores, again)
			}
			if scores[i] > scores[best] {
				best = i
			}
		}
		first[best]++
	}
	for n, times := range first {
		if times < 140 || times > 260 {
			t.Errorf("node %d of 10 was best for %d of 2000 tasks", n, times)
		}
	}
}

// Whatever there is, scores are between 0 and MaxNodeScore and rest on amounts alone: equal
// nodes have equal scores, but by chance.
func TestScoresStayWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		by := rapid.SampledFrom([]string{"bestfit", "dotproduct", "fgd"}).Draw(r, "by")
		w := open(t, by)
		amount := rapid.SampledFrom([]int64{0, 1, 7, 1 << 20, 1 << 40})
		for range rapid.IntRange(1, 4).Draw(r, "nodes") {
			cpu, gpus := amount.Draw(r, "cpu"), amount.Draw(r, "gpus")
			w.node(cpu, gpus)
			w.node(cpu, gpus)
		}
		var task ledger.TaskID
		for range rapid.IntRange(1, 5).Draw(r, "pods") {
			task = w.pod(-1, amount.Draw(r, "cpu"), amount.Draw(r, "gpus"))
		}
		scores := w.scores(task)
		for i, x := range scores {
			if x < 0 || x > policy.MaxNodeScore || x != scores[i^1] {
				r.Fatalf("%s: %v", by, scores)
			}
		}
	})
}

func TestArgumentsThatCannotBeMeant(t *testing.T) {
	for name, a := range map[string]policy.Arguments{
		"an order nobody knows": {"packing.by": "tetris"},
		"no name of a resource": {"packing.resource": ""},
		"a seed that is none":   {"packing.seed": "x"},
	} {
		if _, err := packing.Definition().New(policy.Choice{Arguments: a}, ledger.New()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
