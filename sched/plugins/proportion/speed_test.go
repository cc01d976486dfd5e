package proportion

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// BenchmarkOpen finds what 1000 queues deserve in 5 dimensions, after one pod of one of
// them changed: one that asks for cpu and memory, or for all five.
func BenchmarkOpen(b *testing.B) {
	b.Run("two-of-five-dimensions", func(b *testing.B) { open(b, 2) })
	b.Run("all-five-dimensions", func(b *testing.B) { open(b, 5) })
	b.Run("a-node", func(b *testing.B) { open(b, 0) })
	b.Run("a-queue-created-and-removed", func(b *testing.B) { open(b, -1) })
}

func open(b *testing.B, dims int) {
	change := thousand(b, dims)
	b.ReportAllocs()
	for b.Loop() {
		change()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(2*b.N), "µs/change")
}

// Whatever changed: a pod, a node, a queue that comes and goes.
func TestFindingAnewAllocatesNothing(t *testing.T) {
	for _, dims := range []int{5, 0, -1} {
		if n := testing.AllocsPerRun(20, thousand(t, dims)); n != 0 {
			t.Errorf("%d dimensions: %v allocations", dims, n)
		}
	}
}

// thousand is a cluster of a thousand queues, and a change: a pod is placed and taken back,
// and what all deserve is found after each; with 0 dimensions a node grows and shrinks in
// all five, with -1 a queue comes and goes.
func thousand(b testing.TB, dims int) (change func()) {
	const queues = 1000
	l := ledger.New()
	version := uint64(0)
	tell := func(k model.Kind, ns, name string, o model.Object) {
		version++
		l.Apply(model.Fact{Ref: model.Ref{Kind: k, Namespace: ns, Name: name}, UID: name, Version: version, Object: o})
	}
	amounts := func(x int64) (out resource.List) {
		for _, name := range []string{"cpu", "ephemeral-storage", "example.com/npu", "memory", "nvidia.com/gpu"} {
			out = append(out, resource.Amount{Name: name, Value: x * 1000})
		}
		return out
	}
	tell(model.KindNode, "", "n", &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: amounts(100_000)})
	for i := range queues {
		name := fmt.Sprintf("q%04d", i)
		q := &model.Queue{Meta: model.Meta{Name: name}, Weight: int32(1 + i%9)}
		if i%10 == 0 {
			q.Guarantee = amounts(20)
		}
		tell(model.KindQueue, "", name, q)
		tell(model.KindPodGroup, "ns", name, &model.PodGroup{Meta: model.Meta{Namespace: "ns", Name: name}, Queue: name,
			MinMember: 1})
		tell(model.KindPod, "ns", name, &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
			Group: name,
			Spec:  &model.Spec{Requests: amounts(int64(10 + i%300))}})
	}
	few := resource.List{{Name: "cpu", Value: 3000}, {Name: "memory", Value: 9000}}
	if dims == 5 {
		few = amounts(7)
	}
	tell(model.KindPod, "ns", "newcomer", &model.Pod{Meta: model.Meta{Namespace: "ns", Name: "newcomer", UID: "newcomer"},
		Ours: true, Group: "q0007",
		Gated: true, Spec: &model.Spec{Requests: few}})
	l.ExtendDims()
	p, err := Definition().New(policy.Choice{}, l)
	if err != nil {
		b.Fatal(err)
	}
	rec := &trace.Recorder{}
	t, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: "newcomer"})
	n, _ := l.Nodes.Find("n")
	comes := &model.Queue{Meta: model.Meta{Name: "q0500x"}, Guarantee: amounts(1)}
	grows := &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: amounts(100_001)}
	shrinks := &model.Node{Meta: model.Meta{Name: "n"}, Allocatable: amounts(100_000)}
	change = func() {
		switch dims {
		case -1:
			tell(model.KindQueue, "", "q0500x", comes)
			p.(*plugin).Open(rec)
			tell(model.KindQueue, "", "q0500x", nil)
			p.(*plugin).Open(rec)
			return
		case 0:
			tell(model.KindNode, "", "n", grows)
			p.(*plugin).Open(rec)
			tell(model.KindNode, "", "n", shrinks)
			p.(*plugin).Open(rec)
			return
		}
		l.SetCommitment(t, ledger.Commitment{Kind: ledger.CommitBind, Node: n})
		p.(*plugin).Open(rec)
		l.Drop(t)
		p.(*plugin).Open(rec)
	}
	change()
	return change
}
