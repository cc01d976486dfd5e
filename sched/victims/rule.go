package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Scope says of which jobs and queues an action may evict tasks.
type Scope uint8

// The scopes.
const (
	SameQueue   Scope = iota // other jobs of the preemptor's queue (preempt, phase 1)
	SameJob                  // the preemptor's own job (preempt, phase 2)
	OtherQueues              // reclaimable queues (reclaim)
)

// Rule is what an action asks for.
type Rule struct {
	Action string
	Scope  Scope
	// WholeGangs allows whole gangs as victims, where surplus alone is not enough.
	WholeGangs bool
	// Within are the nodes of the domain that the tasks have to stay in; nil: all nodes.
	Within []ledger.NodeID
	// Each returns those nodes for one task, where they differ from task to task; nil: Within holds.
	Each func(ledger.TaskID) []ledger.NodeID
	// Domains is how many domains of a tier are tried for a job whose members have to be near each
	// other; 0: no pod is evicted for such jobs.
	Domains int
	// Sample limits the nodes that are tried, as topology-aware preemption does.
	Sample Sample
	// Budget is the number of steps after which the search for something better is given up; 0:
	// DefaultBudget.
	Budget int
	// Trace records the nodes on which victims are tried; nil: nothing is recorded.
	Trace *trace.Recorder
}

// DefaultBudget bounds the steps of the search for one preemptor: the nodes and the sets of victims
// that are tried.
const DefaultBudget = 2048

// DefaultDomains is the default of maxDomains, of gangpreempt and gangreclaim.
const DefaultDomains = 8

// Sample is how many nodes a dry run looks at (seed 002 §7.2); the zero Sample is no
// sampling: the best of all nodes is found.
type Sample struct {
	On                     bool
	Percent, Least, AtMost int
}

// candidates is how many nodes on which room can be made are enough, of that many nodes.
func (s Sample) candidates(nodes int) int {
	n := nodes * s.Percent / 100
	n = max(n, s.Least)
	n = min(n, s.AtMost)
	return max(1, min(n, nodes))
}

// within are the nodes of the domain that the current task has to stay in; nil: all nodes.
func (as *currentPreemptor) within() []ledger.NodeID {
	if as.vs.rule.Each != nil {
		return as.vs.rule.Each(as.preemptor.Task)
	}
	return as.vs.rule.Within
}
