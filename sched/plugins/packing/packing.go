// Package packing orders nodes as studies of packing do, to compare with in a simulation:
//
//	random      a hash of the task's name, the node's and a seed
//	bestfit     least left behind: over cpu and the resource, the mean of what would be
//	            free as a share of the largest node
//	dotproduct  least aligned: over the same, the mean of free times asked for, both as
//	            shares of the largest node, the smallest first
//	fgd         least fragmented: where what is free of the resource becomes useless to
//	            the fewest; see fragments
//
// It compares all nodes for every task, which is slow. It is meant to be the only score:
// the best node gets policy.MaxNodeScore, the rest less.
//
// What is free is what a task may take now. The devices of a node are pooled, as
// everywhere in the engine: where a study packs parts of devices, its policy does not rank
// the devices here, only the nodes.
//
// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
// Fragmentation Gradient Descent", USENIX ATC 2023, and the policies it compares with.
package packing

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// The orders, as packing.by names them.
const (
	random     = "random"
	bestFit    = "bestfit"
	dotProduct = "dotproduct"
	fgd        = "fgd"
)

// Definition is the plugin "packing".
func Definition() policy.Definition {
	return policy.Define("packing", "nodes in the orders that studies of packing compare, for simulations",
		func(a arguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l: l, by: a.by, resource: a.resource, seed: uint64(a.seed)}, nil
		})
}

type arguments struct {
	by, resource string
	seed         int64
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.OneOf(&a.by, "packing.by", []string{bestFit, dotProduct, fgd, random},
		"least left behind, least aligned, least fragmented, by chance")
	s.Text(&a.resource, "packing.resource", "nvidia.com/gpu", "what is packed, beside cpu")
	s.Int(&a.seed, "packing.seed", 1, "of random")
}

type plugin struct {
	l        *ledger.Ledger
	by       string
	resource string
	seed     uint64

	largest [2]int64 // of all nodes: cpu, the resource; 0 where no node has any
	kinds   []kind   // fgd: of the tasks that there are
	columns []resource.Dim
	loss    []int64 // scratch, as the next two
	free0   []int64
	free1   []int64
}

// Open learns what stands still for the cycle: the largest nodes and the kinds of tasks.
func (p *plugin) Open(*trace.Recorder) {
	switch p.by {
	case bestFit, dotProduct:
		p.largest = [2]int64{}
		p.l.Nodes.Present(func(n ledger.NodeID) bool {
			for i, d := range p.dims() {
				if d >= 0 {
					p.largest[i] = max(p.largest[i], p.l.Nodes.Allocatable(d)[n])
				}
			}
			return true
		})
	case fgd:
		p.count()
	}
}

// dims are the columns of cpu and the resource, below 0 while no object has named it.
func (p *plugin) dims() [2]resource.Dim {
	out := [2]resource.Dim{resource.CPU, -1}
	if d, ok := p.l.Dims.Lookup(p.resource); ok {
		out[1] = d
	}
	return out
}

// free is what a task may take of a node now.
func (p *plugin) free(d resource.Dim, n ledger.NodeID) int64 {
	return max(0, min(p.l.Nodes.Idle(d)[n], p.l.Nodes.FutureIdle(d, n)))
}

// ScoreNodes adds the order's scores, from 0 to policy.MaxNodeScore.
func (p *plugin) ScoreNodes(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) {
	task := p.l.Task(t)
	c := p.l.Class(task.Class)
	switch p.by {
	case random:
		name := ledger.Hash(task.Key.String())
		for i, n := range nodes {
			scores[i] += int64(mixed(name^mixed(p.l.Nodes.Hash(n)^mixed(p.seed))) % (policy.MaxNodeScore + 1))
		}
	case fgd:
		p.gradient(c, nodes, scores)
	default:
		for i, n := range nodes {
			scores[i] += policy.MaxNodeScore - p.behind(c, n)
		}
	}
}

// mixed spreads the bits of a number (Steele et al., SplitMix, 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// behind is the mean over cpu and the resource of what would be left of a node (bestfit)
// or of its product with what is asked for (dotproduct), in shares of policy.MaxNodeScore.
func (p *plugin) behind(c *ledger.Class, n ledger.NodeID) int64 {
	sum := int64(0)
	for i, d := range p.dims() {
		most := p.largest[i]
		if d < 0 || most == 0 {
			continue
		}
		free, asks := p.free(d, n), c.Request.Get(d)
		if p.by == bestFit {
			sum += resource.MulDiv(max(0, free-asks), policy.MaxNodeScore, most)
		} else {
			sum += resource.MulDiv(resource.MulDiv(free, policy.MaxNodeScore, most), min(asks, most), most)
		}
	}
	return min(policy.MaxNodeScore, sum/2)
}
