package binpack

import (
	"ashlar.sh/sched/fraction"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

type plugin struct {
	l      *ledger.Ledger
	weight int64
	named  []policy.ResourceWeight
	byDim  []int64 // weights by column, for the columns there were when last looked
}

// ScoreNode is the weighted mean described in the package comment.
func (p *plugin) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	if len(p.byDim) < p.l.Dims.Len() {
		p.resolve()
	}
	sum, weights := int64(0), int64(0)
	for _, need := range c.Need {
		w := p.byDim[need.Dim]
		if w == 0 {
			continue
		}
		weights += w
		sum += w * p.share(need, n)
	}
	if weights == 0 {
		return 0
	}
	return p.weight * sum / weights
}

// resolve learns the weights of new columns: resources are named in the configuration
// before any node or pod has them.
func (p *plugin) resolve() {
	for d := len(p.byDim); d < p.l.Dims.Len(); d++ {
		p.byDim = append(p.byDim, p.weightOf(p.l.Dims.Name(resource.Dim(d))))
	}
}

func (p *plugin) weightOf(name string) int64 {
	for _, r := range p.named {
		if r.Resource == name {
			return r.Weight
		}
	}
	return 0
}

// share is the gauge's; what would not fit, and what the node lacks, counts as 0.
func (p *plugin) share(need ledger.Need, n ledger.NodeID) int64 {
	x := fraction.Share(p.l, need.Dim, n, need.Amount)
	if x == fraction.NotOffered || x == fraction.Over {
		return 0
	}
	return x
}
