// Package gangpreempt names preempt for whole gangs: room for all that a job needs is searched together.
// Members above gangs' minimums are evicted first, then whole gangs, unless allowWholeBundle is false
// (decision 12).
//
// For a job of which the members have to be near each other, it tries domain by domain, as allocate does: of
// each tier at most maxDomains, those that lack least first (decision 16).
package gangpreempt

import "ashlar.sh/sched/evict"

// Name is the action's name in a configuration.
const Name = "gangpreempt"

// Options are those of gangpreempt.
func Options(a evict.GangArguments) evict.Options { return a.Options(Name, evict.SameQueue) }
