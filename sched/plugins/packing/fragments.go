package packing

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// kind is tasks that ask for the same, and how many of them there are.
type kind struct {
	need  []ledger.Need
	uses  bool // asks for the resource
	count int64
}

// mostCounted bounds the sum of counts, so that products stay within 64 bits: beyond it
// all counts are halved as often as it takes.
const mostCounted = 1 << 20

// count counts the tasks of ours by kind, those that wait and those that run: the workload
// as far as it is known. What they require of nodes besides amounts is not looked at.
func (p *plugin) count(out []kind) []kind {
	counts := make([]int64, p.l.NumClasses())
	total := int64(0)
	p.l.Tasks(func(t ledger.TaskID) bool {
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
		if n > 0 {
			class := p.l.Class(ledger.ClassID(c))
			out = append(out, kind{class.Need, d >= 0 && class.Request.Get(d) > 0, max(1, n>>shift)})
		}
	}
	return out
}

// gradient scores nodes by how much more of the resource would be a fragment with a task
// on them: the least has policy.Points, the most 0. Where there is no difference none has
// any.
func (p *plugin) gradient(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	p.loss = p.loss[:0]
	for _, n := range nodes {
		p.loss = append(p.loss, p.fragments(n, c)-p.fragments(n, nil))
	}
	if len(nodes) == 0 {
		return
	}
	least, most := slices.Min(p.loss), slices.Max(p.loss)
	shift := 0
	for (most-least)>>shift > 1<<40 {
		shift++
	}
	if span := (most - least) >> shift; span > 0 {
		for i, x := range p.loss {
			scores[i] += ((most - x) >> shift) * policy.Points / span
		}
	}
}

// fragments is what is free of the resource on a node, with a task on it or none, counted
// once for each task of the workload that does not ask for it or does not fit there.
func (p *plugin) fragments(n ledger.NodeID, with *ledger.Class) int64 {
	d := p.dims()[1]
	if d < 0 {
		return 0
	}
	free := p.free(d, n)
	if with != nil {
		free = max(0, free-with.Request.Get(d))
	}
	sum := int64(0)
	for i := range p.kinds {
		if k := &p.kinds[i]; !k.uses || !p.fits(k, n, with) {
			sum += k.count
		}
	}
	return sum * min(free, 1<<40)
}

func (p *plugin) fits(k *kind, n ledger.NodeID, with *ledger.Class) bool {
	for _, need := range k.need {
		free := p.free(need.Dim, n)
		if with != nil {
			free -= with.Request.Get(need.Dim)
		}
		if need.Amount > free {
			return false
		}
	}
	return true
}
