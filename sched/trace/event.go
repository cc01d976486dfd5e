package trace

import "ashlar.sh/sched/resource"

// EventKind is what happened. Each kind has the verbosity of the log line of Volcano
// that is made from it: docs/seed-map.md has these lines.
type EventKind uint8

// The steps of a cycle.
const (
	EnterAction        EventKind = iota // V5: "Enter Allocate ..."
	LeaveAction                         // V5: "Leaving Allocate ..."
	TotalResource                       // V4: "The total resource is"
	ConsideringQueue                    // V4: "Considering Queue …: weight, total weight"
	FormatDeserved                      // V4: "Format queue … deserved resource to"
	QueueMeet                           // V4: "queue … is meet"
	RemainingResource                   // V4: "Remaining resource is"
	TryQueues                           // V3: "Try to allocate resource to n Queues"
	QueueOverusedEvent                  // V3: "Queue … is overused"
	QueueNotOpenEvent                   // V3: "Queue … current state: …, is not in open state"
	NotAllocatable                      // V3: "Queue …: deserved, allocated; Candidate …: resource request"
	AddedJob                            // V4: "Added Job … into Queue"
	SkippedJob                          // V4: "Job … skip allocate, reason"
	NodesForJob                         // V3: "There are n nodes for Job"
	PrePredicateEvent                   // V3: "PrePredicate for task … failed for"
	PredicatesFailed                    // V3: "Predicates failed for task … "
	AlreadyFailed                       // V5: "Task … has already predicated failed" (refusal of the class is known)
	NodeScores                          // V5: the best node and its score
	BindingTask                         // V3: "Binding Task … to node"
	PipeliningTask                      // V3: "Pipelining Task … to node"
	AfterAllocated                      // V3: "After allocated Task … to Node: idle, used, releasing"
	AfterPipelined                      // V3: "After pipelined Task …"
	JobReadyEvent                       // V3: "Job … is ready" (SubJob ready, return statement)
	JobPipelinedEvent                   // V3: "Job … is pipelined, statement kept"
	Committing                          // V3: "Committing operations ..."
	Discarding                          // V3: "Discarding operations ..."
	Enqueued                            // V3: "Job … enqueued"
	NotEnqueued                         // V3: enqueue refused, with its reason
	// V4: "The attributes of queue …: deserved, realCapability, allocated, request, elastic, share"
	QueueAttributes
	NoPreemptors       // V3: "No preemptors in Queue …, break."
	SkipPreemption     // V4: "Job … Queue … skip preemption, reason: …"
	NoPreemptorTask    // V3: "No preemptor task in job …"
	TryPreempt         // V3: "Try to preempt Task … for Task …"
	Preempted          // V3: "Preempted … for Task … requested …"
	FailedPreempt      // V3: "Failed to preempt Task …"
	CannotReclaim      // V3: "Queue … cannot reclaim for task …"
	HyperNodesReady    // V3: "HyperNodesReadyToSchedule: …"
	HyperNodeInSession // V5: "hyperNode in session: name, tier, nodes"
	AllocateHyperNode  // V3: "Allocate job … in hyperNode …": it is tried
	// V3: "Allocate job … beginning with task … on node …": a domain that members share is tried
	AllocateDomain
	AllocatingOperations // V3: "Allocating operations ...": a statement begins
	JobValidEvent        // V4: "JobValid of Job …: false, reason"
	FitErrorsEvent       // V5: "FitErrors of Task …: predicate …": how many nodes refused for what
	NodeRoomEvent        // V5: "node …: idle, used, releasing", of a node that refused
	// V5: "Queue …: realCapability, allocated; Candidate …", of a queue above one that refused
	LevelNotAllocatable
	BatchNodeOrderEvent // V5: "BatchNodeOrder of Task …": the best nodes with their scores
	ConsideringNode     // V3: "Considering Task … on Node …."
	IdleNegative        // an error: "Idle resources turn into negative"
	VictimsOfPlugins    // V4: "Victims from … plugins are …", for each plugin that has a say
	KeepsRoom           // V3: "Keeping room for Job … on nodes …", for Count of its tasks
	KeepsNoRoom         // V3: "Keeping no more room for Job …"
	numEventKinds
)

var levels = [numEventKinds]uint8{
	EnterAction: 5, LeaveAction: 5, AlreadyFailed: 5, NodeScores: 5,
	TotalResource: 4, ConsideringQueue: 4, FormatDeserved: 4, QueueMeet: 4, RemainingResource: 4,
	AddedJob: 4, SkippedJob: 4, QueueAttributes: 4,
	TryQueues: 3, QueueOverusedEvent: 3, QueueNotOpenEvent: 3, NotAllocatable: 3, NodesForJob: 3,
	PrePredicateEvent: 3, PredicatesFailed: 3, BindingTask: 3, PipeliningTask: 3, AfterAllocated: 3,
	AfterPipelined: 3, JobReadyEvent: 3, JobPipelinedEvent: 3, Committing: 3, Discarding: 3,
	Enqueued: 3, NotEnqueued: 3,
	NoPreemptors: 3, SkipPreemption: 4, NoPreemptorTask: 3, TryPreempt: 3, Preempted: 3, FailedPreempt: 3,
	CannotReclaim:   3,
	HyperNodesReady: 3, HyperNodeInSession: 5, AllocateHyperNode: 3, AllocateDomain: 3,
	AllocatingOperations: 3, JobValidEvent: 4, FitErrorsEvent: 5, NodeRoomEvent: 5, LevelNotAllocatable: 5,
	BatchNodeOrderEvent: 5, ConsideringNode: 3, VictimsOfPlugins: 4, KeepsRoom: 3, KeepsNoRoom: 3,
}

// Level is the verbosity from which a kind is recorded: 3 to 5, and 0 for an error.
func (k EventKind) Level() int { return int(levels[k]) }

// Event is one step. Fields that a kind does not use are zero.
type Event struct {
	Kind    EventKind
	Action  string
	Queue   string
	Job     string // namespace/name
	Task    string // namespace/name
	Node    string
	Victim  string // namespace/name, of a task that is evicted for Task
	Count   int
	Weight  int64 // of the queue
	Total   int64 // weight of all unmet queues
	Score   int64
	Micro   int64 // a share in millionths
	Amounts []Labelled
	Scores  []NodeScore
	Plugin  string
	Victims []string // namespace/name
	Reason  Reason
}

// NodeScore is what a node is worth to a task: in all, and the part of it that comes of
// comparing the nodes with each other.
type NodeScore struct {
	Node            string
	Score, Compared int64
}

// MostScores bounds the nodes that an event lists.
const MostScores = 5

// Labelled is a vector with the word it goes by: deserved, allocated, request, idle,
// used, releasing, remaining.
type Labelled struct {
	Label string
	List  resource.List
}

// Recorder keeps the events of a cycle up to a verbosity and a number; what it drops
// it counts. The zero Recorder keeps nothing.
type Recorder struct {
	Verbosity int // events of this level and below are kept
	Most      int // how many at most; 0: DefaultMost
	Events    []Event
	Dropped   int
}

// DefaultMost bounds the memory of a cycle's events.
const DefaultMost = 200_000

// On says that events of a kind are kept, so that a caller may save itself the work
// of making one.
func (r *Recorder) On(k EventKind) bool { return r.Verbosity >= k.Level() }

// Add keeps an event if its level is on and there is room.
func (r *Recorder) Add(e Event) {
	if !r.On(e.Kind) {
		return
	}
	most := r.Most
	if most == 0 {
		most = DefaultMost
	}
	if len(r.Events) >= most {
		r.Dropped++
		return
	}
	r.Events = append(r.Events, e)
}

// Reset forgets the events and keeps their memory.
func (r *Recorder) Reset() {
	r.Events = r.Events[:0]
	r.Dropped = 0
}
