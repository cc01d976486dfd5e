package gauge_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/gauge"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"pgregory.net/rapid"
)

func cpu(milli int64) resource.List {
	return resource.List{{Name: resource.CPUName, Value: milli}, {Name: resource.PodsName, Value: 1}}
}

func addNode(l *ledger.Ledger, name string, version uint64, offers resource.List) ledger.NodeID {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Version: version,
		Object: &model.Node{Meta: model.Meta{Name: name}, Allocatable: offers}})
	n, _ := l.FindNode(name)
	return n
}

func addPod(l *ledger.Ledger, name, node string, leaving bool, asks resource.List) ledger.TaskID {
	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
		Node: node, Deleting: leaving, Spec: &model.Spec{Requests: asks}}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name, Version: 1, Object: pod})
	task, _ := l.FindTask(ledger.Key{Namespace: "ns", Name: name})
	return task
}

func TestAShareIsWhatWouldBeHeld(t *testing.T) {
	promise := func(l *ledger.Ledger, n ledger.NodeID) {
		p := addPod(l, "p", "", false, cpu(1000))
		l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(p, n); return true })
	}
	runs := func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", false, cpu(1000)) }
	leaves := func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", true, cpu(1000)) }
	for name, c := range map[string]struct {
		offers, asks int64
		prepare      func(*ledger.Ledger, ledger.NodeID)
		want         int64
	}{
		"nothing held, nothing asked":               {4000, 0, nil, 0},
		"a quarter asked":                           {4000, 1000, nil, 25_000},
		"a quarter held, a quarter asked":           {4000, 1000, runs, 50_000},
		"a terminating task holds until it is gone": {4000, 1000, leaves, 50_000},
		"a promise is held":                         {4000, 1000, promise, 50_000},
		"exactly full":                              {4000, 3000, runs, policy.Points},
		"one unit too much":                         {4000, 3001, runs, gauge.Over},
		"rounded down":                              {3, 2, nil, 66_666},
		"the smallest node":                         {1, 1, nil, policy.Points},
		"no cpu at all":                             {0, 1000, nil, gauge.Lacks},
		"no cpu and none asked":                     {0, 0, nil, gauge.Lacks},
		"amounts near the end of 64 bits":           {1 << 62, 1 << 61, nil, 50_000},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			n := addNode(l, "node", 1, cpu(c.offers))
			if c.prepare != nil {
				c.prepare(l, n)
			}
			if got := gauge.Share(l, resource.CPU, n, c.asks); got != c.want {
				t.Errorf("share %d, want %d", got, c.want)
			}
			if dial := gauge.NewDial(l, resource.CPU, c.asks); dial.Share(n) != c.want {
				t.Errorf("the dial reads %d, want %d", dial.Share(n), c.want)
			}
		})
	}
}

func TestADialReadsWhatShareSays(t *testing.T) {
	amount := rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 1<<40), rapid.Int64Range(0, 1<<62))
	rapid.Check(t, func(t *rapid.T) {
		l := ledger.New()
		asks := amount.Draw(t, "asks")
		var nodes []ledger.NodeID
		for i, offers := range rapid.SliceOfN(amount, 1, 40).Draw(t, "offers") {
			nodes = append(nodes, addNode(l, fmt.Sprint(i), 1, cpu(offers)))
			if held := amount.Draw(t, "held"); held > 0 {
				addPod(l, fmt.Sprint(i), fmt.Sprint(i), false, cpu(held))
			}
		}
		dial := gauge.NewDial(l, resource.CPU, asks)
		for _, n := range nodes {
			if got, want := dial.Share(n), gauge.Share(l, resource.CPU, n, asks); got != want {
				t.Fatalf("of %d cpu with %d idle and %d asked the dial reads %d, the share is %d",
					l.Allocatable(resource.CPU)[n], l.Idle(resource.CPU)[n], asks, got, want)
			}
		}
	})
}

func TestAShareFollowsTheNode(t *testing.T) {
	l := ledger.New()
	n := addNode(l, "node", 1, cpu(4000))
	if got := gauge.Share(l, resource.CPU, n, 1000); got != 25_000 {
		t.Errorf("share %d of 4 cpu, want 25000", got)
	}
	addNode(l, "node", 2, cpu(8000))
	if got := gauge.Share(l, resource.CPU, n, 1000); got != 12_500 {
		t.Errorf("share %d after the node doubled, want 12500", got)
	}
	later := addNode(l, "later", 1, append(cpu(2000), resource.Amount{Name: "example.com/gpu", Value: 8000}))
	gpu, _ := l.Dims.Lookup("example.com/gpu")
	if got := gauge.Share(l, resource.CPU, later, 1000); got != 50_000 {
		t.Errorf("share %d of a node that came later, want 50000", got)
	}
	if got := gauge.Share(l, gpu, later, 2000); got != 25_000 {
		t.Errorf("share %d of a resource that came later, want 25000", got)
	}
	if got := gauge.Share(l, gpu, n, 2000); got != gauge.Lacks {
		t.Errorf("share %d of a resource that the older node lacks, want Lacks", got)
	}
}

// BenchmarkShare reads 8192 nodes in an order that no prefetcher guesses.
func BenchmarkShare(b *testing.B) {
	const nodes = 8192
	l := ledger.New()
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		addNode(l, name, 1, cpu(64_000))
		addPod(l, "p"+name, name, false, cpu(int64(i%60)*1000))
	}
	at := uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		at = at*1664525 + 1013904223
		gauge.Share(l, resource.CPU, ledger.NodeID(at>>19), 1500)
	}
}
