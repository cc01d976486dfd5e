package evict

import (
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/search"
)

// Scope says of which jobs and queues an action may evict tasks.
type Scope uint8

// The scopes.
const (
	SameQueue   Scope = iota // other jobs of the preemptor's queue (preempt, phase 1)
	SameJob                  // the preemptor's own job (preempt, phase 2)
	OtherQueues              // reclaimable queues (reclaim)
)

// Options say what an evicting action may do.
type Options struct {
	Action string
	Scope  Scope
	// WholeGangs allows whole gangs as victims, where surplus alone is not enough.
	WholeGangs bool
	// OwnMembers: after the jobs of a queue, tasks take room from less important tasks of their own job.
	OwnMembers bool
	// Home is the choice of domains that the tasks have to stay in; nil: all nodes.
	Home *search.Home
	// Domains is how many domains of a tier are tried for a job of which the members have to be near each
	// other; 0: no pod is evicted for such jobs.
	Domains int
	// Sample limits the nodes that are tried, as topology-aware preemption does.
	Sample Sample
}

// GangArguments are those of gangpreempt and gangreclaim.
type GangArguments struct {
	wholeGangs bool
	domains    int64
}

// AddArguments implements policy.Struct.
func (a *GangArguments) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.domains, "maxDomains", 8, "how many domains of a tier to try at most").AtLeast(0).In("domains")
	s.Bool(&a.wholeGangs, "allowWholeBundle", true, "whether a whole gang may be a victim")
}

// Options are those of gangpreempt and gangreclaim, by their arguments.
func (a GangArguments) Options(action string, scope Scope) Options {
	return Options{Action: action, Scope: scope, WholeGangs: a.wholeGangs, Domains: int(a.domains)}
}

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

// kinds are the kinds of units that may be victims, in the order to try them: surplus members (false), and whole
// gangs, too (true).
func (o *Options) kinds() []bool {
	if o.WholeGangs {
		return []bool{false, true}
	}
	return []bool{false}
}
