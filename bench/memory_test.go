package bench

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"ashlar.sh/sched/model"
)

var heavy = flag.Bool("heavy", false, "run the benchmarks that take minutes and gigabytes")

// held is the heap in use once all that is garbage is gone.
func held() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkMemory is what the heap grows by for a node and for a running pod, after
// collection. Everything that the engine keeps alive counts: its rows and columns, the
// facts themselves and their names. Pods run in jobs of 20, or each in its own.
func BenchmarkMemory(b *testing.B) {
	for _, members := range []int{20, 1} {
		b.Run(fmt.Sprintf("nodes=5000/pods=100000/members=%d", members), func(b *testing.B) {
			for range b.N {
				empty := held()
				w := newWorld(b, 5000)
				w.cycle()
				bare := held()
				w.run(100_000/members, members)
				for range 3 { // what the first one needed is given back by the next
					w.cycle()
				}
				full := held()
				b.ReportMetric(float64(bare-empty)/5000, "bytes/node")
				b.ReportMetric(float64(full-bare)/100_000, "bytes/pod")
				runtime.KeepAlive(w)
			}
		})
	}
}

// BenchmarkFinished is what is left in memory of pods that came, ran, finished and were
// deleted: a cluster that has seen a million pods should be as large as a new one.
func BenchmarkFinished(b *testing.B) {
	for range b.N {
		w := newWorld(b, 100)
		w.lives(0, 20_000)
		before := held()
		w.lives(20_000, 220_000)
		b.ReportMetric(float64(int64(held()-before))/200_000, "bytes/pod")
		runtime.KeepAlive(w)
	}
}

// lives is the whole life of pods with these numbers, one after the other.
func (w *world) lives(from, to int) {
	for i := from; i < to; i++ {
		name := fmt.Sprintf("life-%d", i)
		w.pod(name, "", 0, host(i%w.nodes), small)
		w.gone(model.KindPod, "bench", name)
		if i%100 == 0 {
			w.cycle()
		}
	}
}

// BenchmarkMillion places 1 000 gangs of 1 000 on 50 000 nodes: a million pods, in
// cycles of 100 gangs, each loaded outside the clock.
func BenchmarkMillion(b *testing.B) {
	if !*heavy {
		b.Skip("a minute and some gigabytes: run with -heavy")
	}
	const gangs, members, round = 1000, 1000, 100
	var clock stopwatch
	for range b.N {
		b.StopTimer()
		empty := held()
		began := processor()
		w := newWorld(b, 50_000)
		for from := 0; from < gangs; from += round {
			for g := from; g < from+round; g++ {
				w.gang(fmt.Sprintf("gang-%d", g), members, members, small)
			}
			clock.start(b)
			bound := w.cycle()
			clock.stop(b)
			if bound != round*members {
				b.Fatalf("bound %d pods of %d", bound, round*members)
			}
		}
		b.ReportMetric((processor() - began).Seconds(), "cpu-s") // loading included
		b.ReportMetric(float64(held()-empty)/(1<<30), "GiB")
		w.onePodAmong(b)
		runtime.KeepAlive(w)
		b.StartTimer()
	}
	clock.perPod(b, gangs*members)
}

// onePodAmong binds single pods, one after the other, in a cluster that is full of others.
// (A benchmark cannot run another one within itself.)
func (w *world) onePodAmong(b *testing.B) {
	const times = 1000
	var took time.Duration
	for range times {
		began := time.Now()
		w.pod("newcomer", "", 0, "", small)
		if w.cycle() != 1 {
			b.Fatal("the new pod was not bound")
		}
		took += time.Since(began)
		w.gone(model.KindPod, "bench", "newcomer")
		w.cycle()
	}
	b.ReportMetric(float64(took.Nanoseconds())/1000/times, "µs/one-pod")
}
