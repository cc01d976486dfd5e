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
// frees, which Volcano does not look at. What can only go together is judged as one, as a pod of that size would be
// (decision 12). All refusals are Guards.
func (p *plugin) Reclaimable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	name := p.l.Queue(u.Queue).Name
	if !p.known(u.Queue) || !p.known(c.Queue) || u.Queue == c.Queue {
		return policy.GuardAgainst(trace.Reason{Code: trace.VictimOutside, Queue: name})
	}
	p.weigh(u)
	helps := func(d resource.Dim) bool { return p.counts(d) && p.freed.Get(d) > 0 && c.Needs(d) }
	if !p.some(helps) {
		return policy.GuardAgainst(trace.Reason{Code: trace.VictimOfNoUse, Queue: name})
	}
	if r := p.guarded(u.Queue); r.Is() {
		return policy.GuardAgainst(r)
	}
	if r := p.within(u, helps); r.Is() {
		return policy.GuardAgainst(r)
	}
	return policy.Opinion{Vote: policy.Permit, Guard: true}
}

// weigh adds up what a unit frees, and what of it can only go together.
func (p *plugin) weigh(u policy.Unit) {
	p.freed, p.together = p.freed[:0], p.together[:0]
	for _, t := range u.Together() {
		p.together = p.together.Add(p.l.Request(t))
	}
	p.freed = p.freed.CopyFrom(p.together)
	for _, t := range u.Tasks[:u.Surplus] {
		p.freed = p.freed.Add(p.l.Request(t))
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

// within is the reason why a queue keeps the unit: once those of its tasks are gone that could go one by one, it holds
// no more than it deserves of any dimension that helps.
func (p *plugin) within(u policy.Unit, helps func(resource.Dim) bool) trace.Reason {
	queue, deserved := p.l.Queue(u.Queue), p.rows[u.Queue].deserved
	held := func(d resource.Dim) int64 { return minus(queue.Allocated.Get(d), p.freed.Get(d)-p.together.Get(d)) }
	if p.some(func(d resource.Dim) bool { return helps(d) && held(d) > deserved.Get(d) }) {
		return trace.Reason{}
	}
	return trace.Reason{Code: u.WhyStays(), Queue: queue.Name, Shorts: trace.ShortsOf(p.l.Dims, helps,
		func(d resource.Dim) trace.Short { return trace.Short{Need: deserved.Get(d), Have: held(d)} })}
}

// minus is a - b, limited to the range of int64.
func minus(a, b int64) int64 { return resource.Sum{}.Plus(a).Minus(b).Int64() }
