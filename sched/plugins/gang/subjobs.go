package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// SubReady says that a sub-group has its size of members that have a place.
func (p *plugin) SubReady(j ledger.JobID, sub int32) bool {
	job := p.l.Job(j)
	s := &job.Subs[sub]
	return s.Ready() >= job.SubSize(s)
}

// VoteSubPipelined permits a sub-group that would have its size with those that are promised
// room, and rejects every other.
func (p *plugin) VoteSubPipelined(j ledger.JobID, sub int32) policy.Vote {
	job := p.l.Job(j)
	s := &job.Subs[sub]
	if s.Ready()+s.Waiting() < job.SubSize(s) {
		return policy.Reject
	}
	return policy.Permit
}

// CompareSubJobs puts sub-groups that are not ready before those that are.
func (p *plugin) CompareSubJobs(j ledger.JobID, a, b int32) int {
	switch x, y := p.SubReady(j, a), p.SubReady(j, b); {
	case x == y:
		return 0
	case y:
		return -1
	default:
		return 1
	}
}

// The numbers of members by which a minimum is met: that have a place or need none, with
// those who are promised one, and without those who need none and still wait.
func readyOf(c *ledger.Count) int32     { return c.Ready() }
func pipelinedOf(c *ledger.Count) int32 { return c.Ready() + c.Waiting() }
func placedOf(c *ledger.Count) int32    { return c.Placed() + c.Waiting() }
func validOf(c *ledger.Count) int32     { return c.Valid() }
