package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Starving says that the job, or one of its roles, has fewer members than its minimum that have a place
// or are pipelined (seed 002 §3.1); members that succeeded count. Members that ask for nothing count
// only once they have a place: a node that can take no more pods has no place for them either.
func (p *plugin) Starving(j ledger.JobID) bool {
	return !p.l.Job(j).Met((*ledger.Count).PlacedOrPipelined)
}

// OfJobAlone says that Starving and ValidateJob depend on the job alone.
func (p *plugin) OfJobAlone() {}

// Preemptable permits that a surplus member is evicted for a job that lacks its minimum: starting one
// more job is worth more than extending one that runs. It abstains on a whole gang (decision 12). It
// also abstains when the preemptor is above its job's minimum: of two jobs that both have their
// minimum, other plugins decide which gets more; otherwise the two could evict each other in turn. That
// no gang is left with less than its minimum is ensured by the search for victims, without this plugin,
// too.
func (p *plugin) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion { return surplus(c, u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion { return surplus(c, u) }

func surplus(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if u.Whole || c.Extra {
		return policy.Opinion{}
	}
	return policy.Opinion{Vote: policy.Permit}
}
