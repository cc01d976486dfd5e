// Package gang keeps the members of a job together: a job starts with its minimum of members or not at
// all.
//
// The minimum has two parts. minTaskMember is a number of members for each role, minMember a number for
// the whole job. Role minimums that add up to more than minMember are ignored; the ledger has done that
// already: Role.Min is 0 then.
//
//	valid      the members that exist are enough for the minimum
//	ready      the members that have a place are enough: the statement may be committed
//	pipelined  they are enough together with the members that are pipelined
//	starving   they are not, even then: pods may be evicted for the job
//
// Members that ask for nothing count as ready while they still wait: backfill can always place them
// (Count.Ready). The plugin keeps no state; every answer is read from the ledger's counts when it is
// called, inside a try, too.
//
// The allocate action decides which members are served first, so that role minimums are met (decision
// 32). Of a gang, the plugin permits surplus as victims; other plugins decide about whole gangs, and
// the search for victims ensures that no gang falls below its minimum otherwise.
//
// Source: Volcano's plugin of this name; seed 002 §3.1 (pipelined), seed 003 §4.3 and §6.5.
package gang

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "gang". It takes no arguments.
func Definition() policy.Definition {
	return policy.Define("gang", "a job starts with its minimum or not at all",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l}, nil
		})
}

type plugin struct{ l *ledger.Ledger }
