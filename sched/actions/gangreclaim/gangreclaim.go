// Package gangreclaim is reclaim for whole gangs: it does across queues what gangpreempt does inside a
// queue.
package gangreclaim

import (
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/victims"
)

// Name is the action's name in a configuration.
const Name = "gangreclaim"

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

// Rule is the configured rule of gangreclaim.
func Rule(s *session.Session) victims.Rule {
	wholes, _ := s.Profile.ActionArguments[Name].Bool("allowWholeBundle", true)
	domains, _ := s.Profile.ActionArguments[Name].Int("maxDomains", victims.DefaultDomains)
	return victims.Rule{Action: Name, Scope: victims.OtherQueues, WholeGangs: wholes, Domains: int(domains)}
}
