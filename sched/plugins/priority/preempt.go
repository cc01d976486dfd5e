package priority

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Starving says that a member waits for room and for nothing else: one that has no place and is not
// pipelined, whatever the job's minimum is. With gang in the same tier, where all must agree, jobs that
// have their minimum do not starve.
func (p *plugin) Starving(j ledger.JobID) bool {
	job := p.l.Job(j)
	return job.By[model.Pending] > job.Gated
}

// OfJobAlone says that Starving depends on the job alone.
func (p *plugin) OfJobAlone() {}

// Preemptable permits a unit of a job with a priority below that of the preemptor's job; of the
// preemptor's own job, a unit in which every task's priority is below the preemptor's. It guards all
// other units. Between jobs of equal priority another plugin may still permit it, within a job none.
func (p *plugin) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if u.Job == c.Job {
		return p.within(c, u)
	}
	asks, victim := p.l.Job(c.Job).Priority, p.l.Job(u.Job).Priority
	if victim < asks {
		return policy.Opinion{Vote: policy.Permit, Guard: true}
	}
	return notLower(asks, victim, victim == asks)
}

func (p *plugin) within(c policy.Preemptor, u policy.Unit) policy.Opinion {
	asks := p.l.Task(c.Task).Order
	for _, t := range u.Tasks {
		if victim := p.l.Task(t).Order; victim >= asks {
			return notLower(asks, victim, false)
		}
	}
	return policy.Opinion{Vote: policy.Permit, Guard: true}
}

func notLower(asks, victim int32, equal bool) policy.Opinion {
	return policy.Opinion{Vote: policy.Reject, Guard: true, EqualPriority: equal,
		Reason: trace.Reason{Code: trace.VictimNotLower, Have: int(victim), Need: int(asks)}}
}

// VictimCeiling is the priority of the preemptor's job: no job above it is a victim.
func (p *plugin) VictimCeiling(c policy.Preemptor) int32 { return p.l.Job(c.Job).Priority }
