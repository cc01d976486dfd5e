// Package gangpreempt names preempt for whole gangs: room for all that a job needs is searched together.
// Members above gangs' minimums are evicted first, then whole gangs, unless allowWholeBundle is false
// (decision 12).
//
// For a job whose members have to be near each other, it tries domain by domain, as allocate does: of
// each tier at most maxDomains, those that lack least first (decision 16).
package gangpreempt

import (
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/policy"
)

// Name is the action's name in a configuration.
const Name = "gangpreempt"

// Options are those of gangpreempt.
func Options(args policy.Arguments) evict.Options {
	return evict.OfGangs(evict.SameQueue, args)
}
