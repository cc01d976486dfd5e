package bench

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/estimate"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// BenchmarkEstimate finds when 10 000 jobs of 1 to 8 pods start that wait on 5000 full nodes with 50 000 pods, each of
// which ends at another time within 28 hours. With guesses the engine is run twice: half of all pods then have a guess
// of half their limit.
func BenchmarkEstimate(b *testing.B) {
	for _, guesses := range []bool{false, true} {
		b.Run(fmt.Sprintf("nodes=5000/pods=50000/waiting=10000/guesses=%t", guesses), func(b *testing.B) {
			w := newWorldWith(b, 5000, profile())
			w.now = 1000 * int64(time.Second)
			w.limited(10, 6400)
			w.waitWithLimits(10_000, guesses)
			for range 3 {
				w.cycle()
			}
			var s *estimate.Starts
			var taken, spent time.Duration
			b.ResetTimer()
			for range b.N {
				began, from := time.Now(), processor()
				copies := sched.CopiesOf(w.Engine)
				taken += time.Since(began)
				var err error
				if s, err = estimate.Of(copies, w.now, estimate.Options{Coarse: true, Both: atOnce}); err != nil {
					b.Fatal(err)
				}
				spent += processor() - from
			}
			unknown := map[trace.Unknown]int{}
			for _, x := range s.Jobs {
				unknown[x.Unknown]++
			}
			b.ReportMetric(float64(s.Cycles), "cycles")
			b.ReportMetric(float64(len(s.Jobs)), "jobs")
			b.ReportMetric(float64(unknown[trace.UnknownNone]), "known")
			b.ReportMetric(float64(taken.Milliseconds())/float64(b.N), "taken-ms")
			b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms")
		})
	}
}

// atOnce calls two functions at the same time.
func atOnce(a, b func()) {
	var other sync.WaitGroup
	other.Go(b)
	a()
	other.Wait()
}

// waitWithLimits adds jobs that wait, of 100 kinds.
func (w *world) waitWithLimits(jobs int, guesses bool) {
	for i := range jobs {
		name, pods := fmt.Sprintf("waits-%05d", i), 1+i%8
		w.gang(name, 0, pods, small)
		spec := &model.Spec{Requests: resource.List{{Name: "cpu", Value: 4000 + int64(i%100)*40},
			{Name: "memory", Value: 2 << 30}, {Name: "pods", Value: 1}}}
		limit := int64(600+(i*7919)%36_000) * int64(time.Second)
		for k := range pods {
			pod := fmt.Sprintf("%s-%d", name, k)
			p := &model.Pod{Meta: model.Meta{Namespace: "bench", Name: pod, UID: pod}, Ours: true, Group: name,
				Index: int64(k), Spec: spec, Preemptable: true}
			p.SetRare(model.Times{Limit: limit})
			if guesses && i%2 == 0 {
				p.SetRare(model.Times{Limit: limit, Lasts: limit / 2})
			}
			w.put(model.KindPod, "bench", pod, p)
		}
	}
}
