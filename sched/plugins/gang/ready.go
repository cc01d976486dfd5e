package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Ready says that every role has its minimum of ready members, every subGroupPolicy its
// number of sub-groups that have theirs, and the job its own.
func (p *plugin) Ready(j ledger.JobID) bool {
	return p.l.Job(j).Met((*ledger.Count).Ready)
}

// VotePipelined permits a job that would be ready with the members that are promised
// room, and rejects every other: a gang always has an opinion.
func (p *plugin) VotePipelined(j ledger.JobID) policy.Vote {
	if !p.l.Job(j).Met((*ledger.Count).Pipelined) {
		return policy.Reject
	}
	return policy.Permit
}

// OnlyWhole says that VotePipelined rejects what is short of its minimum.
func (p *plugin) OnlyWhole() {}

// CompareJobs puts jobs that are not ready before those that are: to begin one more
// job is worth more than to widen one that runs. Of those that are not ready it puts first
// whoever has members that hold room: they stand idle for what their gang has lost, or for
// what it came to need since.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	readyA, readyB := p.Ready(a), p.Ready(b)
	if readyA || readyB {
		return policy.FalseFirst(readyA, readyB)
	}
	return policy.FalseFirst(p.l.Job(a).Staying() == 0, p.l.Job(b).Staying() == 0)
}
