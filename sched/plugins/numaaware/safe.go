package numaaware

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// chunk is how many containers have so many cpus of their own each. A kubelet places each
// as a whole.
type chunk struct{ size, count int32 }

// view is one way to look at a node: what is free in each NUMA node for sure, and which containers
// may take some of that in a way that is not known.
type view struct {
	node   *model.NUMA
	free   []int32 // by NUMA node
	chunks []chunk // that may still come to lie anywhere
	hidden int64   // no more cpus of them than so many do; the others are in free already
	cores  []int32 // of the pod that comes
	reach  []int64 // see reach
}

// safe says that a node has places for a pod with containers of so many cpus each, and for all
// containers that are there, wherever the kubelet puts each and whichever it sees first. Two ways
// to look at it are right, and one is enough: by the report, with those that are not in it yet
// anywhere; and without the report, with all of them anywhere. The second helps when a pod goes:
// where room comes free only the next report tells.
func (p *plugin) safe(node *model.NUMA, used []use, cores []int32, future bool) bool {
	p.reach = reach(p.reach, node)
	all, staying, given := int64(0), int64(0), int64(0)
	p.all, p.staying = p.all[:0], p.staying[:0]
	for i := range used {
		cpus, count, stays := int32(used[i].Of), used[i].All(), used[i].Stay(future)
		p.all, p.staying = append(p.all, chunk{cpus, count}), append(p.staying, chunk{cpus, stays})
		all += int64(cpus) * int64(count)
		staying += int64(cpus) * int64(stays)
	}
	p.free = p.free[:0]
	for _, c := range node.Nodes {
		given += int64(c.Usable - c.Free)
		p.free = append(p.free, c.Free)
	}
	if (&view{node, p.free, p.all, max(0, all-given), cores, p.reach}).safe() {
		return true
	}
	for i, c := range node.Nodes {
		p.free[i] = c.Usable
	}
	return (&view{node, p.free, p.staying, staying, cores, p.reach}).safe()
}

// safe says that all have a place for certain: each container of the pod, and each of
// those that are hidden.
func (v *view) safe() bool {
	for i, size := range v.cores {
		if !v.certain(size, -1, i) {
			return false
		}
	}
	for i, c := range v.chunks {
		if c.count > 0 && int64(c.size) <= v.hidden && !v.certain(c.size, i, -1) {
			return false
		}
	}
	return true
}

// certain says that a container of some cpus has a place, wherever all others lie: it is one
// of those of a chunk, or a core of the pod, which is the one index that is not negative.
func (v *view) certain(size int32, ofChunk, ofCore int) bool {
	k := v.nodesFor(size)
	if k == 0 {
		return false
	}
	if k > 1 {
		return v.topFree(k)-v.taken(ofChunk, ofCore, 1<<31-1) >= int64(size)
	}
	step := v.step(ofChunk, ofCore)
	blocks, most := int64(0), int32(0)
	for _, free := range v.free {
		if free < size {
			continue
		}
		d := (free - size + step) / step * step // the least that is too much
		if d > free {
			return true // the others cannot take as much
		}
		blocks += int64(d)
		most = max(most, d)
	}
	return blocks > 0 && v.taken(ofChunk, ofCore, most) < blocks
}

// taken is how many cpus all others together may have, of each container most at most: what
// it has beyond that blocks nothing. One that lies on several NUMA nodes counts in full.
func (v *view) taken(ofChunk, ofCore int, most int32) int64 {
	use := func(size int32) int64 {
		if v.nodesFor(size) != 1 {
			return int64(size)
		}
		return int64(min(size, most))
	}
	old, hidden, sum := int64(0), v.hidden, int64(0)
	for i, c := range v.chunks {
		if i == ofChunk {
			c.count--
			hidden -= int64(c.size)
		}
		old += int64(c.count) * use(c.size)
	}
	for i, size := range v.cores {
		if i != ofCore {
			sum += use(size)
		}
	}
	return sum + min(old, hidden)
}

// step is a number of which all that others can take of a NUMA node is a multiple.
func (v *view) step(ofChunk, ofCore int) int32 {
	step := int32(0)
	add := func(size int32) {
		if v.nodesFor(size) != 1 {
			size = 1
		}
		step = gcd(step, size)
	}
	for i, c := range v.chunks {
		if c.count > 1 || c.count == 1 && i != ofChunk {
			if int64(c.size) <= v.hidden {
				add(c.size)
			}
		}
	}
	for i, size := range v.cores {
		if i != ofCore {
			add(size)
		}
	}
	return max(step, 1)
}

func gcd(a, b int32) int32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// topFree is what the k NUMA nodes with most room have.
func (v *view) topFree(k int) (sum int64) {
	free := slices.Clone(v.free)
	slices.Sort(free)
	for _, x := range free[len(free)-k:] {
		sum += int64(x)
	}
	return sum
}

// reach is what a node's k largest NUMA nodes have, for k from 0 on.
func reach(into []int64, node *model.NUMA) []int64 {
	into = into[:0]
	for _, c := range node.Nodes {
		into = append(into, int64(c.CPUs))
	}
	slices.SortFunc(into, func(a, b int64) int { return cmp.Compare(b, a) })
	into = append(into, 0)
	sum := int64(0)
	for k, x := range into {
		into[k] = sum
		sum += x
	}
	return into
}

// nodesFor is on how many NUMA nodes so many cpus have to lie by the kubelet's policy: as few as
// an empty node allows, of which single-numa-node allows one; 0 where they can lie nowhere.
func (v *view) nodesFor(size int32) int {
	for k, sum := range v.reach {
		if sum >= int64(size) {
			if k > 1 && v.node.Policy == model.NUMASingle {
				return 0
			}
			return k
		}
	}
	return 0
}

// short is the refusal of a container of some cpus: how many are free in the NUMA node that has
// most, by the report.
func short(node *model.NUMA, need int32) policy.Verdict {
	d := trace.Domain{Key: "NUMA", Least: int64(need)}
	for _, c := range node.Nodes {
		d.Have = max(d.Have, int64(c.Free))
	}
	return policy.Verdict{Code: trace.NodeNUMA, Domain: d}
}
