package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// shape is a number of gangs with all their members needed.
type shape struct{ gangs, members int }

// BenchmarkAllocate places gangs on an empty cluster: one cycle decides all of them.
func BenchmarkAllocate(b *testing.B) {
	for _, s := range []shape{{10, 100}, {100, 100}, {1, 5000}, {10_000, 1}} {
		for _, nodes := range []int{1000, 5000, 10_000, 50_000} {
			b.Run(fmt.Sprintf("gangs=%dx%d/nodes=%d", s.gangs, s.members, nodes), func(b *testing.B) {
				newWorld(b, nodes).place(b, s, func(int, int) *model.Spec { return small })
			})
		}
	}
}

// BenchmarkNewTemplate is BenchmarkAllocate with a template never seen before, so that
// looking at every node for it is inside; otherwise the template is known, as those of
// most jobs are.
func BenchmarkNewTemplate(b *testing.B) {
	for _, nodes := range []int{5000, 50_000} {
		b.Run(fmt.Sprintf("gangs=10x100/nodes=%d", nodes), func(b *testing.B) {
			newWorld(b, nodes).place(b, shape{10, 100}, func(round, _ int) *model.Spec { return sized(int64(round)) })
		})
	}
}

// BenchmarkMixed places one-pod jobs that are not alike: 64 templates in turn, or each
// with a request, or a required node affinity, that no other pod has.
func BenchmarkMixed(b *testing.B) {
	for _, nodes := range []int{1000, 5000, 50_000} {
		b.Run(fmt.Sprintf("jobs=10000/templates=64/nodes=%d", nodes), func(b *testing.B) {
			newWorld(b, nodes).place(b, shape{10_000, 1}, func(_, job int) *model.Spec { return sized(int64(job % 64)) })
		})
	}
	const jobs = 2000
	for _, nodes := range []int{1000, 5000, 50_000} {
		b.Run(fmt.Sprintf("jobs=%d/own-request/nodes=%d", jobs, nodes), func(b *testing.B) {
			newWorld(b, nodes).place(b, shape{jobs, 1}, func(round, job int) *model.Spec {
				return sized(int64(round*jobs + job))
			})
		})
		b.Run(fmt.Sprintf("jobs=%d/own-hosts/nodes=%d", jobs, nodes), func(b *testing.B) {
			newWorld(b, nodes).place(b, shape{jobs, 1}, func(round, job int) *model.Spec {
				return bound(model.In, hosts((round*jobs+job)*7, 16, nodes))
			})
		})
		b.Run(fmt.Sprintf("jobs=%d/own-exclusion/nodes=%d", jobs, nodes), func(b *testing.B) {
			newWorld(b, nodes).place(b, shape{jobs, 1}, func(round, job int) *model.Spec {
				n := round*jobs + job
				return bound(model.NotIn, []string{host(n % nodes), host((n/nodes + 1 + n) % nodes)})
			})
		})
	}
}

// place decides on gangs in one cycle, again and again. spec is the template of a gang
// in a round.
func (w *world) place(b *testing.B, s shape, spec func(round, gang int) *model.Spec) {
	b.ReportAllocs()
	b.ResetTimer()
	b.StopTimer()
	var clock stopwatch
	for i := range b.N {
		for g := range s.gangs {
			w.gang(fmt.Sprintf("gang-%d", g), s.members, s.members, spec(i, g))
		}
		clock.start(b)
		bound := w.cycle()
		clock.stop(b)
		if bound != s.gangs*s.members {
			b.Fatalf("bound %d pods of %d", bound, s.gangs*s.members)
		}
		for g := range s.gangs {
			w.clear(fmt.Sprintf("gang-%d", g), s.members)
		}
		w.cycle()
	}
	clock.perPod(b, s.gangs*s.members)
}

// bound is a template with a required affinity to hosts, or away from them.
func bound(op model.Operator, names []string) *model.Spec {
	s := *small
	s.Affinity = []model.Term{{All: []model.Requirement{{Key: "kubernetes.io/hostname", Op: op, Values: names}}}}
	return &s
}

// hosts are the names of count nodes, evenly apart.
func hosts(from, count, nodes int) []string {
	out := make([]string, count)
	for i := range out {
		out[i] = host((from + i*nodes/count) % nodes)
	}
	return out
}
