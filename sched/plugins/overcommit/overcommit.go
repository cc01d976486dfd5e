// Package overcommit admits more jobs than the cluster has room for, up to a bound: what is used, what is inqueue for
// admitted jobs, and what a job asks for as its minimum may together be overcommit-factor times the cluster.
//
// Without it every job that its queue could ever hold is admitted, operators create all their pods, and the pods wait.
//
// A job is never refused because of what is inqueue in other queues if its own queue, with the job, has no more inqueue
// than its part, by weight, of what is not in use. So all queues together have at most twice that inqueue, and a queue
// with many admitted jobs that never have pods does not keep the jobs of other queues out.
//
// Only the dimensions that a job's minResources name count, less what its members hold already. What is inqueue for
// other jobs is likewise what they do not hold yet (decision 9), so nothing counts twice. A dimension that no node
// offers is unbounded: the cluster may be about to scale up from nothing (decision 6). Sums are whole units, the factor
// is in thousandths.
//
// Source: semantics of Volcano's plugin of this name; decisions 6, 9 and 10.
package overcommit

import (
	"fmt"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "overcommit". For a factor below 1 it takes 1.2, with a Problem.
func Definition() policy.Definition {
	return policy.Define("overcommit", "let more jobs leave Pending than fit",
		func(a arguments, l *ledger.Ledger) (*plugin, error) {
			p := &plugin{l: l, factor: a.factor, given: a.given}
			if a.factor < 1000 {
				p.factor, p.below = defaultFactor, true
			}
			return p, nil
		})
}

type arguments struct {
	factor int64
	given  string // factor as it is written
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Decimal(&a.factor, factorKey, defaultFactor,
		"how many times the cluster may be used and inqueue together").As(&a.given)
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
	slices timeSlices
}

// Problems says that the factor configured was not taken.
func (p *plugin) Problems() []policy.Problem {
	if !p.below {
		return nil
	}
	return []policy.Problem{{Object: "plugin/overcommit",
		Message: fmt.Sprintf("%s: %s is below 1, which would leave the cluster idle: 1.2 taken", factorKey, p.given)}}
}
