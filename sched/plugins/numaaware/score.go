package numaaware

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// ScoreNode is the weight times policy.MaxNodeScore, divided by the number of NUMA nodes on which the
// pod's cpus would lie if the kubelet does what is most likely; nothing for a pod that asks
// for no policy. Volcano counts down from the most NUMA nodes that any node needs: the order of
// nodes is the same, and here a node's score does not rest on others.
func (p *plugin) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	ask, node := c.Spec.NUMA, p.l.NUMA.Of(n)
	if ask == nil || ask.Policy == model.NUMANone || len(ask.Cores) == 0 || node == nil || len(node.Nodes) == 0 {
		return 0
	}
	return p.weight * policy.MaxNodeScore / int64(p.likely(node, p.state.use.On(n), ask.Cores))
}

// likely is the number of NUMA nodes that the containers lie on, if those that are not in the
// report yet come first, the largest in front, and each goes into the first NUMA node that has
// room for it.
func (p *plugin) likely(node *model.NUMA, used []use, cores []int32) int {
	p.free = p.free[:0]
	hidden := int64(0)
	for _, c := range node.Nodes {
		hidden -= int64(c.Usable - c.Free)
		p.free = append(p.free, c.Free)
	}
	p.all = p.all[:0]
	for i := range used {
		cpus, count := int32(used[i].Of), used[i].All()
		hidden += int64(cpus) * int64(count)
		p.all = append(p.all, chunk{cpus, count})
	}
	slices.SortFunc(p.all, func(a, b chunk) int { return int(b.size - a.size) })
	for _, c := range p.all {
		for ; c.count > 0 && hidden >= int64(c.size); c.count-- {
			fill(p.free, c.size)
			hidden -= int64(c.size)
		}
	}
	lie := uint64(0)
	for _, size := range slices.Backward(cores) {
		lie |= fill(p.free, size)
	}
	return max(1, bits.OnesCount64(lie))
}

// fill takes cpus of the first NUMA node that has enough, else of those that have most: which,
// as bits. A node has no more than 64 NUMA nodes.
func fill(free []int32, size int32) (lie uint64) {
	for i, x := range free {
		if x >= size {
			free[i] -= size
			return 1 << i
		}
	}
	for size > 0 {
		most := 0
		for i, x := range free {
			if x > free[most] {
				most = i
			}
		}
		if free[most] <= 0 {
			break
		}
		taken := min(size, free[most])
		free[most] -= taken
		size -= taken
		lie |= 1 << most
	}
	return lie
}
