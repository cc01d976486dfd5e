package packing

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// kind is tasks that ask for the same, and how many of them there are.
type kind struct {
	asks  []int64 // of the columns that any kind asks for
	uses  bool    // asks for the resource
	count int64
}

// mostCounted bounds the sum of counts, so that products stay within 64 bits: beyond it
// all counts are halved as often as it takes.
const mostCounted = 1 << 20

// count counts the tasks of ours by kind, those that wait and those that run: the workload
// as far as it is known. What they require of nodes besides amounts is not looked at.
func (p *plugin) count() {
	p.kinds, p.columns = p.kinds[:0], p.columns[:0]
	counts := make([]int64, p.l.Classes.Len())
	total := int64(0)
	p.l.Tasks.Each(func(t ledger.TaskID) bool {
		task := p.l.Task(t)
		if task.Job != ledger.NoJob && task.Status != model.Succeeded && task.Status != model.Failed {
			counts[task.Class]++
			total++
		}
		return true
	})
	shift := 0
	for total>>shift > mostCounted {
		shift++
	}
	d := p.dims()[1]
	for c, n := range counts {
		if n == 0 {
			continue
		}
		for _, need := range p.l.Class(ledger.ClassID(c)).Need {
			if !slices.Contains(p.columns, need.Dim) {
				p.columns = append(p.columns, need.Dim)
			}
		}
	}
	for c, n := range counts {
		if n == 0 {
			continue
		}
		k := kind{uses: d >= 0 && p.l.Class(ledger.ClassID(c)).Request.Get(d) > 0, count: max(1, n>>shift)}
		for _, column := range p.columns {
			k.asks = append(k.asks, p.l.Class(ledger.ClassID(c)).Request.Get(column))
		}
		p.kinds = append(p.kinds, k)
	}
}

// gradient scores nodes by how much more of the resource would be a fragment with a task
// on them: the least has policy.MaxNodeScore, the most 0. Where there is no difference none has
// any.
func (p *plugin) gradient(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	d := p.dims()[1]
	if len(nodes) == 0 || d < 0 {
		return
	}
	p.loss = p.loss[:0]
	for _, n := range nodes {
		p.loss = append(p.loss, p.grows(n, c, d))
	}
	least, most := slices.Min(p.loss), slices.Max(p.loss)
	shift := 0
	for (most-least)>>shift > 1<<40 {
		shift++
	}
	if span := (most - least) >> shift; span > 0 {
		for i, x := range p.loss {
			scores[i] += ((most - x) >> shift) * policy.MaxNodeScore / span
		}
	}
}

// grows is how much a task adds to a node's fragments: what is free of the resource there,
// counted once for each task of the workload that does not ask for it or does not fit.
func (p *plugin) grows(n ledger.NodeID, with *ledger.Class, d resource.Dim) int64 {
	p.free0, p.free1 = p.free0[:0], p.free1[:0]
	for _, column := range p.columns {
		free := p.free(column, n)
		p.free0, p.free1 = append(p.free0, free), append(p.free1, free-with.Request.Get(column))
	}
	before, after := int64(0), int64(0) // tasks that what is free is useless to
	for i := range p.kinds {
		k := &p.kinds[i]
		if !k.uses || !fits(k.asks, p.free0) {
			before += k.count
		}
		if !k.uses || !fits(k.asks, p.free1) {
			after += k.count
		}
	}
	free := min(p.free(d, n), 1<<40)
	return after*max(0, free-with.Request.Get(d)) - before*free
}

// fits says that amounts are there; of what is not asked for nothing need be.
func fits(asks, free []int64) bool {
	for i, x := range asks {
		if x > 0 && x > free[i] {
			return false
		}
	}
	return true
}
