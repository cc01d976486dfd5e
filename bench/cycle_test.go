package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// steady is a cluster of 5000 nodes that runs 100 000 pods in 5000 jobs.
func steady(b *testing.B) *world {
	const nodes, jobs, members = 5000, 5000, 20
	w := newWorld(b, nodes)
	for j := range jobs {
		name := fmt.Sprintf("job-%d", j)
		w.gang(name, 0, members, small)
		for i := range members {
			w.pod(fmt.Sprintf("%s-%d", name, i), name, int64(i), fmt.Sprintf("node-%05d", (j*members+i)%nodes), small)
		}
	}
	w.cycle()
	w.cycle()
	return w
}

// BenchmarkCycle decides on a steady cluster. one-pod: a pod of a known class has come
// since the last cycle; the time is from its fact to the plan that binds it. idle:
// nothing has come.
func BenchmarkCycle(b *testing.B) {
	w := steady(b)
	b.Run("one-pod/nodes=5000/pods=100000", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			w.pod("newcomer", "", 0, "", small)
			if w.cycle() != 1 {
				b.Fatal("the new pod was not bound")
			}
			b.StopTimer()
			w.gone(model.KindPod, "bench", "newcomer")
			w.cycle()
			b.StartTimer()
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/event")
	})
	b.Run("idle/nodes=5000/pods=100000", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if w.cycle() != 0 {
				b.Fatal("bound a pod out of nothing")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/event")
	})
}
