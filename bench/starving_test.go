package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// BenchmarkStarving is BenchmarkParked with the actions that evict: 10 000 jobs in 100
// templates find again and again that no eviction would help them.
func BenchmarkStarving(b *testing.B) {
	p := profile()
	p.Actions = append(p.Actions, "preempt", "reclaim")
	w := newWorldWith(b, 5000, p)
	w.run(5000, 20)
	w.cycle()
	w.cycle()
	const parked = 10_000
	for i := range parked {
		w.starving(i)
	}
	for range 4 {
		w.cycle()
	}
	b.Run(fmt.Sprintf("one-pod/parked=%d/nodes=5000", parked), w.onePod)
	b.Run(fmt.Sprintf("finished-pod/parked=%d/nodes=5000", parked), w.finishedPod)
	b.Run(fmt.Sprintf("helped/parked=%d/nodes=5000", parked), w.helped)
	b.Run(fmt.Sprintf("idle/parked=%d/nodes=5000", parked), w.idle)
}

func (w *world) starving(i int) { w.gang(fmt.Sprintf("waits-%05d", i), 1, 1, huge(i)) }

// helped is an event after which one of the starving jobs can be helped: a node that is
// large enough comes, with a less important pod on it.
func (w *world) helped(b *testing.B) {
	b.ReportAllocs()
	var clock stopwatch
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 65_500}, {Name: "pods", Value: 1}}}
	b.StopTimer()
	for range b.N {
		w.put(model.KindNode, "", "large", &model.Node{Meta: model.Meta{Name: "large"}, Allocatable: resource.List{
			{Name: "cpu", Value: 66_000}, {Name: "memory", Value: 256 << 30}, {Name: "pods", Value: 110}}})
		w.put(model.KindPod, "bench", "low", &model.Pod{Meta: model.Meta{Namespace: "bench", Name: "low", UID: "low"},
			Ours: true, Node: "large",
			Phase: model.PodRunning, Spec: spec, Preemptable: true, HasPriority: true, Priority: -1})
		clock.start(b)
		w.now += 1_000_000_000
		plan, _, _ := w.Decide(w.now)
		clock.stop(b)
		evicted := 0
		for _, i := range plan.Items {
			if i.Kind == sched.EvictPod {
				evicted++
			}
		}
		if evicted != 1 {
			b.Fatalf("%d pods are evicted, want the one of less importance", evicted)
		}
		w.gone(model.KindPod, "bench", "low")
		w.gone(model.KindNode, "", "large")
		w.cycle()
	}
	clock.perEvent(b)
}
