package overcommit

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// VoteEnqueue permits a job in three cases: with it, what is used and what admitted jobs are still to get stays within
// factor times the cluster; its queue stays within its part; or it is its queue's time slice. Otherwise it rejects the
// job. Need of the reason is what would be used and inqueue, Have the most that may be, Kept how much of Need is
// inqueue for jobs that were admitted before.
func (p *plugin) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, false) }

// VoteLoan is VoteEnqueue without what jobs lend.
func (p *plugin) VoteLoan(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, true) }

func (p *plugin) vote(j ledger.JobID, loan bool) (policy.Vote, trace.Reason) {
	job := p.l.Job(j)
	var over []resource.Dim
	for d, least := range job.MinResources {
		d := resource.Dim(d)
		if least <= 0 || d == resource.Pods || p.with(job, d, loan) <= p.most(d) || p.within(job, d, loan) {
			continue
		}
		over = append(over, d)
	}
	if len(over) == 0 || !loan && p.inTimeSlice(job, over) {
		return policy.Permit, trace.Reason{}
	}
	p.l.Dims.SortByName(over)
	r := trace.Reason{Code: trace.ClusterOvercommitted}
	for _, d := range over {
		r.Shorts = append(r.Shorts, trace.Short{Dim: p.l.Dims.Name(d), Need: p.with(job, d, loan), Have: p.most(d),
			Kept: p.inqueue(d, loan)})
	}
	return policy.Reject, r
}

// with is what would be used and inqueue if a job were admitted.
func (p *plugin) with(job *ledger.Job, d resource.Dim, loan bool) int64 {
	return resource.Sum{}.Plus(p.used.of(p.l, d)).Plus(p.inqueue(d, loan)).Plus(job.Asks(d)).Int64()
}

// inqueue is what is kept for admitted jobs in addition to what they hold.
func (p *plugin) inqueue(d resource.Dim, loan bool) int64 {
	root, _ := p.l.Queues.Find(model.RootQueue)
	return p.l.Queue(root).InqueueAmount(d, loan)
}

// most is the most that may be used and inqueue; there is no bound where no node offers anything.
func (p *plugin) most(d resource.Dim) int64 {
	total := p.l.Nodes.Total(d)
	if total <= 0 {
		return 1<<63 - 1
	}
	return resource.MulDiv(total, p.factor, 1000)
}

// used is what all nodes' tasks hold, those of other schedulers and those that are
// leaving included. It is summed when it is asked for and nodes have changed since.
type used struct {
	summed bool
	at     ledger.Cursor // of nodes
	sums   resource.Sums
}

func (u *used) of(l *ledger.Ledger, d resource.Dim) int64 {
	if now := l.Changes.Nodes.Now(); !u.summed || u.at != now {
		u.summed, u.at = true, now
		clear(u.sums)
		l.Nodes.Present(func(n ledger.NodeID) bool {
			for d := range resource.Dim(l.Dims.Len()) {
				u.sums = u.sums.AddAt(d, l.Nodes.Used(d, n))
			}
			return true
		})
	}
	return u.sums.Get(d)
}
