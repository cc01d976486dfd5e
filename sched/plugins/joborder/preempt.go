package joborder

import (
	"time"

	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// preempting is the order by which jobs that run are stopped, too.
type preempting struct {
	*byFacts
	now int64
}

// At is told the time. No later one changes an answer from no to yes.
func (p *preempting) At(now int64) (next int64) {
	p.now = now
	return 0
}

// Preemptable permits a unit of another job, of equal priority too, that has more left by
// now than the preemptor's job. It has no opinion about the preemptor's own job.
func (p *preempting) Preemptable(c policy.Preemptor, u policy.Unit) policy.Opinion {
	if u.Job == c.Job {
		return policy.Opinion{}
	}
	asks, victim := p.measure(c.Job, p.now), p.measure(u.Job, p.now)
	if asks.compare(victim) < 0 {
		return policy.Opinion{Vote: policy.Permit, EqualPriority: true}
	}
	return policy.Opinion{Vote: policy.Reject, EqualPriority: true, Reason: p.sooner(asks, victim)}
}

// ByPreemptor says that what a job has left is its own.
func (p *preempting) ByPreemptor() {}

// PreemptsEquals says that Preemptable may permit jobs of equal priority.
func (p *preempting) PreemptsEquals() {}

// sooner refuses with what the two have left, where that is a time that is known.
func (p *preempting) sooner(asks, victim size) trace.Reason {
	r := trace.Reason{Code: trace.VictimSooner}
	if p.by == srtf && !asks.unknown && !victim.unknown {
		r.Text = shown(victim) + " left, the one that asks needs " + shown(asks)
	}
	return r
}

func shown(s size) string { return time.Duration(s.low).Round(time.Second).String() }
