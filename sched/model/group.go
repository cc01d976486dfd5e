package model

import "ashlar.sh/sched/resource"

// GroupPhase is the phase of a job (semantics of PodGroup.status.phase).
type GroupPhase uint8

// The phases of a PodGroup; empty counts as Pending.
const (
	GroupPending GroupPhase = iota
	GroupInqueue
	GroupRunning
	GroupUnknown
	GroupCompleted
)

var groupPhaseNames = [...]string{"Pending", "Inqueue", "Running", "Unknown", "Completed"}

// String is the phase as Volcano spells it.
func (p GroupPhase) String() string { return groupPhaseNames[p] }

// PodGroup is a gang as its owner asked for it.
type PodGroup struct {
	Meta
	Queue         string // "" for the default queue
	MinMember     int32
	MinTaskMember []RoleMin // sorted by role
	MinResources  resource.List
	HasMin        bool // minResources is set, be it empty
	PriorityClass string
	Phase         GroupPhase
	MaxWait       int64 // sla-waiting-time in nanoseconds, 0 when not set
	Lasts         int64 // ashlar.sh/duration in nanoseconds: what each pod takes that does not say; 0: not set
	Estimate      int64 // the same by its Volcano Job, where it does not say: spec.runningEstimate; 0: not set
	JobEnds       int64 // when its Kubernetes Job is ended by spec.activeDeadlineSeconds, since the epoch; 0: not known
	Preemptable   bool  // volcano.sh/preemptable: "true": it runs on room that other jobs may take back
	Protected     bool  // volcano.sh/preemptable: "false": no member is evicted, whatever the pods say

	// The number of members that must run, or may be away at once, when room is taken back by the hour
	// (volcano.sh/jdb-min-available, jdb-max-unavailable); nil: not set.
	MinAvailable, MaxUnavailable *Portion

	Labels []Label // sorted by key

	Topology  *Topology   // networkTopology; nil: not set
	SubGroups []SubGroups // subGroupPolicy, as written: a member belongs to the first that selects it
}

// Guess is how long each pod runs that does not say, in nanoseconds, and where that is said; 0: nowhere.
func (g *PodGroup) Guess() (int64, TimeSource) {
	if g.Lasts != 0 {
		return g.Lasts, TimeDeclared
	}
	return g.Estimate, TimeEstimated
}

// RoleMin is the least number of members that a role needs (minTaskMember).
type RoleMin struct {
	Role string
	Min  int32
}

// PriorityClass gives a name a value.
type PriorityClass struct {
	Meta
	Value         int32
	GlobalDefault bool
	PreemptNever  bool
}

// QueueState says whether a queue takes jobs. An empty state counts as Open (decision 5).
type QueueState uint8

// The states of a queue.
const (
	QueueOpen QueueState = iota
	QueueClosed
	QueueClosing
	QueueUnknown
)

var queueStateNames = [...]string{"Open", "Closed", "Closing", "Unknown"}

// String is the state as Volcano spells it.
func (s QueueState) String() string { return queueStateNames[s] }

// The queues that every cluster has.
const (
	RootQueue    = "root"
	DefaultQueue = "default"
)

// Queue is a share of the cluster.
type Queue struct {
	Meta
	Parent      string // "" counts as root
	Weight      int32  // at least 1
	Priority    int32
	State       QueueState
	Reclaimable bool
	FIFO        bool          // dequeueStrategy fifo: jobs that compete are served strictly in their order
	Capability  resource.List // a missing name is unlimited, zero is a limit of zero
	Deserved    resource.List
	Guarantee   resource.List
	Groups      *NodeGroups // spec.affinity; nil: it names none
	// Limits are what its own jobs may hold of each node group; nil: no limits.
	Limits *GroupLimits
	// MinRuntime is how long its pods may run before they may be evicted, in nanoseconds
	// (ashlar.sh/min-runtime). MaxEvictions is how many of its pods may be evicted within a minute
	// (ashlar.sh/max-evictions-per-minute). nil: not set.
	MinRuntime, MaxEvictions *int64
	// Path is its place in drf's hierarchy below root, the topmost level first; nil when not set. It is
	// independent of Parent.
	Path []Level
}

// Level is one step of a Path. Equal names below equal names are one node of the
// hierarchy.
type Level struct {
	Name   string
	Weight int64 // in thousandths, at least 1000
}
