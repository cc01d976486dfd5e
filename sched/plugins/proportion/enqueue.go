package proportion

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// VoteEnqueue permits a job while minResources + allocated + inqueue - elastic is within realCapability
// in the dimensions that minResources names (seed 000 §9, decision 10). The part of its minResources
// that the job holds already is in allocated, and counts once. A dimension that no node offers is
// limited by the queue's capability alone, so that a cluster can scale up from zero: operators create
// pods only after this vote (decision 6).
func (p *plugin) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, false) }

// VoteLoan is VoteEnqueue without counting what the queue's jobs lend.
func (p *plugin) VoteLoan(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, true) }

func (p *plugin) vote(j ledger.JobID, loan bool) (policy.Vote, trace.Reason) {
	job := p.l.Job(j)
	queue := p.l.Queue(job.Queue)
	r := trace.Reason{Queue: queue.Name}
	if queue.State() != model.QueueOpen {
		r.Code, r.Text = trace.QueueNotOpen, queue.State().String()
		return policy.Reject, r
	}
	if !job.HasMin || !p.known(job.Queue) {
		return policy.Permit, trace.Reason{}
	}
	r.Shorts = trace.ShortsOf(p.l.Dims, func(d resource.Dim) bool {
		limit, bounded := p.mayHold(job.Queue, d)
		return bounded && job.MinResources.Get(d) > 0 && p.future(job, d, loan) > limit
	}, func(d resource.Dim) trace.Short {
		limit, _ := p.mayHold(job.Queue, d)
		return trace.Short{Need: p.future(job, d, loan), Have: limit}
	})
	if len(r.Shorts) == 0 {
		return policy.Permit, trace.Reason{}
	}
	r.Code = trace.QueueQuotaInsufficient
	return policy.Reject, r
}

// future is what a queue would hold and keep for admitted jobs if a job were admitted.
func (p *plugin) future(job *ledger.Job, d resource.Dim, loan bool) int64 {
	queue := p.l.Queue(job.Queue)
	return resource.Sum{}.Plus(job.Asks(d)).Plus(queue.Allocated.Get(d)).
		Plus(queue.InqueueAmount(d, loan)).Minus(queue.Elastic.Get(d)).Int64()
}

func (p *plugin) mayHold(q ledger.QueueID, d resource.Dim) (int64, bool) {
	if !p.counts(d) {
		return p.l.Queue(q).Capability.Bound(d)
	}
	return p.rows[q].real.Get(d), true
}
