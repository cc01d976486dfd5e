package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// steady is a cluster of 5000 nodes that runs 100 000 pods in 5000 jobs.
func steady(b *testing.B) *world {
	w := newWorld(b, 5000)
	w.run(5000, 20)
	w.cycle()
	w.cycle()
	return w
}

// run adds jobs with running members, spread over all nodes.
func (w *world) run(jobs, members int) {
	for j := range jobs {
		name := fmt.Sprintf("job-%d", j)
		w.gang(name, 0, members, small)
		for i := range members {
			w.pod(fmt.Sprintf("%s-%d", name, i), name, int64(i), host((j*members+i)%w.nodes), small)
		}
	}
}

// BenchmarkCycle decides on a steady cluster. The time is from the fact to the end of
// the cycle that answers it: a pod of a known class that comes, one that finishes and
// is deleted, a node with changed conditions and no other change, nothing.
func BenchmarkCycle(b *testing.B) {
	w := steady(b)
	b.Run("one-pod/nodes=5000/pods=100000", w.onePod)
	b.Run("finished-pod/nodes=5000/pods=100000", w.finishedPod)
	b.Run("heartbeat/nodes=5000/pods=100000", w.heartbeat)
	b.Run("idle/nodes=5000/pods=100000", w.idle)
}

// BenchmarkParked is BenchmarkCycle with 10 000 pods waiting that no node takes: each
// asks for more than any node offers, in jobs of their own.
func BenchmarkParked(b *testing.B) {
	w := steady(b)
	const parked = 10_000
	for i := range parked {
		name := fmt.Sprintf("waits-%d", i)
		w.gang(name, 1, 1, huge(i))
	}
	for range 4 {
		w.cycle()
	}
	b.Run(fmt.Sprintf("one-pod/parked=%d/nodes=5000", parked), w.onePod)
	b.Run(fmt.Sprintf("finished-pod/parked=%d/nodes=5000", parked), w.finishedPod)
	b.Run(fmt.Sprintf("heartbeat/parked=%d/nodes=5000", parked), w.heartbeat)
	b.Run(fmt.Sprintf("idle/parked=%d/nodes=5000", parked), w.idle)
}

func (w *world) onePod(b *testing.B) {
	b.ReportAllocs()
	var clock stopwatch
	b.StopTimer()
	for range b.N {
		clock.start(b)
		w.pod("newcomer", "", 0, "", small)
		if w.cycle() != 1 {
			b.Fatal("the new pod was not bound")
		}
		clock.stop(b)
		w.gone(model.KindPod, "bench", "newcomer")
		w.cycle()
	}
	clock.perEvent(b)
}

func (w *world) finishedPod(b *testing.B) {
	b.ReportAllocs()
	var clock stopwatch
	b.StopTimer()
	for range b.N {
		w.pod("ends", "", 0, host(17), small)
		w.cycle()
		clock.start(b)
		w.gone(model.KindPod, "bench", "ends")
		w.cycle()
		clock.stop(b)
	}
	clock.perEvent(b)
}

func (w *world) heartbeat(b *testing.B) {
	b.ReportAllocs()
	for i := range b.N {
		w.machine(i % w.nodes)
		if w.cycle() != 0 {
			b.Fatal("bound a pod out of nothing")
		}
	}
	perEvent(b, 1)
}

func (w *world) idle(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if w.cycle() != 0 {
			b.Fatal("bound a pod out of nothing")
		}
	}
	perEvent(b, 1)
}

// BenchmarkChurn is a busy second of a steady cluster: 500 one-pod jobs come and 500
// running pods finish, in batches of ten as a watch delivers them, a cycle after each.
func BenchmarkChurn(b *testing.B) {
	const events, batch = 1000, 10
	w := steady(b)
	b.ReportAllocs()
	b.ResetTimer()
	for round := range b.N {
		for at := 0; at < events/2; at += batch / 2 {
			for i := at; i < at+batch/2; i++ {
				w.pod(fmt.Sprintf("churn-%d", i), "", 0, "", small)
				w.gone(model.KindPod, "bench", fmt.Sprintf("job-%d-%d", (round*events/2+i)/20%5000, i%20))
			}
			if bound := w.cycle(); bound != batch/2 {
				b.Fatalf("bound %d pods of %d", bound, batch/2)
			}
		}
		b.StopTimer()
		w.restore(round, events/2)
		b.StartTimer()
	}
	perEvent(b, events)
}

// restore brings the cluster back to what it was before a round of churn.
func (w *world) restore(round, count int) {
	for i := range count {
		w.gone(model.KindPod, "bench", fmt.Sprintf("churn-%d", i))
		j := (round*count + i) / 20 % 5000
		job := fmt.Sprintf("job-%d", j)
		w.pod(fmt.Sprintf("%s-%d", job, i%20), job, int64(i%20), host((j*20+i%20)%w.nodes), small)
	}
	w.cycle()
}

// perEvent reports the time of one event. The fact is inside, as is what it takes to
// make it.
func perEvent(b *testing.B, events int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*events), "µs/event")
}

// perEvent reports the time of one event, and its processor time.
func (s *stopwatch) perEvent(b *testing.B) {
	perEvent(b, 1)
	b.ReportMetric(float64(s.spent.Nanoseconds())/1000/float64(b.N), "cpu-µs/event")
}
