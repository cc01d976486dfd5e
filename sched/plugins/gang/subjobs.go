package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// SubReady says that as many members of a sub-group have a place as its size is.
func (p *plugin) SubReady(j ledger.JobID, sub int32) bool {
	job := p.l.Job(j)
	s := &job.Subs[sub]
	return s.Ready() >= job.SubSize(s)
}

// VoteSubPipelined permits a sub-group that would have its size with its pipelined members, and
// rejects every other.
func (p *plugin) VoteSubPipelined(j ledger.JobID, sub int32) policy.Vote {
	job := p.l.Job(j)
	s := &job.Subs[sub]
	if s.ReadyOrPipelined() < job.SubSize(s) {
		return policy.Reject
	}
	return policy.Permit
}

// CompareSubJobs puts sub-groups that are not ready before those that are.
func (p *plugin) CompareSubJobs(j ledger.JobID, a, b int32) int {
	return policy.FalseFirst(p.SubReady(j, a), p.SubReady(j, b))
}
