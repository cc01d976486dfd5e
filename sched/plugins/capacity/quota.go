package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Allocatable is how many more tasks of a class fit within realCapability of the queue and of every
// ancestor, in the dimensions that they ask for (seed 001 §5.3, decision 5), and leave the guarantees
// of others free.
func (p *plugin) Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64 {
	if !p.bounds.takes(q) {
		return 0
	}
	need := p.l.Class(c).Need
	for at := q; at != ledger.NoQueue; at = p.rows[at].up {
		queue := p.l.Queue(at)
		for i := range need {
			if place := p.bounds.place(at, need[i].Dim); place.Bounded {
				left := max(0, room(place.Value, queue.Taken(need[i].Dim)))
				want = min(want, left/need[i].Amount)
			}
		}
	}
	return p.guarantees.beyondGuarantees(q, need, want)
}

// room is limit - held; held may be at the end of int64's range, and limit is not negative.
func room(limit, held int64) int64 { return resource.Sum{}.Plus(limit).Minus(held).Int64() }

// WhyNot names the first queue on the path to root that has no room for one more task, and the
// dimensions: Need is what it would hold, Have what it may hold. Otherwise it names the first queue
// that would not leave the guarantees of others free.
func (p *plugin) WhyNot(q ledger.QueueID, c ledger.ClassID) trace.Reason {
	if r, ok := p.closed(q); ok {
		return r
	}
	return p.above(q, p.l.Class(c).Request)
}

// closed is why a queue takes no tasks at all.
func (p *plugin) closed(q ledger.QueueID) (trace.Reason, bool) {
	queue := p.l.Queue(q)
	r := trace.Reason{Queue: queue.Name}
	switch {
	case p.bounds.takes(q):
		return trace.Reason{}, false
	case queue.State() != model.QueueOpen:
		r.Code, r.Text = trace.QueueNotOpen, queue.State().String()
	case !queue.Leaf():
		r.Code = trace.QueueNotLeaf
	default:
		r.Code = trace.QueueNotFound
	}
	return r, true
}

// above is the reason why what a task asks for does not fit into a queue and its ancestors; the zero
// Reason when it does.
func (p *plugin) above(q ledger.QueueID, want resource.Vec) trace.Reason {
	for at := q; at != ledger.NoQueue; at = p.rows[at].up {
		queue := p.l.Queue(at)
		limit := func(d resource.Dim) fair.Limit { return p.bounds.place(at, d) }
		shorts := p.shorts(limit, want, func(d resource.Dim) int64 { return sum(p.taken(at, d), want.Get(d)) })
		if len(shorts) > 0 {
			return trace.Reason{Code: trace.QueueCapability, Queue: queue.Name, Shorts: shorts,
				Text: queue.KeptRoomText(p.l.Dims, shorts)}
		}
	}
	return p.guarantees.refusal(q, want)
}

// shorts lists the dimensions that want asks for and in which future is above the limit.
func (p *plugin) shorts(limit func(resource.Dim) fair.Limit, want resource.Vec,
	future func(resource.Dim) int64) []trace.Short {
	return trace.ShortsOf(p.l.Dims, func(d resource.Dim) bool {
		return want.Get(d) > 0 && limit(d).Bounded && future(d) > limit(d).Value
	}, func(d resource.Dim) trace.Short { return trace.Short{Need: future(d), Have: limit(d).Value} })
}

// VoteEnqueue permits a job while minResources + allocated + inqueue - elastic of its queue and of
// every ancestor stay within the limit of admit, in the dimensions that minResources names (seed 001
// §5.4, decision 10). The part of its minResources that the job holds already is in allocated, and
// counts once. Root is limited only by what a user's Queue root names as capability (decision 6).
func (p *plugin) VoteEnqueue(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, false) }

// VoteLoan is VoteEnqueue without counting what the queues' jobs lend.
func (p *plugin) VoteLoan(j ledger.JobID) (policy.Vote, trace.Reason) { return p.vote(j, true) }

func (p *plugin) vote(j ledger.JobID, loan bool) (policy.Vote, trace.Reason) {
	job := p.l.Job(j)
	if r, ok := p.closed(job.Queue); ok {
		return policy.Reject, r
	}
	if !job.HasMin {
		return policy.Permit, trace.Reason{}
	}
	for at := job.Queue; at != ledger.NoQueue; at = p.rows[at].up {
		queue := p.l.Queue(at)
		limit := func(d resource.Dim) fair.Limit { return p.bounds.admit(at, d) }
		shorts := p.shorts(limit, job.MinResources, func(d resource.Dim) int64 {
			return resource.Sum{}.Plus(job.Asks(d)).Plus(queue.Allocated.Get(d)).
				Plus(queue.InqueueAmount(d, loan)).Minus(queue.Elastic.Get(d)).Int64()
		})
		if len(shorts) > 0 {
			return policy.Reject, trace.Reason{Code: trace.QueueQuotaInsufficient, Queue: queue.Name, Shorts: shorts}
		}
	}
	return policy.Permit, trace.Reason{}
}
