package trace

import "ashlar.sh/sched/resource"

// Eviction is the record of one eviction: the task that gets the room, the rule that permits it, what else was
// considered and why it was not chosen, and the work that is lost. Names are namespace/name.
type Eviction struct {
	Action string
	Task   string // the victim
	Job    string
	Queue  string

	// In JSON the names are those that recordings have had from the beginning.
	Preemptor      string `json:"For"` // the task that has the room now
	PreemptorJob   string `json:"ForJob"`
	PreemptorQueue string `json:"ForQueue"`
	Node           string // where Preemptor goes: the victim's own node, unless its whole gang goes

	// Purpose is the reason where no task gets the room (shuffle); Preemptor is empty then.
	Purpose string `json:"Why"`

	// Priority is that of the victim's job, PreemptorPriority that of the job that gets the room. Within one job
	// both are priorities of tasks.
	Priority          int32
	PreemptorPriority int32 `json:"ForPriority"`

	Whole       bool     // it goes with its whole gang; otherwise it is above its gang's minimum
	Tier        int      // the tier that decided, from 1: the first that permitted it
	PermittedBy []string // the plugins of that tier that permitted it; those that abstained are not named
	// Others are the plugins of other tiers that permitted it and could have forbidden it: a guard forbids in every tier.
	Others []Permission `json:",omitempty"`

	// Of an eviction for another queue: what the victim's queue held before the evictions for PreemptorJob, in the
	// dimensions that the victim held and Preemptor asks for; and the same of PreemptorQueue.
	QueueHeld          []QueueHeld `json:",omitempty"`
	PreemptorQueueHeld []QueueHeld `json:"ForQueueHeld,omitempty"`

	Lost resource.List // what it held
	Ran  int64         // for how long, in nanoseconds; 0: not known

	NodesTried    int           `json:"Considered"`
	NodesRuledOut int           `json:"Hopeless"` // by amounts, or since no eviction helps there
	Steps         int           // of the search, for this task of the preemptor
	Exhausted     bool          // the search was given up early: a cheaper plan may exist
	Alternatives  []Alternative // nodes that were not chosen, the best first; at most MostAlternatives
}

// QueueHeld is what a queue held of one dimension before evictions, and what it deserved.
type QueueHeld struct {
	Dim      string
	Deserved int64 `json:"Need"`
	Held     int64 `json:"Have"`
}

// Permission is the plugins of one tier that permitted an eviction.
type Permission struct {
	Tier    int // from 1
	Plugins []string
}

// Permissions are all that permitted it: that of the tier that decided first.
func (r *Eviction) Permissions() []Permission {
	if len(r.PermittedBy) == 0 {
		return nil
	}
	return append([]Permission{{r.Tier, r.PermittedBy}}, r.Others...)
}

// MostAlternatives bounds Eviction.Alternatives.
const MostAlternatives = 3

// Alternative is a node that could have been chosen instead, and what the evictions there would have cost. The
// first of Priority, Sum, Victims and Started that differs from the chosen node's is why it was not chosen
// (decision 17).
type Alternative struct {
	Node     string
	Priority int32 // of its most important victim
	Sum      int64 // of the victims' priorities
	Victims  int
	Started  int64 // the earliest start of its most important victims

	// AtLeast: it was not tried, since the least that it could cost is no cheaper.
	AtLeast bool
}
