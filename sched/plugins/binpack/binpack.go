// Package binpack fills nodes before it opens others: the fuller a node would be with
// the task on it, the better.
//
// The score is the mean, weighted by resource, of (held + request) / allocatable over
// the resources that the task asks for, times binpack.weight times policy.Points. What
// a node holds is Used + Pipelined: what tasks hold, the terminating ones included
// until they are gone, and what is promised (Volcano leaves the promised out). A
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
	"ashlar.sh/sched/resource"
)

// MaxWeight bounds every weight, so that no sum of scores leaves int64.
const MaxWeight = 100_000

// Definition is the plugin "binpack". Its arguments are binpack.weight (1); the
// weights of resources binpack.cpu and binpack.memory (1); and binpack.resources, a
// list of further resources, whose weights are binpack.resources.<name> (1). A
// resource's weight below 0 counts as 1, as in Volcano; binpack.weight below 0, and
// any weight above MaxWeight, is an error that names the key. With binpack.weight 0
// the plugin scores nothing.
func Definition() policy.Definition { return policy.Definition{Name: "binpack", New: build} }

func build(c policy.Choice, l *ledger.Ledger) (any, error) {
	weight, err := argument(c.Arguments, "binpack.weight")
	if err != nil {
		return nil, err
	}
	if weight < 0 {
		return nil, policy.BadArgument("binpack.weight", "%d is below 0; use 0 to leave the score out", weight)
	}
	named, err := resources(c.Arguments)
	if err != nil {
		return nil, err
	}
	if weight == 0 {
		return policy.Parts{}, nil
	}
	return &plugin{l: l, weight: weight, named: named}, nil
}

// named is a resource with its weight, which is not negative.
type named struct {
	name   string
	weight int64
}

// resources reads the weights of resources. cpu and memory come first: their own
// arguments hold even where the list names them again.
func resources(a policy.Arguments) ([]named, error) {
	keys := [][2]string{{resource.CPUName, "binpack.cpu"}, {resource.MemoryName, "binpack.memory"}}
	for _, name := range a.List("binpack.resources") {
		keys = append(keys, [2]string{name, "binpack.resources." + name})
	}
	var out []named
	for _, k := range keys {
		w, err := argument(a, k[1])
		if err != nil {
			return nil, err
		}
		if w < 0 {
			w = 1
		}
		out = append(out, named{k[0], w})
	}
	return out, nil
}

func argument(a policy.Arguments, key string) (int64, error) {
	x, err := a.Int(key, 1)
	if err == nil && x > MaxWeight {
		err = policy.BadArgument(key, "%d is above %d, the highest weight", x, int64(MaxWeight))
	}
	return x, err
}
