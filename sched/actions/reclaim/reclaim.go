// Package reclaim is the action that gives queues back what they deserve, by taking room from queues
// that hold more than they deserve (seed 002 §6).
//
// Queues with starving jobs take turns as in allocate. A queue that is overused is served no more.
// Plugins say whether a queue may take room for a job at all (Preemptive) and which units may be
// evicted (Reclaimable), again for every job and every victim. Queues nearer in the tree give before
// farther ones. Everything else is as in preempt: one statement for a job, proved before any pod is
// evicted.
package reclaim

import (
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/victims"
)

// Name is the action's name in a configuration.
const Name = "reclaim"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute makes room for starving jobs of queues that have less than they deserve.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	if !s.IsIdle(Name) {
		search.Reclaim(s, Rule(s))
		s.RememberIdle(Name)
	}
}

// Rule is the rule of reclaim.
func Rule(*session.Session) victims.Rule {
	return victims.Rule{Action: Name, Scope: victims.OtherQueues, WholeGangs: true}
}
