package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched/model"
)

// BenchmarkWhy answers about one object on a cluster of 5000 nodes with 100 000 pods, alone and with 10 000 other jobs
// that wait: a gang of 16 pods that finds no GPUs, a pod of it, a node with 20 pods.
func BenchmarkWhy(b *testing.B) {
	for _, others := range []int{0, 10_000} {
		w := newWorldWith(b, 5000, profile())
		w.fill()
		for i := range others {
			w.starving(i)
		}
		w.gang("asked", 16, 16, withGPUs(4))
		for range 3 {
			w.cycle()
		}
		ask := w.Questions()
		ids := ask.JobsNamed("bench", "asked")
		if len(ids) != 1 {
			b.Fatalf("%d jobs are named asked", len(ids))
		}
		asking := explain.Asking{}
		for name, answer := range map[string]func() *explain.Answer{
			"job": func() *explain.Answer {
				why := ask.Job(ask.JobsNamed("bench", "asked")[0])
				return asking.JobAnswer(&why)
			},
			"pod": func() *explain.Answer {
				why, job, _ := ask.Pod("bench", "asked-0")
				whole := ask.Job(job)
				return asking.PodAnswer(&why, &whole)
			},
			"node": func() *explain.Answer {
				why, _ := ask.Node(host(7))
				return asking.NodeAnswer(&why)
			},
		} {
			b.Run(fmt.Sprintf("%s/nodes=5000/pods=100000/waiting=%d", name, others), func(b *testing.B) {
				for range b.N {
					w.put(model.KindNamespace, "", "changed", &model.Namespace{Meta: model.Meta{Name: "changed"}})
					if a := answer(); a.Summary == "" {
						b.Fatal("nothing is said")
					}
				}
			})
		}
	}
}
