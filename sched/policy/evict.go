package policy

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Claim is what room is to be freed for: the tasks that one search is about to place,
// of one job (decision 13).
type Claim struct {
	Job   ledger.JobID
	Queue ledger.QueueID
	// Want is what they ask for together.
	Want resource.Vec
	// Short are the dimensions in which no feasible node has enough FutureIdle; none
	// when it is not room in any one dimension that is missing.
	Short []resource.Dim
}

// Unit is what is evicted together or not at all (decision 12): a surplus member, or a
// whole gang. Tasks are in the order in which they would go, at least one; all hold
// room now.
type Unit struct {
	Queue ledger.QueueID
	Job   ledger.JobID
	Tasks []ledger.TaskID
}

// Opinion is an answer to "may this unit be evicted for that claim?". The zero Opinion
// abstains. A rejection says why; one that is a Guard holds in every tier, any other
// only among the plugins of its own (decision 11).
type Opinion struct {
	Vote   Vote
	Guard  bool
	Reason trace.Reason
}

// VictimQueueOrder says from which of two queues a claim of queue reclaimer takes
// first: negative for a. No flag turns it off.
type VictimQueueOrder interface {
	CompareVictimQueues(a, b, reclaimer ledger.QueueID) int
}

// Preemptive says whether a queue may take what a claim wants from other queues, and if
// not, why (decision 15). It belongs to reclaim. It judges the ledger as it stands: ask
// inside the try, with the victims evicted and the claim's tasks not placed yet. Asked
// before anybody is evicted it tells at little cost whether to begin at all: a refusal
// with QueueCapability may turn once victims are gone, one with QueueDeserved does not,
// as nobody is evicted from the claim's own queue (with capacity's ancestorReclaimLevel
// it may turn too).
type Preemptive interface {
	Preemptive(c Claim) (trace.Reason, bool)
}

// Reclaimable judges whether a unit of another queue may be evicted for a claim, at the
// ledger's present state: units evicted earlier in the same try no longer count for
// their queue, so the caller asks again for each one. It changes nothing. What the
// engine itself sees to (who may be a victim at all, decision 14, and that no gang
// falls below its minimum) it need not ask.
type Reclaimable interface {
	Reclaimable(c Claim, u Unit) Opinion
}

// CompareVictimQueues is rule A: the first plugin that prefers one decides; then the
// queue that is served last.
func (s *Set) CompareVictimQueues(a, b, reclaimer ledger.QueueID) int {
	for _, tier := range s.victimQueueOrder {
		for _, p := range tier {
			if r := p.CompareVictimQueues(a, b, reclaimer); r != 0 {
				return r
			}
		}
	}
	return s.CompareQueues(b, a)
}

// Preemptive is rule B: all must agree; nobody asked, it may. The reason is that of the
// first who does not.
func (s *Set) Preemptive(c Claim) (trace.Reason, bool) {
	for _, tier := range s.preemptive {
		for _, p := range tier {
			if r, ok := p.Preemptive(c); !ok {
				return r, false
			}
		}
	}
	return trace.Reason{}, true
}

// NoTier is the answer of Reclaimable when nobody permits a unit.
const NoTier = -1

// Reclaimable is rule G for one unit: the first tier that permits it, one plugin at
// least and none against, after every guard of every tier was asked; otherwise NoTier
// and the first objection, none when all abstain. A unit that only a later tier permits
// may go only while no unit at all is permitted by an earlier one (decision 11): the
// caller takes units of the lowest tier that it is given.
func (s *Set) Reclaimable(c Claim, u Unit) (int, trace.Reason) {
	found, why := NoTier, trace.Reason{}
	for i, tier := range s.reclaimable {
		permitted, rejected := false, false
		for _, p := range tier {
			o := p.Reclaimable(c, u)
			if o.Vote == Reject && o.Guard {
				return NoTier, o.Reason
			}
			if o.Vote == Reject && !why.Is() {
				why = o.Reason
			}
			permitted = permitted || o.Vote == Permit
			rejected = rejected || o.Vote == Reject
		}
		if found == NoTier && permitted && !rejected {
			found = i
		}
	}
	if found != NoTier {
		why = trace.Reason{}
	}
	return found, why
}
