package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// ItemKind is what a plan asks for.
type ItemKind uint8

// The kinds of items, with the API field that makes each visible.
const (
	BindPod     ItemKind = iota // spec.nodeName
	EvictPod                    // metadata.deletionTimestamp
	NominatePod                 // status.nominatedNodeName: room was freed for the pod; without a Node, no longer
	SetPhase                    // PodGroup.status.phase
	OpenGate                    // spec.schedulingGates without the queue's gate
)

var itemKindNames = [...]string{"bind", "evict", "nominate", "phase", "open"}

// String is the kind as one word.
func (k ItemKind) String() string { return itemKindNames[k] }

// Item is one thing to carry out. Items are to be carried out in their order; those
// of one Statement belong together (a gang's binds succeed together or are put right,
// decision 22).
type Item struct {
	ID        uint64
	Kind      ItemKind
	Statement uint64
	Pod       ledger.Key
	UID       string // of the pod or PodGroup: a precondition
	Node      string
	Chosen    ledger.Chosen    // BindPod: what books chose there; to be made true before the bind
	Group     ledger.Key       // SetPhase
	Phase     model.GroupPhase // SetPhase
	Action    string           // EvictPod: on whose behalf the rule was
	For       ledger.Key       // EvictPod: the pod that is to have the room
	Why       *trace.Eviction  // EvictPod: the record of the decision
}

// Plan is what a cycle asks for.
type Plan struct {
	Items []Item
}

// Outcome is what became of an item.
type Outcome uint8

// The outcomes.
const (
	Done    Outcome = iota // accepted; a fact will show it
	Failed                 // refused for good: the engine decides anew
	Missing                // the object is no longer there
)

// Receipt reports on an item by quoting it.
type Receipt struct {
	Item    Item
	Outcome Outcome
}

// Commitments are what was decided and is not yet visible in the facts. With the facts
// they are the whole state: an engine restored from both decides the same.
type Commitments struct {
	Decided   bool // a cycle has run: nominations of an earlier life were looked at
	NextID    uint64
	Statement uint64
	Tasks     []TaskCommitment  // sorted by pod
	Phases    []PhaseCommitment // sorted by job
	Yielded   []JobLife         // sorted by job: admitted jobs that keep no room of their queues
	Spent     []ledger.Spent    // evictions of the last minute, the oldest first
	Rounds    []ledger.Round    // by name: when plugins that go in rounds last had one
}

// JobLife is one life of a job; UID is empty for an adopted one.
type JobLife struct {
	Job ledger.JobKey
	UID string
}

// TaskCommitment is a bind, an eviction or a reservation under way.
type TaskCommitment struct {
	Pod   ledger.Key
	UID   string
	Kind  ledger.CommitKind
	Node  string
	Item  uint64
	Until int64

	Statement uint64
	Chosen    ledger.Chosen // of a bind
}

// PhaseCommitment is a phase that was decided and that the PodGroup does not show
// yet. For an adopted job nothing shows it: it is lost at a restart, and the job is
// admitted again.
type PhaseCommitment struct {
	Job   ledger.JobKey
	UID   string
	Phase model.GroupPhase
	Item  uint64
}
