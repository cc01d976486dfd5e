package policy

import (
	"cmp"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Point names an extension point as the configuration's flags do (enableJobOrder is JobOrder's).
type Point string

// The points that a configuration may turn off by a flag. Those without one are not here: table.go has all.
const (
	PointQueueOrder   Point = "QueueOrder"
	PointJobOrder     Point = "JobOrder"
	PointTaskOrder    Point = "TaskOrder"
	PointJobEnqueued  Point = "JobEnqueued" // JobEnqueueable; the ledger itself keeps what is admitted
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

	PointSubJobOrder       Point = "SubJobOrder"
	PointSubJobReady       Point = "SubJobReady"
	PointSubJobPipelined   Point = "SubJobPipelined"
	PointHyperNodeOrder    Point = "HyperNodeOrder"
	PointHyperNodeGradient Point = "HyperNodeGradient"
)

// QueueOrder says which of two queues is served first: negative for a. A queue is compared again after each of its
// turns, by what the ledger says then; an order that compares only what Open found stays the same for the cycle.
// Reports compare queues between cycles, too, and before the first: also queues that came after the last Open. Where
// all plugins say 0 the older queue is first, then the name. What the order decides besides: from which queues pods
// are evicted last, for which jobs room is kept and starts are planned, and which gates open. With a second QueueOrder
// in the profile the rotation sorts queues anew each time.
type QueueOrder interface {
	CompareQueues(a, b ledger.QueueID) int
}

// CoupledQueueOrder is a QueueOrder in which serving one queue may change the order of others, as an order by what
// common ancestors hold does. Then the rotation sorts its queues anew each time, unless it is the profile's only
// QueueOrder and a HierarchicalQueueOrder.
type CoupledQueueOrder interface {
	QueueOrder
	ServingMovesOthers() bool
}

// HierarchicalQueueOrder is a QueueOrder that puts queues in a tree and compares two of them where their paths part:
// nothing below that decides. Flat queues are a tree of one level. So the rotation keeps every node's children sorted
// by numbers, and has to update only the path of the queue that changed. CompareQueues gives the same order for any
// two queues.
type HierarchicalQueueOrder interface {
	QueueOrder
	// Path is a queue's band and the path of nodes from below the root of the tree to the queue's own, appended to buf.
	// Queues of a lower band come before all others, whatever the tree says. False: the queue has no place in the
	// tree. Paths and bands are unchanged while Changes.SpecEpoch is.
	Path(q ledger.QueueID, buf []int32) (band int64, path []int32, ok bool)
	// SiblingKey is what a node is ordered by among its siblings. It changes for the nodes on the path of a queue of
	// which the figures changed, and for no others.
	SiblingKey(node int32) SiblingKey
}

// SiblingKey orders siblings: by their share of what they should have, then by rank.
type SiblingKey struct {
	Share  fair.Ratio
	Weight int64 // the share is divided by it; below 1 counts as 1
	Rank   int32 // unique among siblings, lower first
}

// Compare is negative when s comes first.
func (s *SiblingKey) Compare(t *SiblingKey) int {
	if c := s.Share.CompareWeighted(s.Weight, t.Share, t.Weight); c != 0 {
		return c
	}
	return cmp.Compare(s.Rank, t.Rank)
}

// JobOrder says which of two jobs of a queue is served first: negative for a.
type JobOrder interface {
	CompareJobs(a, b ledger.JobID) int
}

// TenantOrder is a JobOrder by what tenants hold and used (ledger.Usage): serving a job of a queue moves the other jobs
// of its tenant, and the order among these stays.
type TenantOrder interface {
	// OrdersTenants says that it orders the jobs of a queue so.
	OrdersTenants(q ledger.QueueID) bool
	// TenantShares are where the tenants of a queue stand that have jobs or used something, the first served first.
	TenantShares(q ledger.QueueID) []trace.TenantShare
}

// TaskOrder says which of two tasks of a job is placed first: negative for a.
type TaskOrder interface {
	CompareTasks(a, b ledger.TaskID) int
}

// JobValid says why a job cannot be scheduled at all; the zero Reason when it can.
type JobValid interface {
	ValidateJob(j ledger.JobID) trace.Reason
}

// JobEnqueueable votes on whether a job may leave phase Pending; a Reject has a reason.
type JobEnqueueable interface {
	VoteEnqueue(j ledger.JobID) (Vote, trace.Reason)
}

// JobLoanable is a JobEnqueueable that counts what is kept for admitted jobs (Queue.Inqueue). VoteLoan is VoteEnqueue
// for a job that would start at once: what jobs lend is not counted (Queue.Lent).
type JobLoanable interface {
	VoteLoan(j ledger.JobID) (Vote, trace.Reason)
}

// JobReady says that a job's statement may be committed.
type JobReady interface {
	Ready(j ledger.JobID) bool
}

// JobPipelined votes on whether a job would be ready once the room that its pipelined members wait for is free.
type JobPipelined interface {
	VotePipelined(j ledger.JobID) Vote
}

// OnlyWhole is a JobPipelined that rejects every job that would stay below its minimum. Where all JobPipelined are
// OnlyWhole, no job holds room for a part of its minimum.
type OnlyWhole interface {
	JobPipelined
	OnlyWhole()
}

// Overused says that a queue is served no more in this cycle, and why.
type Overused interface {
	Overused(q ledger.QueueID) (trace.Reason, bool)
}

// Allocatable says how many more tasks of a class a queue may take, at most want: one division answers for a whole
// gang. WhyNot is the reason when the answer was less than want.
type Allocatable interface {
	Allocatable(q ledger.QueueID, c ledger.ClassID, want int64) int64
	WhyNot(q ledger.QueueID, c ledger.ClassID) trace.Reason
}

// PrePredicate is called once for a task before any node is judged: a Verdict that does not admit refuses the task
// everywhere.
type PrePredicate interface {
	PrePredicate(t ledger.TaskID) Verdict
}

// StaticFilter judges a node for a class by facts alone: its answer holds until one of the two changes.
type StaticFilter interface {
	FilterStatic(s *model.Spec, n *model.Node) Verdict
}

// NodeFilter judges a node for a class by the pods on that node, besides its idle amounts, which the engine checks
// itself. future: terminating pods count as gone.
type NodeFilter interface {
	Concerns(s *model.Spec) bool
	FilterNode(c *ledger.Class, n ledger.NodeID, future bool) Verdict
}

// DomainFilter judges a node for a class by the pods in the node's domains: on the nodes that have the same value of a
// label. A change on one node can change its answer for many.
type DomainFilter interface {
	// ConcernsDomains says that it can refuse a node for a class at all.
	ConcernsDomains(c *ledger.Class) bool
	// DomainKeys are the labels of the domains that its answers for a class depend on. The slice does not change.
	DomainKeys(c *ledger.Class) []string
	// FilterDomains judges a node; with future, terminating pods count as gone. The parts of the answer that depend on
	// keys[i] are left out where parts[i] is false; nil: none is. The verdict depends on the pods in the node's
	// domains of these keys, on facts, and on DomainMark.
	FilterDomains(c *ledger.Class, n ledger.NodeID, future bool, parts []bool) Verdict
	// DomainMark changes when the answers of those parts may have changed for nodes in domains in which nothing changed.
	DomainMark(c *ledger.Class, parts []bool) uint64
}

// Colocator is a DomainFilter by which pods of one class may have to share a domain with each other, so that the first
// of them decides the domain of the rest.
type Colocator interface {
	DomainFilter
	// ColocationKeys are the labels of the domains that pods of the class have to share; none where they need not, or
	// where a placed pod already decides the domain.
	ColocationKeys(c *ledger.Class) []string
}

// DomainOrder scores nodes for a class by the pods in their domains, in relation to all nodes that would take it: it
// adds to scores[i] the score of nodes[i]. Nodes that have equal values of all its keys have equal scores.
type DomainOrder interface {
	ConcernsDomains(c *ledger.Class) bool
	DomainKeys(c *ledger.Class) []string
	ScoreDomains(c *ledger.Class, nodes []ledger.NodeID, scores []int64)
}

// GradedOrder is a DomainOrder of which many nodes have equal scores, though they have values of their own of some of
// its keys: how many pods a node has, for one, says more than which node it is.
type GradedOrder interface {
	DomainOrder
	// Graded says that nodes with equal grades, and equal values of the keys of a class (DomainKeys) for which parts
	// has false, have equal scores.
	Graded(c *ledger.Class, parts []bool) bool
	// Grade is a number from 0 on. It depends on the pods in the node's domains of the keys for which parts has true,
	// and on facts.
	Grade(c *ledger.Class, n ledger.NodeID, parts []bool) int64
	// ScoreFor is ScoreDomains, where nodes stand for all nodes that would take the class, which are of: for each of
	// these there is one with the same score.
	ScoreFor(c *ledger.Class, nodes []ledger.NodeID, of int, scores []int64)
}

// TaskFilter judges a node for one task by anything at all: volumes, devices, another scheduler's plugin. It is called
// for the best candidate, then for the next, until one passes.
type TaskFilter interface {
	// Concerns says that it can refuse a node for a spec at all: an answer that a fact may change.
	Concerns(s *model.Spec) bool
	FilterTask(t ledger.TaskID, n ledger.NodeID, future bool) Verdict
}

// QueueFilter is a TaskFilter with one answer for all nodes, since it is about the task's queue: it is asked before
// those that look at nodes.
type QueueFilter interface {
	TaskFilter
	OfQueue()
}

// Lacker names the dimensions that a task asks for in another way than by its request, and of which a node has too
// little once the tasks that are leaving it are gone: devices.
type Lacker interface {
	Lacking(t ledger.TaskID, n ledger.NodeID) []resource.Dim
}

// Refuser is a TaskFilter that knows of many nodes at once that it would refuse them for a task, so that these need
// not be asked about one by one.
type Refuser interface {
	TaskFilter
	// Refusing is a set of nodes: bit n%64 of word n/64 says that FilterTask would refuse node n, and for that node
	// alone (not Everywhere). It holds until something changes, and must not be written to. What it says nothing of is
	// asked. It has no bits beyond the last node.
	Refusing(t ledger.TaskID) []uint64
}

// Stocked is a TaskFilter that gives tasks things of a node of which there are so many, and which they hold until they
// end: devices. By what it counts a start is planned (action backfill); then it is asked as any filter.
type Stocked interface {
	TaskFilter
	// Stocks are the kinds of things that a task needs more of on a node, and that can be counted, how many are free,
	// and how many of them each of some tasks there gives back when it ends, those that end first first. It decides
	// nothing by itself: with as many as a task needs the filter may refuse the node, but not with fewer.
	Stocks(t ledger.TaskID, n ledger.NodeID, on []ledger.TaskID) []Stock
	// Most is for how many tasks like one a node has things, up to want, if no task were there. A job for which all
	// nodes together have too few never starts as they are: so it is never less than what there is, and want where it
	// is not known.
	Most(t ledger.TaskID, n ledger.NodeID, want int64) int64
}

// Unresolvable is a TaskFilter that knows of what pods do not hold, so that no end of a pod gives it: volumes.
// Kubernetes calls such a refusal UnschedulableAndUnresolvable. A job that lacks it for its minimum could not start if
// there were room, and holds back no other job of a queue that is served in order.
type Unresolvable interface {
	TaskFilter
	// Unresolvable says that no node would take a task, even if no other task were there; false where it is not known.
	Unresolvable(t ledger.TaskID) bool
}

// Stock is so many things of one kind on a node.
type Stock struct {
	Need int64 // for one more task
	Once bool  // tasks share them: the first one alone needs them
	Free int64
	Back []int64 // by the place of a task in the list
}

// NodeOrder scores a node for a class by facts and by the pods on that node: between 0 and its weight times
// MaxNodeScore.
type NodeOrder interface {
	ScoreNode(c *ledger.Class, n ledger.NodeID) int64
}

// StaticOrder scores a node for a class by facts alone, and only in relation to the other nodes that the class's
// static filters admit: the highest raw score is worth Weight times MaxNodeScore, the rest in proportion; Reverse
// inverts that.
type StaticOrder interface {
	RawScore(s *model.Spec, n *model.Node) int64
	Weight() int64
	Reverse() bool
}

// MovingOrder is a StaticOrder that depends on things of a node that the feed of facts of nodes does not contain, or
// on other nodes: each change of them changes scores and nothing else. Its raw scores are points, from 0 to
// MaxNodeScore, not relative to other nodes.
type MovingOrder interface {
	StaticOrder
	Aspect
	// Moved changes whenever any score may have changed; MovedFor whenever one for a spec may have.
	Moved() uint64
	MovedFor(s *model.Spec) uint64
	// Fill puts RawScore of all nodes for a spec into a list of zeros, by NodeID.
	Fill(s *model.Spec, raw []int64)
}

// Aspect is a StaticFilter or StaticOrder that says which part of a spec it reads: its answers are equal for specs
// with equal Aspect, and classes share them. Aspect is "" for a spec that does not concern it. A plugin without Aspect
// is called for each class.
type Aspect interface {
	Aspect(s *model.Spec) string
}

// LabelFilter is a StaticFilter that admits a node exactly when, for each of the lists, one of its terms holds
// (match.Term). The index computes that for all nodes at once; FilterStatic still says why a node is refused.
type LabelFilter interface {
	StaticFilter
	Terms(s *model.Spec) [][]model.Term
}

// BulkOrder is a NodeOrder that can score many nodes in one call, so fast that it is called before it is known whether
// they take the class. Scores of nodes that do not take it, or do not exist, mean nothing.
type BulkOrder interface {
	NodeOrder
	// AddScores adds to scores[i] the ScoreNode of nodes[i].
	AddScores(c *ledger.Class, nodes []ledger.NodeID, scores []int64)
	// AddRun adds to scores[i] the ScoreNode of node first+i.
	AddRun(c *ledger.Class, first ledger.NodeID, scores []int64)
}

// BatchNodeOrder scores for one task all nodes that would take it, by anything at all and in relation to each other:
// it adds to scores[i] the score of nodes[i]. Nodes are given by name. With such a plugin, or a BestNode, every node
// is judged for every task.
type BatchNodeOrder interface {
	ScoreNodes(t ledger.TaskID, nodes []ledger.NodeID, scores []int64)
}

// BestNode chooses for a task one of the nodes that would take it, given by name and with their scores: it returns an
// index in nodes. Any other value leaves the choice to the next plugin, and finally to the scores.
type BestNode interface {
	PickNode(t ledger.TaskID, nodes []ledger.NodeID, scores []int64) (int, bool)
}

// StatefulPlugin brings a PluginState for the ledger to drive.
type StatefulPlugin interface {
	PluginState() ledger.PluginState
}

// QueueFigures are what a queue plugin derives, for reports.
type QueueFigures struct {
	Deserved       resource.Vec
	RealCapability resource.Limits
	ShareMicro     int64 // millionths
	Overused       bool
	// Held and Asked are what the queue holds, and asks for with that, of dimensions that the ledger does not count.
	Held, Asked resource.Vec
}

// QueueReporter returns a queue's derived figures; false for a queue that it does not know.
type QueueReporter interface {
	QueueFigures(q ledger.QueueID) (QueueFigures, bool)
}

// QueueArithmetic returns how a queue's derived figures come about, dimension by dimension and by name; false for a
// queue that takes no part. It decides nothing, and describes the ledger as it stands: requests that changed since the
// cycle began are included.
type QueueArithmetic interface {
	QueueArithmetic(q ledger.QueueID) ([]trace.Arithmetic, bool)
}

// Problem is a contradiction between objects that are each valid, and its consequence. It is a warning: no job waits
// for it. Object is Kind/name; Message begins with the field and has the two amounts that contradict each other.
type Problem struct{ Object, Message string }

// Problems lists the problems that a plugin finds, in any order.
type Problems interface {
	Problems() []Problem
}

// Vote is an answer to "may this job …?". The zero Vote abstains.
type Vote int8

// The votes.
const (
	Abstain Vote = 0
	Permit  Vote = 1
	Reject  Vote = -1
)

// FalseFirst orders by a property: what does not have it comes before what has it.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// Verdict is a filter's answer about a node. The zero Verdict admits.
type Verdict struct {
	Code   trace.Code
	Text   string
	Domain trace.Domain // of affinity between pods and topology spread
	// Need and Have are the amounts of a NodeDevices: devices asked for, and free.
	Need, Have int32
	// Everywhere: the answer is the same for every node, so no other node need be judged.
	Everywhere bool
}

// Admits says that the filter does not refuse the node.
func (v Verdict) Admits() bool { return v.Code == trace.None }

// MaxNodeScore is the unit of scores: a scorer of weight 1 gives a node between 0 and MaxNodeScore. In
// Kubernetes it is 100; a thousandth of such a point keeps apart nodes that rounding would make equal.
const MaxNodeScore = 100_000
