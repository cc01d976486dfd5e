package drf

import (
	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// tolerance is by how many millionths shares may differ and still count as equal (seed 002 §4.3,
// shareDelta).
const tolerance = 1

// Preemptable permits a unit of another job, of equal priority, too, when the preemptor's job then has
// at most the share that the unit's job is left with (seed 002 §4.3). It abstains on units of the
// preemptor's own job. It judges the ledger's present state: units chosen before, and only those, count
// as gone.
//
// A unit that is all of a gang leaves its job nothing. A gang that waits with nominations may hold other room besides,
// but cannot start with that: two such gangs would take their nominations from each other in every cycle.
//
// Besides, the preemptor's job must then have a smaller share than the unit's job has now, exactly:
// otherwise two jobs with shares within the tolerance could take small tasks from each other for
// ever. With this rule, the larger share of the two never grows.
func (p *plugin) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if u.Job == c.Job {
		return policy.Opinion{}
	}
	held := p.l.Job(u.Job).Allocated
	with := dominant(p.l, p.l.Job(c.Job).Allocated, c.Want)
	left := fair.Ratio{}
	if !u.Whole {
		p.weigh(u)
		left = dominant(p.l, held, p.loss)
	}
	if with.Within(left, tolerance) && with.Compare(dominant(p.l, held, nil)) < 0 {
		return policy.Opinion{Vote: policy.Permit, EqualPriority: true}
	}
	return unfair(with, left)
}

// PreemptsEquals says that Preemptable may permit jobs of equal priority.
func (p *plugin) PreemptsEquals() {}

// weigh adds up what a unit's tasks hold, as negative amounts.
func (p *plugin) weigh(u policy.Unit) {
	p.loss = p.loss[:0]
	for _, t := range u.Tasks {
		p.loss = p.loss.Sub(p.l.Request(t))
	}
}

// unfair refuses with the share that the preemptor's side would have, and the share that the victim's
// would be left with.
func unfair(with, left fair.Ratio) policy.Opinion {
	return policy.Opinion{Vote: policy.Reject, EqualPriority: true, Reason: trace.Reason{Code: trace.VictimShare,
		Text: percent(with) + ", the victim would be left with " + percent(left)}}
}

// percent writes a share with three decimal places: 12.5%.
func percent(r fair.Ratio) string { return thousandths((r.Micro()+5)/10) + "%" }
