package fraction_test

import (
	"fmt"
	"math/big"
	"testing"

	"ashlar.sh/sched/fraction"
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
	n, _ := l.Nodes.Find(name)
	return n
}

func gone(l *ledger.Ledger, name string, version uint64) {
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindNode, Name: name}, Version: version})
}

func addPod(l *ledger.Ledger, name, node string, leaving bool, asks resource.List) ledger.TaskID {
	pod := &model.Pod{Meta: model.Meta{Namespace: "ns", Name: name, UID: name}, Ours: true,
		Node: node, Deleting: leaving, Spec: &model.Spec{Requests: asks}}
	l.Apply(model.Fact{Ref: model.Ref{Kind: model.KindPod, Namespace: "ns", Name: name}, UID: name,
		Version: 1, Object: pod})
	task, _ := l.Tasks.Find(ledger.Key{Namespace: "ns", Name: name})
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
		"exactly full":                              {4000, 3000, runs, policy.MaxNodeScore},
		"one unit too much":                         {4000, 3001, runs, fraction.Over},
		"rounded down":                              {3, 2, nil, 66_666},
		"the smallest node":                         {1, 1, nil, policy.MaxNodeScore},
		"no cpu at all":                             {0, 1000, nil, fraction.NotOffered},
		"no cpu and none asked":                     {0, 0, nil, fraction.NotOffered},
		"amounts near the end of 64 bits":           {1 << 62, 1 << 61, nil, 50_000},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			n := addNode(l, "node", 1, cpu(c.offers))
			if c.prepare != nil {
				c.prepare(l, n)
			}
			if got := fraction.Share(l, resource.CPU, n, c.asks); got != c.want {
				t.Errorf("share %d, want %d", got, c.want)
			}
			table := fraction.NewTable(l, resource.CPU)
			if left, read := reading(l, table, n, c.asks); read && left != policy.MaxNodeScore-c.want {
				t.Errorf("the table reads that %d are left, want %d", left, policy.MaxNodeScore-c.want)
			}
		})
	}
}

// reading is what a table reads of a node, both ways; false where it says nothing.
func reading(l *ledger.Ledger, t *fraction.Table, n ledger.NodeID, asks int64) (int64, bool) {
	run, some := make([]int64, n+1), []int64{0}
	t.Run(0, asks, run)
	t.Some([]ledger.NodeID{n}, asks, some)
	if run[n] != some[0] {
		return -1, true
	}
	return run[n], l.Nodes.Room(resource.CPU)[n] >= asks && !t.InexactAt(n) && l.Node(n).Present()
}

func TestATableReadsWhatShareLeaves(t *testing.T) {
	bits := rapid.IntRange(0, 62)
	rapid.Check(t, func(t *rapid.T) {
		amount := func(what string) int64 {
			most := int64(1) << bits.Draw(t, "bits")
			return rapid.OneOf(rapid.Int64Range(0, most), rapid.Int64Range(max(0, most-3), most+3)).Draw(t, what)
		}
		l := ledger.New()
		table := fraction.NewTable(l, resource.CPU)
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "node"))
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				gone(l, name, uint64(step)+2)
			case 1:
				addPod(l, fmt.Sprint("p", step), name, rapid.Bool().Draw(t, "leaving"), cpu(amount("held")))
			case 2:
				p, n := addPod(l, fmt.Sprint("p", step), "", false, cpu(amount("promised"))),
					addNode(l, name, uint64(step)+2, cpu(amount("offers")))
				l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(p, n); return true })
			default:
				addNode(l, name, uint64(step)+2, cpu(amount("offers")))
			}
			for n := range ledger.NodeID(l.Nodes.Len()) {
				asks := min(amount("asks"), max(0, l.Nodes.Room(resource.CPU)[n]))
				if left, read := reading(l, table, n, asks); read &&
					left != policy.MaxNodeScore-fraction.Share(l, resource.CPU, n, asks) {
					t.Fatalf("of %d cpu with room for %d and %d asked the table reads %d left, the share is %d",
						l.Nodes.Allocatable(resource.CPU)[n],
						l.Nodes.Room(resource.CPU)[n], asks, left, fraction.Share(l, resource.CPU, n, asks))
				}
			}
		}
	})
}

// What is left of x, for x*MaxNodeScore one more than a multiple of the allocatable, is the
// nearest to a whole number from above: an inverse that is too coarse falls short of it.
func TestATableReadsTheHardestAmounts(t *testing.T) {
	points := big.NewInt(policy.MaxNodeScore)
	for length := 2; length <= 46; length++ {
		for i := range uint64(16) {
			alloc := int64((i+1)*uint64(length+1)*0x9e3779b97f4a7c15>>(64-length)) | 1<<(length-1) | 1 // far from powers of two
			x := new(big.Int).ModInverse(points, big.NewInt(alloc))
			if x == nil || alloc < 2 {
				continue
			}
			l := ledger.New()
			n := addNode(l, "node", 1, cpu(alloc))
			for _, left := range []int64{x.Int64(), alloc - x.Int64(), alloc - 1, alloc, 1, 0} {
				got, read := reading(l, fraction.NewTable(l, resource.CPU), n, alloc-left)
				if want := policy.MaxNodeScore - fraction.Share(l, resource.CPU, n, alloc-left); !read || got != want {
					t.Errorf("of %d cpu with %d left the table reads %d (%t), the share leaves %d", alloc, left, got, read, want)
				}
			}
		}
	}
}

// The table is of use only where it reads: on any node as clusters have them.
func TestOnlyInexactNodesAreLeftOut(t *testing.T) {
	promise := func(l *ledger.Ledger, n ledger.NodeID) {
		p := addPod(l, "p", "", false, cpu(1000))
		l.Try(func(tx *ledger.Tx) bool { tx.Pipeline(p, n); return true })
	}
	for name, c := range map[string]struct {
		offers  int64
		prepare func(*ledger.Ledger, ledger.NodeID)
		odd     bool
	}{
		"64 cpu":                      {64_000, nil, false},
		"as many as fit into 46 bits": {1<<46 - 1, nil, false},
		"full": {
			1000, func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", false, cpu(1000)) }, false},
		"somebody leaves": {
			1000, func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", true, cpu(1000)) }, false},
		"more than fit into 46 bits":   {1 << 46, nil, true},
		"nothing offered":              {0, nil, true},
		"somebody is promised a place": {4000, promise, true},
		"more held than offered": {
			999, func(l *ledger.Ledger, _ ledger.NodeID) { addPod(l, "p", "node", false, cpu(1000)) }, true},
		"a promise that was taken back": {4000, func(l *ledger.Ledger, n ledger.NodeID) {
			l.Try(func(tx *ledger.Tx) bool {
				tx.Pipeline(addPod(l, "p", "", false, cpu(1000)), n)
				return false
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := ledger.New()
			n := addNode(l, "node", 1, cpu(c.offers))
			if c.prepare != nil {
				c.prepare(l, n)
			}
			table := fraction.NewTable(l, resource.CPU)
			table.Some(nil, 0, nil)
			if table.InexactAt(n) != c.odd || table.Inexact() != c.odd {
				t.Errorf("odd %t, of the node %t, want %t", table.Inexact(), table.InexactAt(n), c.odd)
			}
		})
	}
}

func TestAShareFollowsTheNode(t *testing.T) {
	l := ledger.New()
	n := addNode(l, "node", 1, cpu(4000))
	if got := fraction.Share(l, resource.CPU, n, 1000); got != 25_000 {
		t.Errorf("share %d of 4 cpu, want 25000", got)
	}
	addNode(l, "node", 2, cpu(8000))
	if got := fraction.Share(l, resource.CPU, n, 1000); got != 12_500 {
		t.Errorf("share %d after the node doubled, want 12500", got)
	}
	later := addNode(l, "later", 1, append(cpu(2000), resource.Amount{Name: "example.com/gpu", Value: 8000}))
	gpu, _ := l.Dims.Lookup("example.com/gpu")
	if got := fraction.Share(l, resource.CPU, later, 1000); got != 50_000 {
		t.Errorf("share %d of a node that came later, want 50000", got)
	}
	if got := fraction.Share(l, gpu, later, 2000); got != 25_000 {
		t.Errorf("share %d of a resource that came later, want 25000", got)
	}
	if got := fraction.Share(l, gpu, n, 2000); got != fraction.NotOffered {
		t.Errorf("share %d of a resource that the older node lacks, want NotOffered", got)
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
		fraction.Share(l, resource.CPU, ledger.NodeID(at>>19), 1500)
	}
}
