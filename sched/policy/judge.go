package policy

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Eviction holds the plugins that decide which jobs may have pods evicted for them, and which pods.
type Eviction struct {
	s *Set

	queueOrder   []VictimQueueOrder
	preemptive   []Preemptive
	reclaimable  chain[Reclaimable]
	preemptable  chain[Preemptable]
	starving     chain[JobStarving]
	queueFilters chain[VictimQueueFilter]
	ceilings     []VictimCeiling
	guards       []Guard
	deschedulers chain[Descheduler]
}

// How the answers about victims and starving jobs combine.

// KnowsQueues says that a plugin knows what queues deserve: there is a VictimQueueFilter.
func (ev *Eviction) KnowsQueues() bool {
	for _, tier := range ev.queueFilters.tiers {
		if len(tier) > 0 {
			return true
		}
	}
	return false
}

// Starving is rule F: all plugins of the first tier that has any must agree; without plugins, no job
// starves.
func (ev *Eviction) Starving(j ledger.JobID) bool {
	for _, tier := range ev.starving.tiers {
		for _, p := range tier {
			if !p.Starving(j) {
				return false
			}
		}
		if len(tier) > 0 {
			return true
		}
	}
	return false
}

// CompareQueues is rule A: the first plugin that prefers one decides; then the queue that is
// served last comes first.
func (ev *Eviction) CompareQueues(a, b, reclaimer ledger.QueueID) int {
	if r := ev.NearerQueue(a, b, reclaimer); r != 0 {
		return r
	}
	return ev.s.CompareQueues(b, a)
}

// NearerQueue is CompareVictimQueues by plugins alone: 0 between queues that all plugins say are
// equally near to the reclaimer's.
func (ev *Eviction) NearerQueue(a, b, reclaimer ledger.QueueID) int {
	for _, p := range ev.queueOrder {
		if r := p.CompareVictimQueues(a, b, reclaimer); r != 0 {
			return r
		}
	}
	return 0
}

// MayBeVictim is rule B: false when one plugin says that nothing of a queue may be reclaimed, and
// when no plugin knows queues.
func (ev *Eviction) MayBeVictim(q, reclaimer ledger.QueueID) bool {
	asked := false
	for _, tier := range ev.queueFilters.tiers {
		for _, p := range tier {
			asked = true
			if !p.MayBeVictimQueue(q, reclaimer) {
				return false
			}
		}
	}
	return asked
}

// Preemptive is rule B: all plugins must agree; without plugins, the queue may. The reason is that of
// the first plugin that does not agree.
func (ev *Eviction) Preemptive(c Preemptor) (trace.Reason, bool) {
	for _, p := range ev.preemptive {
		if r, ok := p.Preemptive(c); !ok {
			return r, false
		}
	}
	return trace.Reason{}, true
}

// Deschedule is rule H: it yields what the plugins of the first tier that picks anything pick, each
// task once. It does not ask guards; the action does.
func (ev *Eviction) Deschedule(yield func(t ledger.TaskID, reason string) bool) {
	for _, tier := range ev.deschedulers.tiers {
		any, on := false, true
		for _, p := range tier {
			p.Deschedule(func(t ledger.TaskID, reason string) bool {
				any = true
				on = yield(t, reason)
				return on
			})
			if !on {
				return
			}
		}
		if any {
			return
		}
	}
}

// Ceiling is the highest priority that a job of the preemptor's queue may have to be a victim:
// what the plugins say, and one less where no plugin may permit jobs of equal priority.
func (ev *Eviction) Ceiling(c Preemptor) int32 {
	most := int32(math.MaxInt32)
	for _, p := range ev.ceilings {
		at := p.VictimCeiling(c)
		if !ev.PreemptsEquals() && at > math.MinInt32 {
			at--
		}
		most = min(most, at)
	}
	return most
}

// Guarded is the reason of the first guard, in any tier, that protects a unit.
func (ev *Eviction) Guarded(u Unit) trace.Reason {
	for _, p := range ev.guards {
		if o := p.GuardUnit(u); o.Vote == Reject {
			return o.Reason
		}
	}
	return trace.Reason{}
}

// PreemptsEquals says that some plugin may permit a unit of a job of equal priority.
func (ev *Eviction) PreemptsEquals() bool { return some[EqualPreemptable](ev.preemptable.tiers...) }

// NoTier is the answer of Reclaimable and Preemptable when no plugin permits a unit.
const NoTier = -1

// Reclaimable is rule G for one unit: the first tier that permits it, with at least one plugin for and
// none against, after every guard of every tier was asked. Otherwise it is NoTier and the first
// objection; the zero Reason when all abstain. A unit that only a later tier permits may be evicted
// only while no unit of its kind (surplus or whole) is permitted by an earlier tier (decisions 11 and
// 12): the caller uses the units of the lowest tier.
func (ev *Eviction) Reclaimable(c Preemptor, u Unit) (int, trace.Reason) {
	var j judgement
	for i, tier := range ev.reclaimable.tiers {
		j.tier = i
		for _, p := range tier {
			if j.hear(p.Reclaimable(c, u)) {
				break
			}
		}
		j.endTier()
	}
	return j.verdict()
}

// Preemptable is rule G, as Reclaimable.
func (ev *Eviction) Preemptable(c Preemptor, u Unit) (int, trace.Reason) {
	var j judgement
	for i, tier := range ev.preemptable.tiers {
		j.tier = i
		for _, p := range tier {
			if j.hear(p.Preemptable(c, u)) {
				break
			}
		}
		j.endTier()
	}
	return j.verdict()
}

// judgement combines opinions about one unit.
type judgement struct {
	tier                int
	permitted, rejected bool // in this tier
	found               int  // the first tier that permits, plus one; 0: none yet
	equals              bool // a plugin permits it as an Equal
	guard, why          trace.Reason
	equalGuard          trace.Reason // the objection of a Guard that is Equal
	notEqual            trace.Reason // why a plugin that could permit it as an Equal does not
}

// hear takes an opinion in; true when no further opinion can change the result.
func (j *judgement) hear(o Opinion) bool {
	switch {
	case o.Vote == Permit:
		j.permitted = true
		j.equals = j.equals || o.Equal
	case o.Vote == Reject:
		j.rejected = true
		if o.Guard && !o.Equal {
			j.guard = o.Reason
		}
		if o.Guard && o.Equal && !j.equalGuard.Is() {
			j.equalGuard = o.Reason
		}
		if !o.Guard && o.Equal {
			j.notEqual = o.Reason
		}
		if !j.why.Is() {
			j.why = o.Reason
		}
	}
	return j.guard.Is()
}

func (j *judgement) endTier() {
	if j.found == 0 && j.permitted && !j.rejected {
		j.found = j.tier + 1
	}
	j.permitted, j.rejected = false, false
}

func (j *judgement) verdict() (int, trace.Reason) {
	switch {
	case j.guard.Is():
		return NoTier, j.guard
	case j.equalGuard.Is() && !j.equals && j.notEqual.Is():
		return NoTier, j.notEqual
	case j.equalGuard.Is() && !j.equals:
		return NoTier, j.equalGuard
	case j.found == 0:
		return NoTier, j.why
	default:
		return j.found - 1, trace.Reason{}
	}
}
