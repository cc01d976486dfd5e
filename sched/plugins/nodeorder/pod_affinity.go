package nodeorder

import (
	"ashlar.sh/sched/interpod"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// podAffinity prefers the nodes in the domains of the pods that a task prefers to be with, and those
// that prefer to be with it; and avoids the nodes with pods that it prefers not to be with.
type podAffinity struct {
	weight     int64
	affinities *interpod.Affinities
}

// ConcernsDomains says that pods of the class prefer other pods, or other pods prefer them.
func (f podAffinity) ConcernsDomains(c *ledger.Class) bool {
	if n := c.Spec.Neighbours; n != nil && len(n.Prefer) > 0 {
		return true
	}
	return len(f.affinities.Rules(c).Prefer) > 0
}

// DomainKeys are the preferences' keys.
func (f podAffinity) DomainKeys(c *ledger.Class) []string {
	return interpod.Keys(f.affinities.Rules(c).Prefer)
}

// ScoreDomains gives the node with the highest sum of weights all points, the node with the lowest
// none, the rest in proportion; where all sums are equal, no node gets any. Terminating pods count
// until they are gone, as in kube-scheduler, and pods that are pipelined count already.
func (f podAffinity) ScoreDomains(c *ledger.Class, nodes []ledger.NodeID, scores []int64) {
	prefer := f.affinities.Rules(c).Prefer
	sums := make([]int64, len(nodes))
	for i := range prefer {
		prefer[i].Weigh(nodes, prefer[i].Weight, sums)
	}
	least, most := sums[0], sums[0]
	for _, s := range sums {
		least, most = min(least, s), max(most, s)
	}
	if least == most {
		return
	}
	was, points := least, int64(0)
	for k, s := range sums {
		if s != was { // many nodes have the same
			was, points = s, resource.MulDiv(s-least, policy.MaxNodeScore, most-least)*f.weight
		}
		scores[k] += points
	}
}
