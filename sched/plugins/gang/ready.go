package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Ready says that every role has its minimum of ready members, every subGroupPolicy its number of
// sub-groups that have their size, and the job its minimum.
func (p *plugin) Ready(j ledger.JobID) bool {
	return p.l.Job(j).Met((*ledger.Count).Ready)
}

// VotePipelined permits a job that would be ready with the members that are pipelined, and rejects
// every other: gang never abstains.
func (p *plugin) VotePipelined(j ledger.JobID) policy.Vote {
	if !p.l.Job(j).Met((*ledger.Count).ReadyOrPipelined) {
		return policy.Reject
	}
	return policy.Permit
}

// OnlyWhole says that VotePipelined rejects every job that would stay below its minimum.
func (p *plugin) OnlyWhole() {}

// CompareJobs puts jobs that are not ready before those that are: starting one more job is worth more
// than extending one that runs. Of jobs that are not ready, those with members that hold room come
// first: these members are idle until the gang has replaced what it lost, or has what it came to need
// since.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	readyA, readyB := p.Ready(a), p.Ready(b)
	if readyA || readyB {
		return policy.FalseFirst(readyA, readyB)
	}
	return policy.FalseFirst(p.l.Job(a).Staying() == 0, p.l.Job(b).Staying() == 0)
}
