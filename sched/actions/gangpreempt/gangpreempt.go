// Package gangpreempt is preempt for whole gangs: room for all that a job needs is searched together.
// Members above gangs' minimums are evicted first, then whole gangs, unless allowWholeBundle is false
// (decision 12).
//
// For a job whose members have to be near each other, it tries domain by domain, as allocate does: of
// each tier at most maxDomains, those that lack least first (decision 16).
package gangpreempt

import (
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/victims"
)

// Name is the action's name in a configuration.
const Name = "gangpreempt"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute makes room for starving jobs, each as a whole.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	if s.IsIdle(Name) {
		return
	}
	search.Preempt(s, Rule(s), nil)
	search.TellIdleQueues(s, Name)
	s.RememberIdle(Name)
}

// Rule is the configured rule of gangpreempt.
func Rule(s *session.Session) victims.Rule {
	wholes, _ := s.Profile.ActionArguments[Name].Bool("allowWholeBundle", true)
	domains, _ := s.Profile.ActionArguments[Name].Int("maxDomains", victims.DefaultDomains)
	return victims.Rule{Action: Name, Scope: victims.SameQueue, WholeGangs: wholes, Domains: int(domains)}
}
