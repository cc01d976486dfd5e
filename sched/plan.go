package sched

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// ItemKind is the kind of a plan item.
type ItemKind uint8

// The kinds of items, with the API field that shows that one was carried out.
const (
	BindPod     ItemKind = iota // spec.nodeName
	EvictPod                    // metadata.deletionTimestamp
	NominatePod                 // status.nominatedNodeName: room was freed for the pod; without Node: it ends
	SetPhase                    // PodGroup.status.phase
	OpenGate                    // spec.schedulingGates without the queue's gate
	KeepPod                     // none: evictions that were asked for and not carried out yet are taken back
)

var itemKindNames = [...]string{"bind", "evict", "nominate", "phase", "open", "keep"}

// String returns the kind as one word.
func (k ItemKind) String() string { return itemKindNames[k] }

// Item is one thing to carry out. Items are carried out in their order. Items of one Statement belong together
// (a gang's binds succeed together or are repaired, decision 22).
type Item struct {
	ID        uint64
	Kind      ItemKind
	Statement uint64
	Pod       ledger.Key
	UID       string // of the pod or PodGroup: a precondition
	Node      string
	Chosen    ledger.Chosen    // BindPod: what Allocators chose there; to be made effective before the bind
	Group     ledger.Key       // SetPhase
	Phase     model.GroupPhase // SetPhase
	Action    string           // EvictPod: the action that evicts
	For       ledger.Key       // EvictPod: the pod that gets the room
	Why       *trace.Eviction  // EvictPod: the record of the decision
	// Evictions are, for KeepPod, the items that are taken back: all of them, or none if one was begun. Pod is
	// the pod of the first one.
	Evictions []uint64
}

// Plan is what a cycle asks for.
type Plan struct {
	Items []Item
}

// Outcome is the result of an item.
type Outcome uint8

// The outcomes.
const (
	Done      Outcome = iota // accepted; a fact will show it
	Failed                   // not carried out, refused or given up: the engine decides anew
	Missing                  // the object does not exist any more
	Withdrawn                // taken back by a later item before it was begun
)

// Receipt reports the outcome of an item, which it quotes.
type Receipt struct {
	Item    Item
	Outcome Outcome
	// Refused is the API server's answer, for a bind that Failed because the API server will refuse it each
	// time; "" where it failed for another reason.
	Refused string
}

// Commitments are what was decided and is not visible in the facts yet. Together with the facts they are the
// whole state: an engine restored from both decides the same.
type Commitments struct {
	Decided   bool // a cycle has run, which looked at the nominations from before
	NextID    uint64
	Statement uint64
	Tasks     []TaskCommitment      // sorted by pod
	Phases    []PhaseCommitment     // sorted by job
	Lenders   []Lender              // sorted by job: jobs that wait otherwise than any, see Lender
	Asked     int64                 // when it was last found which jobs room is to be kept for: see search.KeepRoom
	Spent     []ledger.PastEviction // evictions of the last minute, the oldest first
	// evictions before this time are not known; 0: all of the last minute are
	SpentFrom int64           `json:",omitempty"`
	Arrived   bool            // something that is to be placed came since the last cycle
	Came      int64           // the time of the last cycle that found such an arrival
	Arrivals  []Arrival       // sorted by job: jobs to which pods came lately
	Rounds    []ledger.Round  // by name: the last round of plugins that work in rounds
	Memories  []ledger.Memory `json:",omitempty"` // what PluginStates found at a cost
	Charges   ledger.Charges  // the queues in which running jobs count, where facts say otherwise
	Losses    []ledger.Loss   // lost members of gangs that still have their room: see ledger.Losses
}

// JobLife identifies one life of a job; UID is empty for an adopted job.
type JobLife struct {
	Job ledger.JobKey
	UID string
}

// Lender is a job that waits: what happens with the room that its queue keeps for it, since when it counts as
// waiting, if that is not since its pods came (0: it is), and since when it has lacked pods although it is admitted
// (0: it lacks none).
type Lender struct {
	JobLife
	How     ledger.Lending
	From    int64
	Podless int64 `json:",omitempty"`
}

// Arrival says that pods which are to be placed came to a job: at the time of the cycle that found it, or
// since the last cycle (Unseen).
type Arrival struct {
	JobLife
	At             int64
	Seen, HeldBack bool // HeldBack: its surplus waits for the end of the period
	Unseen         bool
}

// TaskCommitment is what was decided for a task, of any CommitKind: a bind, an eviction, a reservation …
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
	Told      bool               // of an eviction: the request was accepted
}

// PhaseCommitment is a decided phase that the PodGroup does not show yet. For an adopted job nothing shows it:
// it is lost at a restart, and the job is admitted again.
type PhaseCommitment struct {
	Job   ledger.JobKey
	UID   string
	Phase model.GroupPhase
	Item  uint64
	At    uint64 // the version of the PodGroup's fact that it was decided on
}
