package ledger

import (
	"cmp"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Ledger is the whole state: facts, rows and figures. It has one writer.
type Ledger struct {
	Dims    *resource.Dims
	Changes Changes

	nodes      []Node
	nodeHash   []uint64 // of names
	nodeFree   []NodeID
	nodeByName map[string]NodeID
	cols       columns
	total      resource.Sums // allocatable of all present nodes
	goingNodes int           // nodes with releasing tasks

	classes    []Class
	classFree  []ClassID
	retired    []ClassID // classes without tasks, in the order in which they retired
	classByKey map[string]ClassID

	tasks     []Task
	taskFree  []TaskID
	taskByKey byKey[TaskID]
	none      *Commitment // the commitment of every task that has none

	commitments []Commitment // memory for commitments to come; rows point into it

	jobs    []Job
	jobFree []JobID
	jobKeys jobKeys

	queues      []Queue
	queueFree   []QueueID
	queueByName map[string]QueueID
	wideDims    int // dimensions and nodes that columns and sums reach to
	wideNodes   int
	heeds       bool // some plugin asks for the node groups of queues
	inherits    bool // … and with inherit: a queue without groups has those of its ancestors
	seniority   seniority

	priorities     map[string]*model.PriorityClass
	globalPriority *model.PriorityClass
	quotas         map[string][]*model.Quota  // by namespace, each list by name
	budgets        map[string][]*model.Budget // likewise
	namespaces     map[string]*model.Namespace
	spaced         uint64 // the number of changes to namespaces' labels
	termMatcher    TermMatcher

	hypers     map[string]*model.HyperNode
	hyperAt    uint64 // facts about HyperNodes so far
	heedsHyper bool

	numa      map[string]*model.NUMA // by the node's name
	heedsNUMA bool
	images    images

	backoffs    map[model.Ref]*model.Backoff
	pauseEnds   int64 // the time at which the first pause ends that has not ended; 0: none
	pausesEnded int64 // the time up to which ended pauses were looked for

	facts        factStore
	pluginStates []PluginState
	allocators   []Allocator   // the PluginStates that choose
	podObservers []PodObserver // the PluginStates that observe every pod

	undo            []entry
	depth           int
	statements      uint64
	evictionHistory []PastEviction // evictions of the last minute, the oldest first
	tx              Tx
	ops             []Op
	nominated       []TaskID

	roomEpoch uint64
	watched   []NodeID // nodes for the next Overdrawn
	budgeted  uint64
	lenders   int     // jobs that lend
	claims    int     // pending tasks with a claim
	claimants []JobID // their jobs, and maybe jobs that have none any more
	waived    []TaskID
	arrived   []JobID // jobs to which pods came since TakeArrivals
	arrivals  int     // pods and PodGroups that came since TakeArrivals
	losing    []Loss  // losses that no cycle has judged yet
	lost      []*Lost // by job and pod
	aside     []beside

	uncharged  []TaskID // tasks that may hold room and are not charged
	strayed    []TaskID // tasks that may be in another job than their facts name
	moving     []JobID  // jobs that may count in another queue than their facts name
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

	vainNodes   Cursor // what failed tries have added to Changes.Nodes
	vainFigures uint64 // … and to UsageEpoch
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
	l.queue(model.RootQueue)
	return l
}

// Key names a pod or a PodGroup.
type Key struct{ Namespace, Name string }

// String returns namespace/name.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Less orders keys by namespace, then name.
func (k Key) Less(o Key) bool {
	if k.Namespace != o.Namespace {
		return k.Namespace < o.Namespace
	}
	return k.Name < o.Name
}

// Compare orders like Less: it is negative where k comes first.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, o.Namespace), cmp.Compare(k.Name, o.Name))
}

// Pending lists the operations of statements that succeeded and are not commitments yet, and those of an open
// try. The slice is valid until the next change.
func (l *Ledger) Pending() []Op { return l.ops }

// RoomEpoch counts the events after which some task may find room that it did not find before: room freed, a
// node added or changed, a promise taken back. As long as it has not changed, a refusal for lack of room is
// still right.
func (l *Ledger) RoomEpoch() uint64 { return l.roomEpoch }

// Settled returns the cursor of nodes and UsageEpoch without what failed tries have added: these have undone their
// changes. A
// value read inside a try must not be kept.
func (l *Ledger) Settled() (nodes Cursor, figures uint64) {
	return l.Changes.Nodes.Now() - l.vainNodes, l.usageEpoch - l.vainFigures
}

// StateEpoch counts the changes to facts and commitments. A try that fails does not change it.
func (l *Ledger) StateEpoch() uint64 { return l.stateEpoch }

// SpecEpoch counts the changes to queues, their parents and their limits.
func (l *Ledger) SpecEpoch() uint64 { return l.specEpoch }

// UsageEpoch counts the changes to what queues hold or ask for, in any way.
func (l *Ledger) UsageEpoch() uint64 { return l.usageEpoch }
