package trace

import "ashlar.sh/sched/resource"

// Eviction is the record of one eviction: who it is for, by which rule, what else was
// considered and why that lost, and what work goes with it. Names are namespace/name.
type Eviction struct {
	Action string
	Task   string // the victim
	Job    string
	Queue  string

	For      string // the task that has the room now
	ForJob   string
	ForQueue string
	Node     string // where For goes: the victim's own node, unless its whole gang goes

	// Why says what for, where it is for nobody's sake (shuffle); For is empty then.
	Why string

	// Priority is the victim's, ForPriority that of the job it makes room for: jobs'
	// priorities, between tasks of one job the tasks'.
	Priority, ForPriority int32

	Whole bool     // it goes with its whole gang; otherwise it is above its gang's minimum
	Tier  int      // the tier that permitted it, from 1
	Rules []string // the plugins of that tier that have a say in evictions

	Lost resource.List // what it held
	Ran  int64         // for how long, in nanoseconds; 0: not known

	Considered   int           // nodes on which victims were tried
	Hopeless     int           // nodes ruled out by amounts, or that no eviction cures
	Steps        int           // of the search, for this task of the beneficiary
	Exhausted    bool          // the search was given up early: a cheaper plan may exist
	Alternatives []Alternative // what lost, the best first; at most MostAlternatives
}

// MostAlternatives bounds Eviction.Alternatives.
const MostAlternatives = 3

// Alternative is a node that could have been chosen instead, with what would have had to
// go there. The first of the four that differs from the plan's is why it lost
// (decision 17).
type Alternative struct {
	Node     string
	Priority int32 // of its most important victim
	Sum      int64 // of the victims' priorities
	Victims  int
	Started  int64 // the earliest start of its most important victims

	// AtLeast: it was not tried, since even what it would cost at least is no cheaper.
	AtLeast bool
}
