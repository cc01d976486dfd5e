package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// BenchmarkQueues places 500 gangs of two, all in one queue or each in its own.
func BenchmarkQueues(b *testing.B) {
	for _, queues := range []int{1, 500} {
		b.Run(fmt.Sprintf("gangs=500x2/queues=%d/nodes=5000", queues), func(b *testing.B) { spread(b, queues) })
	}
}

func spread(b *testing.B, queues int) {
	const nodes, count, members = 5000, 500, 2
	w := newWorld(b, nodes)
	for q := range queues {
		name := fmt.Sprintf("queue-%03d", q)
		w.put(model.KindQueue, "", name, &model.Queue{Meta: model.Meta{Name: name}, Weight: int32(1 + q%7)})
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
