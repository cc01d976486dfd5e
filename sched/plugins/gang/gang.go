// Package gang holds jobs together: a job starts with its minimum of members or not at
// all.
//
// The minimum has two parts. minTaskMember asks for so many members of a role,
// minMember for so many of all. Role minimums that add up to more than minMember are
// ignored, which the ledger has done already: Role.Min is 0 then.
//
//	valid      the members that exist could make up the minimum
//	ready      the members that have a place make it up: the statement may be committed
//	pipelined  they do once those who wait for promised room have it
//	starving   they do not, even then: others may be evicted for it
//
// Members that ask for nothing count as ready while they still wait: backfill can
// always place them (Count.Ready). The plugin keeps nothing; every answer is read off
// the ledger's counts at the moment it is asked, inside a try too.
//
// Which members are served first so that role minimums are met (decision 32) is the
// allocate action's work. As a victim a gang gives up its surplus; whether it may go as
// a whole, others say, and that it never falls below its minimum the search sees to.
//
// Source: Volcano's plugin of this name; seed 002 §3.1 (pipelined), seed 003 §4.3 and §6.5.
package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "gang". It takes no arguments.
func Definition() policy.Definition {
	return policy.Definition{Name: "gang", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		return &plugin{l}, nil
	}}
}

type plugin struct{ l *ledger.Ledger }
