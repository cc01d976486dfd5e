package policy

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Preemptor is the task that room is to be freed for, which a search is about to place (decision 13). Tasks of the
// same job that the search placed before it count in the ledger already.
type Preemptor struct {
	Task  ledger.TaskID
	Job   ledger.JobID
	Queue ledger.QueueID
	// Extra: the job has its minimum, and this task is above it.
	Extra bool
	// Want is what the task asks for.
	Want resource.Vec
	// ShortOnAll are the dimensions in which no feasible node has enough FutureIdle; none when no single dimension is
	// short on all of them.
	ShortOnAll []resource.Dim
	// ShortOnNode are the dimensions in which the current node had too little FutureIdle before any eviction; none
	// when the node is short of none.
	ShortOnNode []resource.Dim
	// Rest is the sum of what the tasks ask for that the job still has to place together with this one, this one
	// included; nil: only this one.
	Rest resource.Vec
}

// Needs says that victims have to free a dimension: the preemptor asks for it, and there is too little of it on the
// current node, or on all nodes that may take the preemptor. Where no dimension is short, it is true for all that the
// preemptor asks for.
func (c *Preemptor) Needs(d resource.Dim) bool {
	if d == resource.Pods || c.Want.Get(d) <= 0 {
		return false
	}
	return len(c.ShortOnAll)+len(c.ShortOnNode) == 0 || slices.Contains(c.ShortOnAll, d) || slices.Contains(c.ShortOnNode,
		d)
}

// All is what the job asks for in a dimension, with the preemptor.
func (c *Preemptor) All(d resource.Dim) int64 { return max(c.Want.Get(d), c.Rest.Get(d)) }

// Unit is what is evicted together or not at all (decision 12): a surplus member, or a whole gang. Tasks, at least
// one, are in the order of eviction. Each of them holds room now, or has a nomination, which can be taken over
// without evicting a pod.
type Unit struct {
	Queue   ledger.QueueID
	Job     ledger.JobID
	Whole   bool // all that is left of the gang, which falls below its minimum
	Surplus int  // of a whole gang: so many of Tasks, the first, could go one by one; the others only together
	Tasks   []ledger.TaskID
}

// Together are the tasks of a unit that can only go together.
func (u Unit) Together() []ledger.TaskID { return u.Tasks[u.Surplus:] }

// WhyStays is the code of a unit that stays because its queue holds no more than it deserves once its Surplus tasks are
// gone.
func (u Unit) WhyStays() trace.Code {
	if u.Surplus > 0 && len(u.Together()) > 1 {
		return trace.VictimMinimum
	}
	return trace.VictimDeserved // a single member that stays stays as every pod does
}

// Opinion is an answer to "may this unit be evicted for that preemptor?". The zero Opinion abstains. A rejection has a
// reason. A rejection that is a Guard holds in every tier, any other only among the plugins of its own tier (decision
// 11). A permission that is a Guard decides as any other does; since a rejection would have held in every tier, the
// record of the eviction names its plugin whatever tier decided.
type Opinion struct {
	Vote  Vote
	Guard bool
	// EqualPriority marks the opinions about a unit of equal priority. Plugin priority rejects it as a Guard with this
	// mark: that holds unless a plugin of any tier permits the unit with the mark. Plugin drf is such a plugin: it
	// permits the unit, or rejects it, with the mark (decision 11).
	EqualPriority bool
	Reason        trace.Reason
}

// GuardAgainst is the rejection of a unit that holds in every tier.
func GuardAgainst(r trace.Reason) Opinion { return Opinion{Vote: Reject, Guard: true, Reason: r} }

// Preemptable judges whether a unit of the preemptor's own queue may be evicted for it: a unit of another job, or of
// the same job (then Unit.Job is Preemptor.Job). Otherwise it is as Reclaimable.
type Preemptable interface {
	Preemptable(c Preemptor, u Unit) Opinion
}

// EqualPreemptable is a Preemptable that may permit units of jobs with the preemptor's priority. Without one, searches
// leave such units out without a call.
type EqualPreemptable interface {
	Preemptable
	PreemptsEquals()
}

// VictimCeiling is the priority above which no job of the preemptor's queue is ever a victim of another job, so that
// searches need not try those.
type VictimCeiling interface {
	VictimCeiling(c Preemptor) int32
}

// Guard protects units from every eviction. Preempt and reclaim call its Preemptable and Reclaimable, with a Guard as
// Opinion; what serves no preemptor (shuffle) calls GuardUnit. An Opinion that does not reject leaves the unit
// unprotected.
type Guard interface {
	Preemptable
	Reclaimable
	GuardUnit(u Unit) Opinion
}

// ByPreemptor is a Preemptable or a Reclaimable that depends on more of the preemptor's job than its queue, its
// priority, whether it is preemptable, and how many tasks of what class it lacks. Its answer for one job says nothing
// about another, so every job is tried by itself.
type ByPreemptor interface{ ByPreemptor() }

// OfJobAlone is a JobStarving, or a JobValid, with an answer about a job that depends only on what the ledger has of
// that job and its pods: it is called again only after one of them changed. Where a plugin is not OfJobAlone, it is
// called for every waiting job in every cycle.
type OfJobAlone interface{ OfJobAlone() }

// JobStarving says that pods may be evicted for a job (seed 002 §3.1).
type JobStarving interface {
	Starving(j ledger.JobID) bool
}

// Descheduler picks tasks that would run better elsewhere, for the action shuffle. It yields them in the order of
// eviction. reason says why, in a few words.
type Descheduler interface {
	Deschedule(yield func(t ledger.TaskID, reason string) bool)
}

// VictimQueueFilter says at little cost that nothing at all of a queue may be reclaimed for another queue as the
// ledger stands: false only when every Reclaimable would refuse. Evictions only ever turn it from true to false. A
// plugin that says what queues deserve has to be one: where there is none, nothing is reclaimed, since no queue has
// more than it deserves.
type VictimQueueFilter interface {
	MayBeVictimQueue(q, reclaimer ledger.QueueID) bool
}

// VictimQueueOrder says from which of two queues a preemptor of the queue reclaimer takes first: negative for a. No
// flag turns it off.
type VictimQueueOrder interface {
	CompareVictimQueues(a, b, reclaimer ledger.QueueID) int
}

// Preemptive says whether a queue may take what a preemptor needs from other queues, and if not, why (decision 15). It
// belongs to reclaim. It judges the ledger as it stands: call it inside the try, with the victims evicted and the
// preemptor not placed yet. Called before any eviction, it says at little cost whether to begin at all. A refusal with
// QueueCapability may change once victims are gone. One with QueueDeserved is taken as final: no pod of the
// preemptor's own queue is evicted. What an ancestor holds falls with capacity's ancestorReclaimLevel when pods below
// it are evicted, but Reclaimable judges these by the queues below that ancestor.
type Preemptive interface {
	Preemptive(c Preemptor) (trace.Reason, bool)
}

// Reclaimable judges whether a unit of another queue may be evicted for a preemptor, in the ledger's present state:
// units evicted earlier in the same try no longer count in their queue, so the caller asks again for each unit. It
// changes nothing. It need not check what the engine itself ensures: which tasks may be victims at all (decision 14),
// and that no gang falls below its minimum.
type Reclaimable interface {
	Reclaimable(c Preemptor, u Unit) Opinion
}
