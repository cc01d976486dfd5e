package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// BenchmarkSubGroups has one gang of many sub-groups: it starts, one sub-group after the other; or
// no node has room for any, and two pods more come, which is looked at anew.
func BenchmarkSubGroups(b *testing.B) {
	for _, groups := range []int{500, 1000, 2000} {
		b.Run(fmt.Sprintf("start/groups=%d", groups), func(b *testing.B) {
			w := newWorld(b, 500)
			var watch stopwatch
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				gang := fmt.Sprintf("gang-%d", i)
				w.divided(gang, groups, 1, small)
				watch.start(b)
				bound := w.cycle()
				watch.stop(b)
				if bound != groups {
					b.Fatalf("%d of %d pods are bound", bound, groups)
				}
				w.clear(gang, groups)
				w.cycle()
				b.StartTimer()
			}
			watch.perPod(b, groups)
		})
		b.Run(fmt.Sprintf("wait/groups=%d", groups), func(b *testing.B) {
			w := newWorld(b, 500)
			w.divided("gang", groups, 2, huge(0))
			w.cycle()
			var watch stopwatch
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				w.partOf("gang", 2*groups, groups+i, huge(0))
				w.partOf("gang", 2*groups+1, groups+i, huge(0))
				watch.start(b)
				if bound := w.cycle(); bound != 0 {
					b.Fatalf("%d pods are bound", bound)
				}
				watch.stop(b)
				w.gone(model.KindPod, "bench", fmt.Sprintf("gang-%d", 2*groups))
				w.gone(model.KindPod, "bench", fmt.Sprintf("gang-%d", 2*groups+1))
				w.cycle()
				b.StartTimer()
			}
			b.ReportMetric(float64(watch.spent.Microseconds())/float64(b.N), "cpu-µs/arrival")
		})
	}
}

// divided is a gang of sub-groups of so many pods each.
func (w *world) divided(name string, groups, each int, spec *model.Spec) {
	w.put(model.KindPodGroup, "bench", name, &model.PodGroup{
		Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, MinMember: 1, Phase: model.GroupInqueue,
		SubGroups: []model.SubGroups{{Name: "s", Keys: []string{"part"}, Size: int32(each)}}})
	for i := range groups * each {
		w.partOf(name, i, i/each, spec)
	}
}

// partOf is a pod of a sub-group.
func (w *world) partOf(gang string, i, group int, spec *model.Spec) {
	name := fmt.Sprintf("%s-%d", gang, i)
	w.put(model.KindPod, "bench", name, &model.Pod{Meta: model.Meta{Namespace: "bench", Name: name, UID: name}, Ours: true,
		Group: gang,
		Index: int64(i), Spec: spec, Labels: []model.Label{{Key: "part", Value: fmt.Sprint(group)}}})
}
