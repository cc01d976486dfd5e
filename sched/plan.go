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
	KeepPod                     // none: evictions that were asked for and not carried out yet are not to be
)

var itemKindNames = [...]string{"bind", "evict", "nominate", "phase", "open", "keep"}

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
	// Evictions are, of KeepPod, the items that are taken back: all of them, or none where one
	// was begun. Pod is the first of their pods.
	Evictions []uint64
}

// Plan is what a cycle asks for.
type Plan struct {
	Items []Item
}

// Outcome is what became of an item.
type Outcome uint8

// The outcomes.
const (
	Done      Outcome = iota // accepted; a fact will show it
	Failed                   // refused for good: the engine decides anew
	Missing                  // the object is no longer there
	Withdrawn                // taken back by a later item before it was begun
)

// Receipt reports on an item by quoting it.
type Receipt struct {
	Item    Item
	Outcome Outcome
	// Refused is what the API server said, of a bind that Failed because it will not be had
	// however often it is asked; "" where it failed for another reason.
	Refused string
}

// Commitments are what was decided and is not yet visible in the facts. With the facts
// they are the whole state: an engine restored from both decides the same.
type Commitments struct {
	Decided   bool // a cycle has run: nominations of an earlier life were looked at
	NextID    uint64
	Statement uint64
	Tasks     []TaskCommitment      // sorted by pod
	Phases    []PhaseCommitment     // sorted by job
	Lenders   []Lender              // sorted by job: admitted jobs that no node takes
	Asked     int64                 // when it was found out last whose room is to be kept: see search.KeepRoom
	Spent     []ledger.PastEviction // evictions of the last minute, the oldest first
	Arrived   bool                  // something came to be placed since the last cycle
	Came      int64                 // when a cycle found last that something had
	Arrivals  []Arrival             // sorted by job: jobs that pods came to lately
	Rounds    []ledger.Round        // by name: when plugins that go in rounds last had one
	Memories  []ledger.Memory       `json:",omitempty"` // what books found out at a cost
	Charges   ledger.Charges        // which queues count what runs, where facts say otherwise
	Losses    []ledger.Loss         // members that gangs have lost and whose room is theirs: see ledger.Losses
}

// JobLife is one life of a job; UID is empty for an adopted one.
type JobLife struct {
	Job ledger.JobKey
	UID string
}

// Lender is a job that waits: what becomes of the room that its queue keeps for it, since
// when it counts as waiting, where that is not when its pods came (0: it is), and since when it has
// had no pods, though it was let in (0: it has some).
type Lender struct {
	JobLife
	How     ledger.Lending
	From    int64
	Podless int64 `json:",omitempty"`
}

// Arrival is that pods came to a job, to be placed: at a time, as a cycle found, or since the
// last cycle (Unseen).
type Arrival struct {
	JobLife
	At             int64
	Seen, HeldBack bool // HeldBack: its surplus waits for the end of the period
	Unseen         bool
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
	Chosen    ledger.Chosen      // of a bind
	For       ledger.Beneficiary // of an eviction
	Told      bool               // of an eviction: the request went through
}

// PhaseCommitment is a phase that was decided and that the PodGroup does not show
// yet. For an adopted job nothing shows it: it is lost at a restart, and the job is
// admitted again.
type PhaseCommitment struct {
	Job   ledger.JobKey
	UID   string
	Phase model.GroupPhase
	Item  uint64
	At    uint64 // the version of the PodGroup's fact that it was decided on
}
