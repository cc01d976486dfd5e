package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

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
	w.put(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: int32(1 + q%7), Parent: up,
		Path:     path,
		Deserved: resource.List{{Name: "cpu", Value: int64(1+q%7) * 10_000}}})
}

// spread places the gangs in so many queues and, where these are many, in one queue of
// another world: round by round in turn, so that a machine of changing speed is as fast
// for the one as for the other. What of one queue's speed is left is reported by the median
// round of each, and by the best.
func spread(b *testing.B, by policy.Choice, queues int) {
	many, one := newField(b, by, queues), (*field)(nil)
	if queues > 1 {
		one = newField(b, by, 1)
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	for range b.N {
		one.round(b, false)
		many.round(b, true)
	}
	many.clock.perPod(b, fieldGangs*fieldMembers)
	if one != nil {
		b.ReportMetric(float64(median(one.took))/float64(median(many.took)), "of-one-queue")
		b.ReportMetric(float64(slices.Min(one.took))/float64(slices.Min(many.took)), "of-one-queue,best")
	}
}

const fieldGangs, fieldMembers = 500, 2

// field is a world in which gangs are placed again and again.
type field struct {
	*world
	queues int
	clock  stopwatch
	took   []time.Duration
}

func newField(b *testing.B, by policy.Choice, queues int) *field {
	p := profile()
	p.Tiers[1][1] = by
	f := &field{world: newWorldWith(b, 5000, p), queues: queues}
	for q := range queues {
		leafQueue(f.world, q)
	}
	return f
}

// round places all gangs in one cycle, and clears them away.
func (f *field) round(b *testing.B, counts bool) {
	if f == nil {
		return
	}
	for g := range fieldGangs {
		f.gangIn(fmt.Sprintf("queue-%03d", g%f.queues), fmt.Sprintf("gang-%d", g), fieldMembers, fieldMembers, small)
	}
	if counts {
		f.clock.start(b)
	}
	from := time.Now()
	bound := f.cycle()
	f.took = append(f.took, time.Since(from))
	if counts {
		f.clock.stop(b)
	}
	if bound != fieldGangs*fieldMembers {
		b.Fatalf("bound %d pods of %d", bound, fieldGangs*fieldMembers)
	}
	for g := range fieldGangs {
		f.clear(fmt.Sprintf("gang-%d", g), fieldMembers)
	}
	f.cycle()
}

func median(of []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
