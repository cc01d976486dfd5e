// Package shuffle is the action that evicts pods which would run better elsewhere, or that have no more time on
// a node: those that a Descheduler picks (plugins rescheduling, tdm).
//
// No pod is evicted against a guard (conformance, budgets, cooldowns, minimum run times, caps), and no
// part of a gang is left with less than its minimum: a member is evicted alone where its gang has
// members to spare, a whole gang where all of it is picked.
package shuffle

import (
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/session"
)

// Name is the action's name in a configuration.
const Name = "shuffle"

// Action implements session.Action.
type Action struct {
	Evictor *evict.Evictor
}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute evicts the tasks that plugins pick and nothing protects.
func (a Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	a.Evictor.EvictPicked(Name)
}
