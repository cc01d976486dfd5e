package capacity

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// backAndForth is the reason why a unit stays although its queue holds more than it
// deserves: it could be claimed back. To be below what it deserves in one dimension is
// enough for a claim (decision 15), and to be above in another for a victim; so two
// queues may each be entitled to what the other holds. Where their ways fork the claim's
// side must come out with a smaller share than the unit's side has before the last of its
// tasks goes: then the larger share of the two never rises, and no state comes back.
//
// That holds for reclaiming. A victim may leave more room than its claim takes, though, and
// what is left over may be borrowed above deserved by whoever comes next, which calls for
// another reclaim: that the two together come to an end is not shown, and where pods are
// large and two dimensions are short in turn they need not.
//
// What its queue could never claim may go without that: see returns.
func (p *plugin) backAndForth(c policy.Claim, u policy.Unit) trace.Reason {
	if !p.returns(u.Queue) {
		return trace.Reason{}
	}
	taker, giver := p.fork(c.Queue, u.Queue)
	if len(p.rows[taker].counts) == 0 && len(p.rows[giver].counts) == 0 {
		taker, giver = c.Queue, u.Queue // neither side has figures of its own to compare
	}
	before := func(d resource.Dim) int64 { return p.last.Get(d) - p.unit.Get(d) }
	if p.shareWith(taker, c.Want.Get).Compare(p.shareWith(giver, before)) < 0 {
		return trace.Reason{}
	}
	queue := p.l.Queue(giver)
	speaks := func(d resource.Dim) bool { return p.gives(d) && p.grants(giver, d) }
	return trace.Reason{Code: trace.VictimDeserved, Queue: queue.Name, Shorts: policy.Shorts(p.l.Dims, speaks,
		func(d resource.Dim) trace.Short {
			return trace.Short{Need: p.deserved(giver, d), Have: sum(queue.Allocated.Get(d), before(d))}
		})}
}

// returns says that a queue might claim the unit that was weighed: it deserves something
// of what the unit gives, or one above that it may claim through does. A best-effort
// queue keeps its guarantee when it gives (guaranteed) and deserves no more than that, so
// it has no claim to what it gave.
func (p *plugin) returns(q ledger.QueueID) bool {
	for at, level := q, int64(0); level <= p.level && p.rows[at].depth > 0; at, level = p.rows[at].up, level+1 {
		if level == 0 && len(p.rows[at].counts) == 0 {
			continue
		}
		for d := range p.unit {
			if d := resource.Dim(d); p.gives(d) && p.deserved(at, d) > 0 {
				return true
			}
		}
	}
	return false
}

// shareWith is share with more (or less) in hand.
func (p *plugin) shareWith(q ledger.QueueID, more func(resource.Dim) int64) fair.Ratio {
	r := &p.rows[q]
	if len(r.counts) == 0 {
		return fair.Share(1, 1)
	}
	var most fair.Ratio
	allocated := p.l.Queue(q).Allocated
	for _, d := range r.counts {
		if !p.offered(d) {
			continue
		}
		if s := fair.Share(sum(allocated.Get(d), more(d)), p.deserved(q, d)); s.Compare(most) > 0 {
			most = s
		}
	}
	return most
}

// sum is a + b, held at the edges of int64.
func sum(a, b int64) int64 { return resource.Sum{}.Plus(a).Plus(b).Int64() }
