// Package binpack fills nodes before it opens others: the fuller a node would be with
// the task on it, the better.
//
// The score is the mean, weighted by resource, of (held + request) / allocatable over
// the resources that the task asks for, times binpack.weight times policy.MaxNodeScore. What
// a node holds is Used + Pipelined: what tasks hold, the terminating ones included
// until they are gone, and what is pipelined (Volcano leaves the pipelined out). A
// resource that would not fit counts as 0, as does one that the node lacks; a resource
// without a weight does not count; where none counts the score is 0.
//
// It is no filter, and it knows nothing of what a task that does not ask for a
// resource would waste of it.
//
// Source: Volcano's plugin of this name, its arguments and its rule, in
// integers.
package binpack

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// MaxWeight bounds every weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

// Definition is the plugin "binpack". With binpack.weight 0 it scores nothing.
func Definition() policy.Definition {
	return policy.Define("binpack", "fill nodes before opening others", build)
}

type arguments struct {
	weight int64
	named  []policy.ResourceWeight
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Int(&a.weight, "binpack.weight", 1, "weight of the plugin").AtLeast(0).AtMost(MaxWeight)
	s.ResourceWeights(&a.named, "binpack.", MaxWeight)
}

func build(a arguments, l *ledger.Ledger) (any, error) {
	if a.weight == 0 {
		return policy.Parts{}, nil
	}
	return &plugin{l: l, weight: a.weight, named: a.named}, nil
}
