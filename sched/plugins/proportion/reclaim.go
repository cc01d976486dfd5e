package proportion

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Preemptive lets a queue reclaim while all that it would hold is within what it deserves, in every
// dimension that the preemptor asks for: the limit of Allocatable (seed 000 §13, seed 002 §3.3). Which
// dimensions the preemptor is short of makes no difference; that is capacity's rule (decision 15).
func (p *plugin) Preemptive(c policy.Preemptor) (trace.Reason, bool) {
	r := p.refusal(c.Queue, c.Want)
	return r, !r.Is()
}

// Reclaimable permits a unit while its queue holds more than it deserves (seed 000 §8) in a dimension
// that the unit would free and the preemptor lacks: taking what is above in another dimension, or what
// is not needed, would not help. No preemptor brings its queue above what it deserves of anything, and
// nothing is placed above that. So what all queues hold above what they deserve only falls, and no two
// queues take from each other in turn. No queue is left with less than its guarantee of what the unit
// frees, which the seed does not say. A whole gang is not evicted if its queue is no longer above what
// it deserves before the last of its members is evicted (decision 12). All refusals are Guards.
func (p *plugin) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	name := p.l.Queue(u.Queue).Name
	if !p.known(u.Queue) || !p.known(c.Queue) || u.Queue == c.Queue {
		return refuse(trace.Reason{Code: trace.VictimOutside, Queue: name})
	}
	p.weigh(u)
	helps := func(d resource.Dim) bool { return p.counts(d) && p.freed.Get(d) > 0 && c.Needs(d) }
	if !p.some(helps) {
		return refuse(trace.Reason{Code: trace.VictimOfNoUse, Queue: name})
	}
	if r := p.guarded(u.Queue); r.Is() {
		return refuse(r)
	}
	if r := p.within(u.Queue, helps); r.Is() {
		return refuse(r)
	}
	return policy.Opinion{Vote: policy.Permit}
}

func refuse(r trace.Reason) policy.Opinion {
	return policy.Opinion{Vote: policy.Reject, Guard: true, Reason: r}
}

// weigh adds up what a unit frees, and what the last of its tasks does.
func (p *plugin) weigh(u policy.Unit) {
	p.freed, p.last = p.freed[:0], p.last[:0]
	for i, t := range u.Tasks {
		request := p.l.Class(p.l.Task(t).Class).Request
		p.freed = p.freed.Add(request)
		if i == len(u.Tasks)-1 {
			p.last = p.last.CopyFrom(request)
		}
	}
}

func (p *plugin) some(matters func(resource.Dim) bool) bool {
	for d := range resource.Dim(p.l.Dims.Len()) {
		if matters(d) {
			return true
		}
	}
	return false
}

// guarded is the reason why a queue must not lose the unit: it would be left with less than its
// guarantee.
func (p *plugin) guarded(q ledger.QueueID) trace.Reason {
	queue := p.l.Queue(q)
	left := func(d resource.Dim) int64 { return minus(queue.Allocated.Get(d), p.freed.Get(d)) }
	broken := func(d resource.Dim) bool {
		return p.counts(d) && p.freed.Get(d) > 0 && left(d) < queue.Guarantee.Get(d)
	}
	if !p.some(broken) {
		return trace.Reason{}
	}
	return trace.Reason{Code: trace.VictimGuaranteed, Queue: queue.Name, Shorts: trace.ShortsOf(p.l.Dims, broken,
		func(d resource.Dim) trace.Short { return trace.Short{Need: queue.Guarantee.Get(d), Have: left(d)} })}
}

// within is the reason why a queue keeps the unit: with only the last of the unit's tasks left, it
// holds no more than it deserves of any dimension that helps.
func (p *plugin) within(q ledger.QueueID, helps func(resource.Dim) bool) trace.Reason {
	queue, deserved := p.l.Queue(q), p.rows[q].deserved
	held := func(d resource.Dim) int64 { return minus(queue.Allocated.Get(d), p.freed.Get(d)-p.last.Get(d)) }
	if p.some(func(d resource.Dim) bool { return helps(d) && held(d) > deserved.Get(d) }) {
		return trace.Reason{}
	}
	return trace.Reason{Code: trace.VictimDeserved, Queue: queue.Name, Shorts: trace.ShortsOf(p.l.Dims, helps,
		func(d resource.Dim) trace.Short { return trace.Short{Need: deserved.Get(d), Have: held(d)} })}
}

// minus is a - b, limited to the range of int64.
func minus(a, b int64) int64 { return resource.Sum{}.Plus(a).Minus(b).Int64() }
