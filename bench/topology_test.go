package bench

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// BenchmarkTopology places one gang that asks for one domain (hard): of a rack of 32 nodes, or
// of a row of 16 racks, in clusters of which every other rack has something on it. It reports
// the processor time of the cycle that decides.
func BenchmarkTopology(b *testing.B) {
	for _, c := range []struct {
		racks, members int
		tier           int32
		soft           bool
	}{{32, 64, 1, false}, {128, 64, 1, false}, {1562, 64, 1, false}, {32, 512, 2, false}, {128, 512, 2, false},
		{128, 64, 0, true}} {
		name := fmt.Sprintf("racks=%dx32/gang=%d/tier=%d", c.racks, c.members, c.tier)
		ask := &model.Topology{Hard: true, Highest: c.tier}
		if c.soft {
			name, ask = fmt.Sprintf("racks=%dx32/gang=%d/soft", c.racks, c.members), &model.Topology{Highest: -1}
		}
		b.Run(name, func(b *testing.B) {
			w := racked(b, c.racks, 32, nil)
			var watch stopwatch
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				gang := fmt.Sprintf("gang-%d", i)
				w.near(gang, c.members, ask)
				watch.start(b)
				bound := w.cycle()
				watch.stop(b)
				if bound != c.members {
					b.Fatalf("%d of %d pods are bound", bound, c.members)
				}
				w.clear(gang, c.members)
				w.cycle()
				b.StartTimer()
			}
			watch.perPod(b, c.members)
			b.ReportMetric(float64(watch.spent.Microseconds())/float64(b.N), "cpu-µs/gang")
		})
	}
}

// BenchmarkOrdinaryPods places gangs that ask for no topology in racks of 32 nodes: scored by the domains of
// the network, of which all change a little with every pod, and without that.
func BenchmarkOrdinaryPods(b *testing.B) {
	for _, on := range []string{"true", "false"} {
		for _, s := range []shape{{10, 100}, {1000, 1}} {
			b.Run(fmt.Sprintf("enable=%s/gangs=%dx%d/racks=156x32", on, s.gangs, s.members), func(b *testing.B) {
				w := racked(b, 156, 32, policy.Arguments{"hypernode.binpack.normal-pod.enable": on})
				w.place(b, s, func(round, gang int) *model.Spec {
					if s.members == 1 {
						return sized(int64(round*s.gangs + gang))
					}
					return small
				})
			})
		}
	}
}

// racked is a cluster of racks, sixteen of them a row; arguments are those of the plugin.
func racked(b testing.TB, racks, nodes int, arguments policy.Arguments) *world {
	p := profile()
	p.Tiers[1] = append(p.Tiers[1], policy.Choice{Plugin: "network-topology-aware", Arguments: arguments})
	w := newWorldWith(b, racks*nodes, p)
	var row *model.HyperNode
	for r := range racks {
		rack := &model.HyperNode{Meta: model.Meta{Name: fmt.Sprintf("rack-%04d", r)}, Tier: 1}
		for n := range nodes {
			rack.Members = append(rack.Members, model.Member{Node: true, Name: host(r*nodes + n)})
		}
		w.put(model.KindHyperNode, "", rack.Name, rack)
		if r%16 == 0 {
			row = &model.HyperNode{Meta: model.Meta{Name: fmt.Sprintf("row-%04d", r/16)}, Tier: 2}
		}
		row.Members = append(row.Members, model.Member{Name: rack.Name})
		if r%16 == 15 || r == racks-1 {
			w.put(model.KindHyperNode, "", row.Name, row)
		}
		if r%2 == 0 {
			w.pod(fmt.Sprintf("resident-%d", r), "", -1, host(r*nodes), small)
		}
	}
	w.cycle()
	return w
}

// half asks for half of a node's devices, so that a rack takes 64 and a row 1024.
var half = &model.Spec{Requests: resource.List{{Name: "cpu", Value: 8000}, {Name: "memory", Value: 16 << 30},
	{Name: "nvidia.com/gpu", Value: 4000}, {Name: "pods", Value: 1}}}

// near is a gang that asks something of the network.
func (w *world) near(name string, members int, ask *model.Topology) {
	w.put(model.KindPodGroup, "bench", name, &model.PodGroup{Meta: model.Meta{Namespace: "bench", Name: name, UID: name},
		MinMember: int32(members), Phase: model.GroupInqueue, Topology: ask})
	for i := range members {
		w.pod(fmt.Sprintf("%s-%d", name, i), name, int64(i), "", half)
	}
}
