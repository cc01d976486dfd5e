// Package reclaim is the action that gives queues back what they deserve, by taking from
// queues that hold more than they do (seed 002 §6).
//
// Queues with starving jobs take turns as in allocate. One that is overused is served no
// more; whether a queue may take for a job at all (Preemptive) and from whom (Reclaimable)
// is what plugins say, asked anew for every job and every victim. Queues nearer in the
// tree give before farther ones. Everything else is as in preempt: one statement a job,
// proved before anybody is evicted.
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

// Rule is what reclaim asks for.
func Rule(*session.Session) victims.Rule {
	return victims.Rule{Action: Name, Scope: victims.OtherQueues, WholeGangs: true}
}
