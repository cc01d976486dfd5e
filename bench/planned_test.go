package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// planning is the profile in which starts are planned for so many jobs of a queue.
func planning(depth string) policy.Profile {
	p := profile()
	p.ActionArguments = map[string]policy.Arguments{"backfill": {"backfill.depth": depth, "backfill.resolution": "1s"}}
	return p
}

// limited has pods run on every node, each of which ends at another time.
func (w *world) limited(perNode int, cpu int64) {
	spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: cpu}, {Name: "memory", Value: 2 << 30},
		{Name: "pods", Value: 1}}}
	for i := range w.nodes * perNode {
		name := fmt.Sprintf("runs-%06d", i)
		p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Node: host(i % w.nodes),
			Phase: model.PodRunning, Spec: spec, Preemptable: true, Started: 1}
		p.SetRare(model.Times{Limit: int64(1_000+(i*7919)%100_000) * 1_000_000_000})
		w.put(model.KindPod, "bench", name, p)
	}
	w.cycle()
}

// BenchmarkPlannedStart is a cycle in which a gang of 512 pods comes and is refused on 5 000 nodes with 50 000 pods
// that end at different times: with depth 1 its start is planned, with 0 it is not.
func BenchmarkPlannedStart(b *testing.B) {
	for _, depth := range []string{"0", "1"} {
		w := newWorldWith(b, 5000, planning(depth))
		w.limited(10, 6000)
		spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 32_000}, {Name: "pods", Value: 1}}}
		b.Run("gang=512/pods=50000/nodes=5000/depth="+depth, func(b *testing.B) {
			b.StopTimer()
			var clock stopwatch
			for i := range b.N {
				name := fmt.Sprintf("gang-%d", i)
				w.gang(name, 512, 512, spec)
				clock.start(b)
				w.now += 1_000_000
				w.Decide(w.now)
				clock.stop(b)
				if planned := w.Commitments().Tasks; depth == "1" && len(planned) != 512 {
					b.Fatalf("%d pods have a planned start, want 512", len(planned))
				}
				w.clear(name, 512)
				w.cycle()
			}
			b.ReportMetric(float64(clock.spent.Microseconds())/1000/float64(b.N), "cpu-ms")
		})
	}
}

// BenchmarkBehindPlanned places 10 gangs of 100 pods that have limits, with 1 000 jobs that wait, and a gang before
// them for which every node is kept from a time on: with depth 1 its start is planned, with 0 it is not.
func BenchmarkBehindPlanned(b *testing.B) {
	for _, depth := range []string{"0", "1"} {
		w := newWorldWith(b, 5000, planning(depth))
		w.limited(1, 8000)
		large := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 60_000}, {Name: "pods", Value: 1}}}
		w.gang("first", 1000, 1000, large)
		w.cycle()
		for i := range 1000 {
			w.gang(fmt.Sprintf("waits-%04d", i), 1, 1, large)
		}
		w.cycle()
		w.cycle()
		b.Run("gangs=10/members=100/waiting=1000/nodes=5000/depth="+depth, func(b *testing.B) {
			b.StopTimer()
			var clock stopwatch
			for i := range b.N {
				for g := range 10 {
					w.gang(fmt.Sprintf("g-%d-%d", i, g), 100, 100, small)
					for m := range 100 {
						w.shorten(fmt.Sprintf("g-%d-%d-%d", i, g, m), fmt.Sprintf("g-%d-%d", i, g), int64(m))
					}
				}
				clock.start(b)
				w.now += 1_000_000
				plan, _, _ := w.Decide(w.now)
				clock.stop(b)
				if len(plan.Items) < 1000 {
					b.Fatalf("%d items, want the 1000 pods bound", len(plan.Items))
				}
				for g := range 10 {
					w.clear(fmt.Sprintf("g-%d-%d", i, g), 100)
				}
				w.cycle()
			}
			clock.perPod(b, 1000)
		})
		b.Run("idle/waiting=1000/nodes=5000/depth="+depth, w.idle)
	}
}

// shorten gives a pod that waits a limit.
func (w *world) shorten(name, group string, index int64) {
	p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true, Group: group,
		Index: index, Spec: small, Preemptable: true}
	p.SetRare(model.Times{Limit: 60_000_000_000})
	w.put(model.KindPod, "bench", name, p)
}
