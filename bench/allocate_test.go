package bench

import (
	"fmt"
	"testing"
)

// BenchmarkAllocate places gangs on an empty cluster: one cycle decides all of them.
func BenchmarkAllocate(b *testing.B) {
	for _, nodes := range []int{1000, 5000, 10_000, 50_000} {
		b.Run(fmt.Sprintf("gangs=10x100/nodes=%d", nodes), func(b *testing.B) { gangs(b, nodes, 10, 100, false) })
	}
	for _, nodes := range []int{5000, 50_000} {
		b.Run(fmt.Sprintf("gangs=10x100/new-template/nodes=%d", nodes), func(b *testing.B) { gangs(b, nodes, 10, 100, true) })
	}
}

// gangs places count gangs in one cycle. fresh: their template was never seen before, so
// that the cycle includes looking at every node for it; otherwise the template is known,
// as those of most jobs are.
func gangs(b *testing.B, nodes, count, members int, fresh bool) {
	w := newWorld(b, nodes)
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	for i := range b.N {
		spec := small
		if fresh {
			spec = sized(int64(i))
		}
		for g := range count {
			w.gang(fmt.Sprintf("gang-%d", g), members, members, spec)
		}
		b.StartTimer()
		bound := w.cycle()
		b.StopTimer()
		if bound != count*members {
			b.Fatalf("bound %d pods of %d", bound, count*members)
		}
		for g := range count {
			w.clear(fmt.Sprintf("gang-%d", g), members)
		}
		w.cycle()
	}
	b.ReportMetric(float64(b.N*count*members)/b.Elapsed().Seconds(), "pods/s")
}
