package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Scope says whose tasks an action may take.
type Scope uint8

// The scopes.
const (
	SameQueue   Scope = iota // other jobs of the claim's queue (preempt, phase 1)
	SameJob                  // the claim's own job (preempt, phase 2)
	OtherQueues              // reclaimable queues (reclaim)
)

// Rule is what an action asks for.
type Rule struct {
	Action string
	Scope  Scope
	// WholeGangs allows whole gangs as victims, where surplus alone is not enough.
	WholeGangs bool
	// Within are the nodes of the domain to stay in; nil: all.
	Within []ledger.NodeID
	// Each is the same for each task, where it differs from task to task; nil: Within holds.
	Each func(ledger.TaskID) []ledger.NodeID
	// Domains is how many domains of a tier are tried for a job whose members have to be near
	// each other; 0: nobody is evicted for such jobs.
	Domains int
	// Sample limits the nodes that are tried, as topology-aware preemption does.
	Sample Sample
	// Budget is the number of steps after which the search for something better is given
	// up; 0: DefaultBudget.
	Budget int
	// Trace is told of the nodes on which victims are tried; nil: nobody is.
	Trace *trace.Recorder
}

// DefaultBudget bounds the steps of the search for one claim: nodes and sets of victims
// tried.
const DefaultBudget = 2048

// DefaultDomains is the default of maxDomains, of gangpreempt and gangreclaim.
const DefaultDomains = 8

// Sample is how many nodes a dry run looks at (seed 002 §7.2); the zero Sample is no
// sampling: the best of all nodes is found.
type Sample struct {
	On                     bool
	Percent, Least, AtMost int
}

// candidates is how many nodes with a plan are enough, of that many nodes.
func (s Sample) candidates(nodes int) int {
	n := nodes * s.Percent / 100
	n = max(n, s.Least)
	n = min(n, s.AtMost)
	return max(1, min(n, nodes))
}

// within are the nodes of the domain that the task at hand has to stay in; nil: all.
func (vs *Search) within() []ledger.NodeID {
	if vs.rule.Each != nil {
		return vs.rule.Each(vs.preemptor.Task)
	}
	return vs.rule.Within
}
