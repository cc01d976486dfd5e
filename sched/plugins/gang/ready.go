package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Ready says that every role has its minimum of ready members, every subGroupPolicy its
// number of sub-groups that have theirs, and the job its own.
func (p *plugin) Ready(j ledger.JobID) bool { return ready(p.l.Job(j)) }

// VotePipelined permits a job that would be ready with the members that are promised
// room, and rejects every other: a gang always has an opinion.
func (p *plugin) VotePipelined(j ledger.JobID) policy.Vote {
	job := p.l.Job(j)
	for i := range job.Roles {
		if r := &job.Roles[i]; r.Ready()+r.Waiting() < r.Min {
			return policy.Reject
		}
	}
	if job.Ready()+job.Waiting() < job.MinMember || !job.SubsMet(pipelinedOf) {
		return policy.Reject
	}
	return policy.Permit
}

// OnlyWhole says that VotePipelined rejects what is short of its minimum.
func (p *plugin) OnlyWhole() {}

// CompareJobs puts jobs that are not ready before those that are: to begin one more
// job is worth more than to widen one that runs.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	x, y := ready(p.l.Job(a)), ready(p.l.Job(b))
	switch {
	case x == y:
		return 0
	case y:
		return -1
	default:
		return 1
	}
}

func ready(job *ledger.Job) bool {
	for i := range job.Roles {
		if r := &job.Roles[i]; r.Ready() < r.Min {
			return false
		}
	}
	return job.Ready() >= job.MinMember && job.SubsMet(readyOf)
}
