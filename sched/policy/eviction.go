package policy

import (
	"math"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Eviction holds the plugins that decide which jobs may have pods evicted for them, and which pods. Its methods say
// how their answers combine.
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

// KnowsQueues says that a plugin knows what queues deserve: there is a VictimQueueFilter.
func (ev *Eviction) KnowsQueues() bool { return some[VictimQueueFilter](ev.queueFilters.tiers...) }

// Starving is rule F: all plugins of the first tier that has any must agree; without plugins, no job starves.
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

// CompareVictimQueues is rule A: the first plugin that prefers one decides; then the queue that is served last comes
// first.
func (ev *Eviction) CompareVictimQueues(a, b, reclaimer ledger.QueueID) int {
	if r := ev.CompareLevels(a, b, reclaimer); r != 0 {
		return r
	}
	return ev.s.CompareQueues(b, a)
}

// CompareLevels is CompareVictimQueues by plugins alone: 0 between queues of one level, which all plugins say are
// equally near to the reclaimer's.
func (ev *Eviction) CompareLevels(a, b, reclaimer ledger.QueueID) int {
	for _, p := range ev.queueOrder {
		if r := p.CompareVictimQueues(a, b, reclaimer); r != 0 {
			return r
		}
	}
	return 0
}

// MayBeVictim is rule B: false when one plugin says that nothing of a queue may be reclaimed, and when no plugin knows
// queues.
func (ev *Eviction) MayBeVictim(q, reclaimer ledger.QueueID) bool {
	asked := false
	for _, tier := range ev.queueFilters.tiers {
		for _, p := range tier {
			if asked = true; !p.MayBeVictimQueue(q, reclaimer) {
				return false
			}
		}
	}
	return asked
}

// Preemptive is rule B: all plugins must agree; without plugins, the queue may. The reason is that of the first plugin
// that does not agree.
func (ev *Eviction) Preemptive(c Preemptor) (trace.Reason, bool) {
	for _, p := range ev.preemptive {
		if r, ok := p.Preemptive(c); !ok {
			return r, false
		}
	}
	return trace.Reason{}, true
}

// Deschedule is rule H: it yields what the plugins of the first tier that picks anything pick, each task once. It does
// not ask guards; the action does.
func (ev *Eviction) Deschedule(yield func(t ledger.TaskID, reason string) bool) {
	for _, tier := range ev.deschedulers.tiers {
		var picked map[ledger.TaskID]bool
		on := true
		for _, p := range tier {
			p.Deschedule(func(t ledger.TaskID, reason string) bool {
				if picked[t] {
					return on // another plugin picked it, too
				}
				if picked == nil {
					picked = map[ledger.TaskID]bool{}
				}
				picked[t] = true
				on = yield(t, reason)
				return on
			})
			if !on {
				return
			}
		}
		if len(picked) > 0 {
			return
		}
	}
}

// Ceiling is the highest priority that a job of the preemptor's queue may have to be a victim: what the plugins say,
// and one less where no plugin may permit jobs of equal priority.
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

// GuardRefusal is the reason of the first guard, in any tier, that protects a unit.
func (ev *Eviction) GuardRefusal(u Unit) trace.Reason {
	for _, p := range ev.guards {
		if o := p.GuardUnit(u); o.Vote == Reject {
			return o.Reason
		}
	}
	return trace.Reason{}
}

// PreemptsEquals says that some plugin may permit a unit of a job of equal priority.
func (ev *Eviction) PreemptsEquals() bool { return some[EqualPreemptable](ev.preemptable.tiers...) }

// JudgesByPreemptor says that a plugin which judges victims is ByPreemptor.
func (ev *Eviction) JudgesByPreemptor() bool {
	return some[ByPreemptor](ev.preemptable.tiers...) || some[ByPreemptor](ev.reclaimable.tiers...)
}

// Judges names the plugins of all tiers that judge victims, those of Reclaimable or those of Preemptable, each once.
func (ev *Eviction) Judges(reclaim bool) []string {
	return unique(slices.Concat(ev.judges(reclaim)...))
}

// QueueFilters names the plugins of all tiers that say which queues may lose tasks, each once.
func (ev *Eviction) QueueFilters() []string { return unique(slices.Concat(ev.queueFilters.names...)) }

// unique is a list with each name once, in the order of the first of each.
func unique(list []string) (out []string) {
	for _, name := range list {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (ev *Eviction) judges(reclaim bool) [][]string {
	if reclaim {
		return ev.reclaimable.names
	}
	return ev.preemptable.names
}

// Permitting names the plugins on which the permission of a unit rests, by their judgment of it: those of the tier that
// decided, and those of other tiers that are named in none before.
func (ev *Eviction) Permitting(reclaim bool, j Judgment) (names []string, others []trace.Permission) {
	if j.Tier == NoTier {
		return nil, nil
	}
	tiers, at := make([][]string, len(ev.judges(reclaim))), 0
	for i, tier := range ev.judges(reclaim) {
		for _, name := range tier {
			if j.Permits>>min(at, 63)&1 == 1 {
				tiers[i] = append(tiers[i], name)
			}
			at++
		}
	}
	names = unique(tiers[j.Tier])
	named := slices.Clone(names)
	for i, tier := range tiers {
		tier = slices.DeleteFunc(unique(tier), func(name string) bool { return slices.Contains(named, name) })
		if len(tier) > 0 {
			others, named = append(others, trace.Permission{Tier: i + 1, Plugins: tier}), append(named, tier...)
		}
	}
	return names, others
}

// NoTier is the tier of a judgment in which no tier permits the unit.
const NoTier = -1

// Judgment is the answer of all plugins about one unit.
type Judgment struct {
	Tier int // the first that permits the unit, with at least one plugin for and none against; else NoTier
	// Permits has bit i where plugin i, counted through all tiers, permits the unit, and the judgment rests on it: it is
	// of that tier, its rejection would have been a Guard, or it permits an equal priority that a guard rejects. Bit 63
	// is for all from the 64th on.
	Permits uint64
}

// Reclaimable is rule G for one unit, after every guard of every tier was asked. Where no tier permits the unit, the
// reason is the first objection, zero when all abstain. A unit that only a later tier permits may be evicted only
// while no unit of its kind (surplus or whole) is permitted by an earlier tier (decisions 11 and 12): the caller uses
// the units of the lowest tier.
func (ev *Eviction) Reclaimable(c Preemptor, u Unit) (Judgment, trace.Reason) {
	return judge(ev.reclaimable.tiers, func(p Reclaimable) Opinion { return p.Reclaimable(c, u) })
}

// Preemptable is rule G, as Reclaimable.
func (ev *Eviction) Preemptable(c Preemptor, u Unit) (Judgment, trace.Reason) {
	return judge(ev.preemptable.tiers, func(p Preemptable) Opinion { return p.Preemptable(c, u) })
}

// judge combines opinions about one unit. A guard that is not about equal priorities (EqualPriority) ends it at
// once. One that is holds unless a plugin of any tier permits the equal priority; then the reason is that of a plugin
// that could have, and did not.
func judge[P any](tiers [][]P, ask func(P) Opinion) (Judgment, trace.Reason) {
	found := Judgment{Tier: NoTier}
	var guards, equals uint64
	var why, equalGuard, notEqual trace.Reason
	at := 0
	for i, tier := range tiers {
		permits, rejected := uint64(0), false
		for _, p := range tier {
			o, this := ask(p), uint64(1)<<min(at, 63)
			at++
			switch {
			case o.Vote == Permit:
				permits |= this
				if o.Guard {
					guards |= this
				}
				if o.EqualPriority {
					equals |= this
				}
				continue
			case o.Vote == Abstain:
				continue
			case o.Guard && !o.EqualPriority:
				return Judgment{Tier: NoTier}, o.Reason
			case o.Guard && !equalGuard.Is():
				equalGuard = o.Reason
			case o.EqualPriority && !o.Guard:
				notEqual = o.Reason
			}
			rejected = true
			if !why.Is() {
				why = o.Reason
			}
		}
		if found.Tier == NoTier && permits != 0 && !rejected {
			found = Judgment{Tier: i, Permits: permits}
		}
	}
	switch {
	case equalGuard.Is() && equals == 0 && notEqual.Is():
		return Judgment{Tier: NoTier}, notEqual
	case equalGuard.Is() && equals == 0:
		return Judgment{Tier: NoTier}, equalGuard
	case found.Tier == NoTier:
		return found, why
	case equalGuard.Is():
		found.Permits |= equals
	}
	found.Permits |= guards
	return found, trace.Reason{}
}
