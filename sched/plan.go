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
	BindPod          ItemKind = iota // spec.nodeName
	EvictPod                         // metadata.deletionTimestamp
	NominatePod                      // status.nominatedNodeName: room was freed for the pod; without Node: it ends
	SetPhase                         // PodGroup.status.phase
	OpenGate                         // spec.schedulingGates without the queue's gate
	WithdrawEviction                 // none: evictions that were asked for and not carried out yet are taken back
)

var itemKindNames = [...]string{"bind", "evict", "nominate", "phase", "open", "keep"}

// String returns the kind as one word.
func (k ItemKind) String() string { return itemKindNames[k] }

// Item is one thing to carry out. Items stand in the order in which they were decided, and may be carried out side by
// side: of a nomination that ends and one that begins for the same pod, the later one holds. Items of one Statement
// belong together (a gang's binds succeed together or are repaired, decision 22).
type Item struct {
	ID        uint64
	Kind      ItemKind
	Statement uint64
	Pod       ledger.Key
	UID       string // of the pod or PodGroup: a precondition
	Node      string
	Chosen    ledger.Chosen // BindPod: what Allocators chose there; to be made effective before the bind
	// After are, for BindPod, earlier statements in which members of its gang get volumes or devices, without which the
	// gang may lack its minimum: the pod is bound when these have them, and Failed when one of them does not get them.
	After     []uint64
	Group     ledger.Key       // SetPhase
	Phase     model.GroupPhase // SetPhase
	Action    string           // EvictPod: the action that evicts; of none, why
	Preemptor ledger.Key       // EvictPod: the pod that gets the room
	Record    *trace.Eviction  // EvictPod: the record of the decision
	// Evictions are, for WithdrawEviction, the items that are taken back: all of them, or none if one was begun. Pod is
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
	Withdrawn                // taken back by a later item before it was begun, or a victim had ended by itself
	// Forgone is the outcome of an eviction that was not begun since it would have been for nothing: another one of its
	// statement failed, or its preemptor could not be bound.
	Forgone
)

// Receipt reports the outcome of an item, which it quotes.
type Receipt struct {
	Item    Item
	Outcome Outcome
	// Refused is the API server's answer, for a bind that Failed because the API server will refuse it each
	// time; "" where it failed for another reason.
	Refused string
	// Denials are, for an eviction that Failed, how often in a row it failed for that pod; 0: that is not known.
	Denials int32
}
