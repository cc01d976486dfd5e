package policy

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Point names an extension point as the configuration's flags do (enableJobOrder is
// JobOrder's).
type Point string

// The points whose flags a configuration may turn off. JobValid and VictimQueueOrder
// have none.
const (
	PointQueueOrder   Point = "QueueOrder"
	PointJobOrder     Point = "JobOrder"
	PointTaskOrder    Point = "TaskOrder"
	PointJobEnqueued  Point = "JobEnqueued" // JobEnqueueable; the ledger itself reserves what is admitted
	PointJobReady     Point = "JobReady"
	PointJobPipelined Point = "JobPipelined"
	PointOverused     Point = "Overused"
	PointAllocatable  Point = "Allocatable"
	PointPredicate    Point = "Predicate" // PrePredicate and all filters
	PointNodeOrder    Point = "NodeOrder" // BatchNodeOrder too
	PointBestNode     Point = "BestNode"
	PointPreemptive   Point = "Preemptive"
	PointReclaimable  Point = "Reclaimable"
	PointPreemptable  Point = "Preemptable"
	PointJobStarving  Point = "JobStarving"
	PointVictim       Point = "Victim" // Descheduler
)

// Opener is told that a cycle begins. What it derives from the ledger then stands
// still for the whole cycle.
type Opener interface {
	Open(rec *trace.Recorder)
}

// Clock is a plugin whose answers change with time alone. At tells it the time of the
// cycle, before Open, and returns the earliest time after it at which an answer may
// change without a new fact, 0 when there is none. Both are nanoseconds since the epoch.
type Clock interface {
	At(now int64) (next int64)
}

// QueueOrder says which of two queues is served first: negative for a.
type QueueOrder interface {
	CompareQueues(a, b ledger.QueueID) int
}

// QueueTreeOrder is a QueueOrder in which serving one queue may move others, as an order by
// what common ancestors hold does: the rotation then sorts its queues anew each time,
// unless it is a TreeOrder.
type QueueTreeOrder interface {
	QueueOrder
	ServingMovesOthers() bool
}

// JobOrder says which of two jobs of a queue is served first: negative for a.
type JobOrder interface {
	CompareJobs(a, b ledger.JobID) int
}

// TaskOrder says which of two tasks of a job is placed first: negative for a.
type TaskOrder interface {
	CompareTasks(a, b ledger.TaskID) int
}

// JobValid says why a job is no candidate at all; the zero Reason when it is one.
type JobValid interface {
	ValidateJob(j ledger.JobID) trace.Reason
}

// JobEnqueueable votes on whether a job may leave Pending; a Reject says why.
type JobEnqueueable interface {
	VoteEnqueue(j ledger.JobID) (Vote, trace.Reason)
}

// JobLoanable is a JobEnqueueable that counts what jobs let in keep (Queue.Inqueue). VoteLoan
// is VoteEnqueue for a job that would start at once: what they lend is not counted (Queue.Lent).
type JobLoanable interface {
	VoteLoan(j ledger.JobID) (Vote, trace.Reason)
}

// JobReady says that a job's statement may be committed.
type JobReady interface {
	Ready(j ledger.JobID) bool
}

// JobPipelined votes on whether a job would be ready once the room promised to it is
// free.
type JobPipelined interface {
	VotePipelined(j ledger.JobID) Vote
}

// OnlyWhole is a JobPipelined that rejects every job that would stay short of its
// minimum. Where all are, nobody holds room in part.
type OnlyWhole interface {
	JobPipelined
	OnlyWhole()
}

// Overused says that a queue is to be served no more this cycle, and why.
type Overused interface {
	Overused(q ledger.QueueID) (trace.Reason, bool)
}

// Allocatable says how many more tasks of a class a queue may take, at most want: a
// gang's room in its queue is settled by one division instead of one question a task.
// WhyNot is the reason when the answer was less than wanted.
type Allocatable interface {
	Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64
	WhyNot(q ledger.QueueID, c ledger.ClassID) trace.Reason
}

// PrePredicate is asked once for a task before any node is: a Verdict that does not
// admit refuses the task everywhere.
type PrePredicate interface {
	PrePredicate(t ledger.TaskID) Verdict
}

// StaticFilter judges a node for a class by facts alone: its answer holds until one
// of the two changes.
type StaticFilter interface {
	FilterStatic(s *model.Spec, n *model.Node) Verdict
}

// NodeFilter judges a node for a class by who sits on that node, besides the room in
// its vector, which the engine checks itself. future: with those who are leaving gone.
type NodeFilter interface {
	Concerns(s *model.Spec) bool
	FilterNode(c *ledger.Class, n ledger.NodeID, future bool) Verdict
}

// DomainFilter judges a node for a class by who sits in the node's domains: among the nodes
// that have the same value of a label. What happens on one node can change its answer for
// many.
type DomainFilter interface {
	// ConcernsDomains says that it has something to say of a class at all.
	ConcernsDomains(c *ledger.Class) bool
	// DomainKeys are the labels whose domains its answers for a class rest on. The slice
	// stays as it is.
	DomainKeys(c *ledger.Class) []string
	// FilterDomains judges a node: future with those who are leaving gone. Of parts, those
	// that rest on keys[i] are left out where parts[i] is false; nil: none is. The verdict
	// rests on who sits in the node's domains of these keys, on facts, and on DomainMark.
	FilterDomains(c *ledger.Class, n ledger.NodeID, future bool, parts []bool) Verdict
	// DomainMark differs where the answers of those parts may be others for nodes in whose
	// domains nothing has happened.
	DomainMark(c *ledger.Class, parts []bool) uint64
}

// Colocator is a DomainFilter by which pods of one class may have to share a domain with each
// other, so that where the first of them goes the others have to follow.
type Colocator interface {
	DomainFilter
	// ColocationKeys are the labels whose domains pods of the class share; none where they need
	// not, or where somebody sits already, or will, whom the next of them has to join.
	ColocationKeys(c *ledger.Class) []string
}

// DomainOrder scores nodes for a class by who sits in their domains, in relation to all
// nodes that would take it: it adds to scores[i] what nodes[i] is worth. Of nodes that have
// equal values of all its keys one may stand for all.
type DomainOrder interface {
	ConcernsDomains(c *ledger.Class) bool
	DomainKeys(c *ledger.Class) []string
	ScoreDomains(c *ledger.Class, nodes []ledger.NodeID, scores []int64)
}

// TaskFilter judges a node for one task by anything at all: volumes, devices, another
// scheduler's plugin. It is asked about the best candidate, then the next, until one
// passes.
type TaskFilter interface {
	Concerns(s *model.Spec) bool
	FilterTask(t ledger.TaskID, n ledger.NodeID, future bool) Verdict
}

// NodeOrder scores a node for a class by facts and by who sits on that node: between
// 0 and its weight times Points.
type NodeOrder interface {
	ScoreNode(c *ledger.Class, n ledger.NodeID) int64
}

// StaticOrder scores a node for a class by facts alone, and only in relation to the
// other nodes that the class's static filters admit: the highest raw score is worth
// Weight times Points, the others their part of it; Reverse turns that round.
type StaticOrder interface {
	RawScore(s *model.Spec, n *model.Node) int64
	Weight() int64
	Reverse() bool
}

// MovingOrder is a StaticOrder that reads of a node what its journal of facts does not tell
// of, and of other nodes besides: each change of it changes scores and nothing else. Its raw
// scores are points, relative to nobody: 0 to Points.
type MovingOrder interface {
	StaticOrder
	Aspect
	// Moved differs whenever some score may be another; MovedFor whenever one for a spec may.
	Moved() uint64
	MovedFor(s *model.Spec) uint64
	// Fill puts RawScore of all nodes for a spec into a list of zeros, by NodeID.
	Fill(s *model.Spec, raw []int64)
}

// Aspect is a StaticFilter or StaticOrder that says which part of a spec it reads: for
// specs of which Aspect is equal it answers alike, and classes share the answers. It is
// "" for a spec that does not ask at all. One that does not say is asked for each class.
type Aspect interface {
	Aspect(s *model.Spec) string
}

// LabelFilter is a StaticFilter that admits a node exactly when, for each of the lists,
// one of its terms holds (match.Term). The index finds that out for all nodes at once;
// FilterStatic still says why a node is refused.
type LabelFilter interface {
	StaticFilter
	Terms(s *model.Spec) [][]model.Term
}

// BulkOrder is a NodeOrder that can score many nodes in one go, so fast that it is
// asked before it is known whether they take the class: of one that does not, or that is
// not there, what it says means nothing.
type BulkOrder interface {
	NodeOrder
	// AddScores adds to scores[i] what ScoreNode says of nodes[i].
	AddScores(c *ledger.Class, nodes []ledger.NodeID, scores []int64)
	// AddRun adds to scores[i] what ScoreNode says of node first+i.
	AddRun(c *ledger.Class, first ledger.NodeID, scores []int64)
}

// BatchNodeOrder scores for one task all nodes that would take it, by anything at all
// and in relation to each other: it adds to scores[i] what nodes[i] is worth to it.
// Nodes come by name. With such a plugin, or a BestNode, every node is looked at for
// every task.
type BatchNodeOrder interface {
	ScoreNodes(t ledger.TaskID, nodes []ledger.NodeID, scores []int64)
}

// BestNode chooses for a task one of the nodes that would take it, by name and with
// their scores: the index in nodes. Anything else leaves the choice to the next plugin,
// and in the end to the scores.
type BestNode interface {
	PickNode(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) (int, bool)
}

// StatefulPlugin brings a book for the ledger to drive.
type StatefulPlugin interface {
	PluginState() ledger.PluginState
}

// QueueFigures are what a queue plugin derives, for reports.
type QueueFigures struct {
	Deserved       resource.Vec
	RealCapability resource.Limits
	ShareMicro     int64 // millionths
	Overused       bool
}

// QueueReporter shows a queue's derived figures; false for a queue it does not know.
type QueueReporter interface {
	QueueFigures(q ledger.QueueID) (QueueFigures, bool)
}

// QueueArithmetic shows how a queue came by its derived figures, dimension by dimension
// and by name; false for a queue that takes no part. It decides nothing, and speaks of
// the ledger as it stands: of requests that changed since the cycle began too.
type QueueArithmetic interface {
	QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool)
}

// Problem is something wrong between objects that are each in order, and what becomes
// of it: a warning, nobody waits for it. Object is Kind/name; Message begins with the
// field and has the two amounts that contradict each other.
type Problem struct{ Object, Message string }

// Problems lists what a plugin finds wrong, in any order.
type Problems interface {
	Problems() []Problem
}
