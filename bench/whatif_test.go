package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/whatif"
)

// BenchmarkWhatIf asks what would make a job run on a cluster of 5000 nodes with 100 000 pods: a gang of 16 pods with 4
// GPUs each, where all GPUs are held; alone, and behind 10 000 other jobs that wait. An operation is a whole search; a
// cycle is one cycle of the engine in it; the copy is made once before.
func BenchmarkWhatIf(b *testing.B) {
	for _, x := range []struct {
		actions string
		others  int
	}{{"allocate", 0}, {"allocate", 10_000}, {"allocate+preempt", 0}, {"allocate+preempt", 10_000}} {
		others := x.others
		b.Run(fmt.Sprintf("%s/nodes=5000/pods=100000/waiting=%d", x.actions, others), func(b *testing.B) {
			p := profile()
			p.Actions = append([]string{"enqueue"}, strings.Split(x.actions, "+")...)
			w := newWorldWith(b, 5000, p)
			w.fill()
			for i := range others {
				w.starving(i)
			}
			for _, c := range []string{"low", "high"} {
				w.put(model.KindPriorityClass, "", c, &model.PriorityClass{Meta: model.Meta{Name: c}, Value: int32(len(c))})
			}
			w.gang("asked", 16, 16, withGPUs(4))
			for range 3 {
				w.cycle()
			}
			began := time.Now()
			c, err := w.Copy()
			if err != nil {
				b.Fatal(err)
			}
			copied := time.Since(began)
			s := whatif.New(c, w.now)
			cycles, ways, first := 0, 0, time.Duration(0)
			began = time.Now()
			b.ResetTimer()
			for range b.N {
				would, ok := s.Job(ledger.JobKey{Namespace: "bench", Name: "asked"},
					whatif.Limits{Found: func(trace.Way) {
						if first == 0 {
							first = time.Since(began)
						}
					}})
				if !ok || len(would.Ways) == 0 {
					b.Fatal("nothing was found")
				}
				cycles, ways = cycles+would.Runs, len(would.Ways)
			}
			b.ReportMetric(float64(copied.Milliseconds()), "copy-ms")
			b.ReportMetric(float64(cycles)/float64(b.N), "cycles/op")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(cycles), "ms/cycle")
			b.ReportMetric(float64(ways), "ways")
			b.ReportMetric(float64(first.Milliseconds()), "first-ms")
			b.ReportMetric(float64(c.Remade()), "remade")
		})
	}
}

// withGPUs is a pod that asks for so many.
func withGPUs(n int64) *model.Spec {
	return &model.Spec{Requests: resource.List{{Name: "cpu", Value: 1000}, {Name: "memory", Value: 2 << 30},
		{Name: "nvidia.com/gpu", Value: n * 1000}, {Name: "pods", Value: 1}}}
}

// fill runs 5000 jobs of 20 pods, eight of which have a GPU each.
func (w *world) fill() {
	one := withGPUs(1)
	for j := range 5000 {
		name := fmt.Sprintf("job-%d", j)
		w.gang(name, 0, 20, small)
		for i := range 20 {
			spec := small
			if i < 8 {
				spec = one
			}
			w.pod(fmt.Sprintf("%s-%d", name, i), name, int64(i), host((j*20+i)%w.nodes), spec)
		}
	}
}
