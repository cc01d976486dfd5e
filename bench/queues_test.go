package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// BenchmarkQueues places 500 gangs of two, all in one queue or each in its own: of flat
// queues by weight, of a tree of four levels by capacity, of paths of three levels by drf.
func BenchmarkQueues(b *testing.B) {
	for _, by := range []struct {
		name   string
		choice policy.Choice
	}{
		{"proportion", policy.Choice{Plugin: "proportion"}},
		{"capacity-tree", policy.Choice{Plugin: "capacity", Hierarchy: true}},
		{"drf-hierarchy", policy.Choice{Plugin: "drf", Hierarchy: true}},
	} {
		for _, queues := range []int{1, 500} {
			b.Run(fmt.Sprintf("%s/gangs=500x2/queues=%d/nodes=5000", by.name, queues), func(b *testing.B) {
				spread(b, by.choice, queues)
			})
		}
	}
}

// leafQueue puts a queue below three others, with the same path for drf.
func leafQueue(w *world, q int) {
	up := "root"
	var path []model.Level
	for i, n := range []int{q % 4, q % 20, q % 100} {
		name := fmt.Sprintf("level-%d-%d", i, n)
		w.put(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: 1, Parent: up,
			Deserved: resource.List{{Name: "cpu", Value: int64(1+n) * 100_000}}})
		up, path = name, append(path, model.Level{Name: name, Weight: int64(1+n) * 1000})
	}
	name := fmt.Sprintf("queue-%03d", q)
	w.put(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: int32(1 + q%7), Parent: up, Path: path,
		Deserved: resource.List{{Name: "cpu", Value: int64(1+q%7) * 10_000}}})
}

func spread(b *testing.B, by policy.Choice, queues int) {
	const nodes, count, members = 5000, 500, 2
	p := profile()
	p.Tiers[1][1] = by
	w := newWorldWith(b, nodes, p)
	for q := range queues {
		leafQueue(w, q)
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	var clock stopwatch
	for range b.N {
		for g := range count {
			w.gangIn(fmt.Sprintf("queue-%03d", g%queues), fmt.Sprintf("gang-%d", g), members, members, small)
		}
		clock.start(b)
		bound := w.cycle()
		clock.stop(b)
		if bound != count*members {
			b.Fatalf("bound %d pods of %d", bound, count*members)
		}
		for g := range count {
			w.clear(fmt.Sprintf("gang-%d", g), members)
		}
		w.cycle()
	}
	clock.perPod(b, count*members)
}
