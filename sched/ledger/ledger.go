package ledger

import (
	"cmp"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Ledger is the whole state: facts, rows, figures. One writer.
type Ledger struct {
	Dims *resource.Dims

	nodes      []Node
	nodeHash   []uint64 // of names
	nodeFree   []NodeID
	nodeByName map[string]NodeID
	cols       columns
	total      resource.Sums // allocatable of all present nodes
	goingNodes int           // nodes with releasing tasks

	classes    []Class
	classFree  []ClassID
	retired    []ClassID // classes without tasks, the one that retired first in front
	classByKey map[string]ClassID

	tasks     []Task
	taskFree  []TaskID
	taskByKey byKey[TaskID]
	none      *Commitment // that of every task without one

	commitments []Commitment // room for those to come; rows point into it

	jobs    []Job
	jobFree []JobID
	jobKeys jobKeys

	queues       []Queue
	queueFree    []QueueID
	queueByName  map[string]QueueID
	wideDims     int // dimensions and nodes that columns and sums reach to
	wideNodes    int
	heeds        bool       // some plugin asks for the node groups of queues
	inherits     bool       // … and of those above
	usageChanges changeFeed // queues whose own jobs moved their figures
	specChanges  changeFeed // queues whose facts changed
	treeChanges  changeFeed // queues whose places changed
	seniority    seniority

	priorities     map[string]*model.PriorityClass
	globalPriority *model.PriorityClass
	quotas         map[string][]*model.Quota  // by namespace, each list by name
	budgets        map[string][]*model.Budget // likewise
	namespaces     map[string]*model.Namespace
	spaced         uint64 // changes to them
	termMatcher    TermMatcher

	hypers     map[string]*model.HyperNode
	hyperAt    uint64 // facts about HyperNodes so far
	heedsHyper bool

	numa      map[string]*model.NUMA // by the node's name
	heedsNUMA bool
	images    images

	backoffs    map[model.Ref]*model.Backoff
	pauseEnds   int64 // when the first of them ends that has not; 0: none
	pausesEnded int64 // when it was last asked which of them have ended

	facts        factStore
	pluginStates []PluginState
	allocators   []Allocator   // those of the books that choose
	podObservers []PodObserver // … and those that are told of every pod

	undo            []entry
	depth           int
	statements      uint64
	evictionHistory []PastEviction // evictions of the last minute, the oldest first
	tx              Tx
	ops             []Op
	nominated       []TaskID

	journal     []NodeID // nodes whose figures or facts changed
	journalBase uint64
	statics     []NodeID // nodes whose facts changed
	staticBase  uint64
	roomEpoch   uint64
	watched     []NodeID // nodes that Overdrawn will judge
	budgeted    uint64
	lenders     int     // jobs that lend
	claims      int     // tasks that wait and have a claim
	claimants   []JobID // … and their jobs, with others
	waived      []TaskID
	arrived     []JobID // that pods came to since TakeArrivals
	arrivals    int     // pods and PodGroups that came since
	losing      []Loss  // that no cycle has judged yet
	lost        []*Lost // by job and pod
	aside       []beside

	uncharged  []TaskID // that may hold room and are not charged
	strayed    []TaskID // that may stay in another job than they name
	moving     []JobID  // that may count in another queue than they name
	active     []JobID  // jobs with something left to decide
	dirty      []JobID  // jobs touched since TakeDirty
	stirred    []JobID  // jobs touched since TakeStirred
	specEpoch  uint64
	usageEpoch uint64
	requeued   uint64 // see Requeued
	scratch    resource.Vec
	births     uint64
	stateEpoch uint64
	rounds     []Round // by name

	recommitted recommitted

	vainNodes, vainFigures uint64 // what of Now and UsageEpoch failed tries have added
}

// New returns an empty ledger.
func New() *Ledger {
	l := &Ledger{
		Dims:        resource.NewDims(),
		nodeByName:  map[string]NodeID{},
		classByKey:  map[string]ClassID{},
		taskByKey:   byKey[TaskID]{},
		jobKeys:     newJobKeys(),
		none:        &Commitment{},
		queueByName: map[string]QueueID{},
		priorities:  map[string]*model.PriorityClass{},
		quotas:      map[string][]*model.Quota{},
		budgets:     map[string][]*model.Budget{},
		namespaces:  map[string]*model.Namespace{},
		facts:       newFactStore(),
	}
	l.tx.l = l
	l.usageChanges.first, l.specChanges.first, l.treeChanges.first = 1, 1, 1 // who never looked is behind
	l.queue(model.RootQueue)
	return l
}

// Key names a pod or a PodGroup.
type Key struct{ Namespace, Name string }

// String is namespace/name.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Less orders keys by namespace, then name.
func (k Key) Less(o Key) bool {
	if k.Namespace != o.Namespace {
		return k.Namespace < o.Namespace
	}
	return k.Name < o.Name
}

// Compare is the order of Less: negative for k.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, o.Namespace), cmp.Compare(k.Name, o.Name))
}

// Pending lists the operations of statements that held and are not commitments yet, those
// of an open try included. The slice is good until the next change.
func (l *Ledger) Pending() []Op { return l.ops }

// RoomEpoch counts the events after which some task may find room that it did not find
// before: room freed, a node come or changed, a promise taken back. While it stands
// still, a refusal for want of room stands too.
func (l *Ledger) RoomEpoch() uint64 { return l.roomEpoch }

// Settled is Now and UsageEpoch without what failed tries added to them: all that they
// touched is as it was. It must not be kept from within a try.
func (l *Ledger) Settled() (nodes, figures uint64) {
	return l.Now() - l.vainNodes, l.usageEpoch - l.vainFigures
}

// StateEpoch counts whatever happens to facts and commitments: what was tried and taken back
// leaves it as it was.
func (l *Ledger) StateEpoch() uint64 { return l.stateEpoch }

// SpecEpoch counts the changes to queues, their parents and what they are granted.
func (l *Ledger) SpecEpoch() uint64 { return l.specEpoch }

// UsageEpoch counts the changes to what queues hold or ask for, in any way.
func (l *Ledger) UsageEpoch() uint64 { return l.usageEpoch }
