package bench

import (
	"fmt"
	"testing"
	"time"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// BenchmarkFIFO is two cycles with 10 000 jobs of one queue that wait on 1 000 full nodes: a pod comes that waits, too,
// and is gone. The queue is served in order or not, and the jobs' pods are of one class or of many.
func BenchmarkFIFO(b *testing.B) {
	for _, fifo := range []bool{false, true} {
		for _, classes := range []int{1, 100} {
			b.Run(fmt.Sprintf("fifo=%v/classes=%d", fifo, classes), func(b *testing.B) {
				w := waitingQueue(b, fifo, classes)
				now := func() {
					w.now += int64(time.Second)
					w.Decide(w.now)
				}
				for range 4 {
					now()
				}
				for b.Loop() {
					w.pod("comes", "", 0, "", large(0))
					now()
					w.gone(model.KindPod, "bench", "comes")
					now()
				}
			})
		}
	}
}

func waitingQueue(b *testing.B, fifo bool, classes int) *world {
	p := policy.Profile{Actions: []string{"enqueue", "allocate"}, Tiers: profile().Tiers}
	w := newWorldWith(b, 1000, p)
	w.put(model.KindQueue, "", "default", &model.Queue{Meta: model.Meta{Name: "default"}, Weight: 1, FIFO: fifo})
	for i := range 1000 {
		for k := range 63 {
			w.pod(fmt.Sprintf("runs-%d-%d", i, k), "", int64(k), host(i), small)
		}
	}
	var specs []*model.Spec
	for i := range classes {
		specs = append(specs, large(int64(i)))
	}
	for i := range 10_000 {
		w.gang(fmt.Sprintf("waits-%d", i), 2, 2, specs[i%classes])
	}
	return w
}

// large is one of many templates that ask for an eighth of a node.
func large(i int64) *model.Spec {
	return &model.Spec{Requests: resource.List{{Name: "cpu", Value: 8000}, {Name: "memory", Value: 2<<30 + i},
		{Name: "pods", Value: 1}}}
}
