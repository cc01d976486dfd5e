package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Starving says that the job, or one of its roles, lacks members for its minimum that
// have a place or are promised one (seed 002 §3.1); those that succeeded count. Members
// that ask for nothing count only once they have a place: a node whose last place for a
// pod is taken has none for them either.
func (p *plugin) Starving(j ledger.JobID) bool {
	return !p.l.Job(j).Met((*ledger.Count).Promised)
}

// OfJobAlone says that Starving and ValidateJob ask nothing but the job.
func (p *plugin) OfJobAlone() {}

// Preemptable permits a surplus member to go for a job that lacks its minimum: to begin
// one more job is worth more than to widen one that runs. It abstains on a whole gang
// (decision 12), and when the claim is for more than a minimum: who of two that both have
// theirs is to have the more is for others to say, or they would take it in turns. That no
// gang is left with less than its minimum is the search's rule, not this answer's: it
// holds without this plugin too.
func (p *plugin) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion { return surplus(c, u) }

// Reclaimable is as Preemptable.
func (p *plugin) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion { return surplus(c, u) }

func surplus(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if u.Whole || c.Extra {
		return policy.Opinion{}
	}
	return policy.Opinion{Vote: policy.Permit}
}
