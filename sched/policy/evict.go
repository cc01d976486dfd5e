package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Preemptor is what room is to be freed for: a task that a search is about to place
// (decision 13). What the search placed of the same job before it counts in the ledger
// already.
type Preemptor struct {
	Task  ledger.TaskID
	Job   ledger.JobID
	Queue ledger.QueueID
	// Extra: the job has its minimum, and what is claimed is beyond it.
	Extra bool
	// Want is what it asks for.
	Want resource.Vec
	// Short are the dimensions in which no feasible node has enough FutureIdle; none
	// when it is not room in any one dimension that is missing.
	Short []resource.Dim
	// Lacks are the dimensions in which the node at hand had too little FutureIdle before
	// anybody left; none when it is not room there that is missing.
	Lacks []resource.Dim
	// Rest is what those of the job that are still to be placed with it ask for, it included;
	// nil: it alone.
	Rest resource.Vec
}

// Needs says that victims have to give a dimension: the claim asks for it, and there is too
// little of it on the node at hand or on all that may take it. Where it is not room that is
// missing it is all that the claim asks for.
func (c *Preemptor) Needs(d resource.Dim) bool {
	if d == resource.Pods || c.Want.Get(d) <= 0 {
		return false
	}
	return len(c.Short)+len(c.Lacks) == 0 || slices.Contains(c.Short, d) || slices.Contains(c.Lacks, d)
}

// All is what the job asks for with the claim.
func (c *Preemptor) All(d resource.Dim) int64 { return max(c.Want.Get(d), c.Rest.Get(d)) }

// Unit is what is evicted together or not at all (decision 12): a surplus member, or a
// whole gang. Tasks are in the order in which they would go, at least one; each of them
// holds room now, or has a reservation, which is taken over without anybody being killed.
type Unit struct {
	Queue ledger.QueueID
	Job   ledger.JobID
	Whole bool // what is left of the gang, so that it falls below its minimum
	Tasks []ledger.TaskID
}

// Opinion is an answer to "may this unit be evicted for that claim?". The zero Opinion
// abstains. A rejection says why; one that is a Guard holds in every tier, any other
// only among the plugins of its own (decision 11).
type Opinion struct {
	Vote  Vote
	Guard bool
	// Equal is the rule between equals (decision 11: "equal ones only if drf permits"): a
	// Guard that is Equal holds unless somebody permits the unit, in any tier, as an Equal.
	// Who could have and does not rejects it as one.
	Equal  bool
	Reason trace.Reason
}

// Preemptable judges whether a unit of the claim's own queue may be evicted for it: a
// unit of another job, or of the same (then Unit.Job is Preemptor.Job). For the rest it is
// as Reclaimable.
type Preemptable interface {
	Preemptable(c Preemptor, u Unit) Opinion
}

// EqualPreemptable is a Preemptable that may permit units of jobs whose priority is the
// claim's: without one, searches leave them out unasked.
type EqualPreemptable interface {
	Preemptable
	PreemptsEquals()
}

// VictimCeiling names the priority above which no job of the claim's queue is ever a
// victim of another, so that searches need not ask about those.
type VictimCeiling interface {
	VictimCeiling(c Preemptor) int32
}

// Guard protects units whoever would have them leave: a claim of preempt or reclaim, which
// ask its Preemptable and Reclaimable, or nobody (shuffle). An Opinion that does not reject
// has nothing against it.
type Guard interface {
	GuardUnit(u Unit) Opinion
}

// ByPreemptor is a Preemptable or a Reclaimable that looks at more of the claim's job than its
// queue, its priority, whether it is preemptable, and how many tasks of what class it lacks:
// its answer to one job is none to another, and every job is asked for by itself.
type ByPreemptor interface{ ByPreemptor() }

// JudgesByPreemptor says that one of those who judge victims is ByPreemptor.
func (s *Set) JudgesByPreemptor() bool {
	for i := range s.preemptable {
		for _, p := range s.preemptable[i] {
			if _, by := p.(ByPreemptor); by {
				return true
			}
		}
		for _, p := range s.reclaimable[i] {
			if _, by := p.(ByPreemptor); by {
				return true
			}
		}
	}
	return false
}

// OfJobAlone is a JobStarving, or a JobValid, whose answer about a job follows from what the
// ledger has of that job and its pods: it is asked again only after one of them was touched.
// Where one is not, every job that waits is asked in every cycle.
type OfJobAlone interface{ OfJobAlone() }

// JobsAlone says that whether a job is valid and starves is for every plugin a question of
// the job alone.
func (s *Set) JobsAlone() bool {
	for i := range s.starving {
		for _, p := range s.starving[i] {
			if _, alone := p.(OfJobAlone); !alone {
				return false
			}
		}
		for _, p := range s.jobValid[i] {
			if _, alone := p.(OfJobAlone); !alone {
				return false
			}
		}
	}
	return true
}

// JobStarving says that a job deserves that others be evicted for it (seed 002 §3.1).
type JobStarving interface {
	Starving(j ledger.JobID) bool
}

// Descheduler picks tasks that had better run elsewhere, for the action shuffle; the
// order in which it yields them is theirs to go. reason says why, in a few words.
type Descheduler interface {
	Deschedule(yield func(t ledger.TaskID, reason string) bool)
}

// VictimQueueFilter says at little cost that nothing at all of a queue may be reclaimed for another
// as the ledger stands: false only when every Reclaimable would be refused. Evictions
// only ever turn it from true to false. Who says what queues deserve has to be one: where
// nobody is, nothing is reclaimed, since no queue has more than its due.
type VictimQueueFilter interface {
	MayBeVictimQueue(q, reclaimer ledger.QueueID) bool
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
	Preemptive(c Preemptor) (trace.Reason, bool)
}

// Reclaimable judges whether a unit of another queue may be evicted for a claim, at the
// ledger's present state: units evicted earlier in the same try no longer count for
// their queue, so the caller asks again for each one. It changes nothing. What the
// engine itself sees to (who may be a victim at all, decision 14, and that no gang
// falls below its minimum) it need not ask.
type Reclaimable interface {
	Reclaimable(c Preemptor, u Unit) Opinion
}
