package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// ValidateJob objects to a job that has too few members, waiting ones included, for its minimum:
// first NotEnoughPodsOfTask for the role that lacks members (the first by name), then NotEnoughTasks,
// then NotEnoughSubGroups for the first subGroupPolicy with too few sub-groups that have as many
// members as each needs. Have and Need are numbers of pods, or of sub-groups.
func (p *plugin) ValidateJob(j ledger.JobID) trace.Reason {
	job := p.l.Job(j)
	if r := lacking(job); r != nil {
		return trace.Reason{Code: trace.NotEnoughPodsOfTask, Text: r.Name, Have: int(r.Valid()), Need: int(r.Min)}
	}
	if have := job.Valid(); have < job.MinMember {
		return trace.Reason{Code: trace.NotEnoughTasks, Have: int(have), Need: int(job.MinMember)}
	}
	if s, have, need := job.SubsShort((*ledger.Count).Valid); s != nil {
		return trace.Reason{Code: trace.NotEnoughSubGroups, Text: s.Name, Have: int(have), Need: int(need)}
	}
	return trace.Reason{}
}

// lacking is the first role by name that lacks members; the order of roles in the ledger depends on
// history.
func lacking(job *ledger.Job) *ledger.Role {
	var first *ledger.Role
	for i := range job.Roles {
		r := &job.Roles[i]
		if r.Valid() < r.Min && (first == nil || r.Name < first.Name) {
			first = r
		}
	}
	return first
}
