// Package overcommit lets in more jobs than the cluster has room for, but not without
// end: what is used, what is kept for jobs let in and what a job asks for as its minimum
// may together be overcommit-factor times the cluster.
//
// Without it every job that its queue could ever hold is let in, operators create all
// their pods, and the pods wait.
//
// What other queues were promised refuses no job whose queue keeps, with it, no more than its part,
// by weight, of what is not in use. So all queues together are promised that at most twice, and a
// queue that keeps everything with jobs whose pods never come does not keep others out.
//
// Only the dimensions that a job's minResources name count, less what its members hold
// already; what is kept for others is likewise what they do not hold yet (decision 9),
// so nothing counts twice. A dimension that no node offers is unbounded: the cluster may
// be about to scale up from nothing (decision 6). Sums are whole units, the factor is in
// thousandths.
//
// Source: semantics of Volcano's plugin of this name; decisions 6, 9 and 10.
package overcommit

import (
	"fmt"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "overcommit". Its argument overcommit-factor is a number of
// at least 1, with at most three decimal places; 1.2 without it and, with a Problem, for
// one below 1.
func Definition() policy.Definition {
	return policy.Definition{Name: "overcommit", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		factor, err := c.Arguments.Milli(factorKey, defaultFactor)
		if err != nil {
			return nil, err
		}
		p := &plugin{l: l, factor: factor, given: c.Arguments[factorKey]}
		if factor < 1000 {
			p.factor, p.below = defaultFactor, true
		}
		return p, nil
	}}
}

const (
	factorKey     = "overcommit-factor"
	defaultFactor = 1200
)

type plugin struct {
	l      *ledger.Ledger
	factor int64  // in thousandths
	given  string // as configured
	below  bool   // what is configured is below 1
	used   used
	askers askers
	turns  turns
}

// Problems says that the factor configured was not taken.
func (p *plugin) Problems() []policy.Problem {
	if !p.below {
		return nil
	}
	return []policy.Problem{{Object: "plugin/overcommit",
		Message: fmt.Sprintf("%s: %s is below 1, which would leave the cluster idle: 1.2 taken", factorKey, p.given)}}
}
