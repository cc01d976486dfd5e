// Command outoftree is ashlar with a plugin of its own: "smallfirst" serves, among the
// jobs of a queue, those first that ask for fewer tasks.
//
//	go run ./examples/outoftree simulate -f examples/outoftree/cluster.yaml \
//	    --scheduler-conf examples/outoftree/volcano-scheduler.conf
package main

import (
	"cmp"
	"os"

	"ashlar.sh/extend"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

func main() { os.Exit(extend.Main(smallFirst())) }

// smallFirst is compiled only if plugin is a policy.JobOrder.
func smallFirst() policy.Definition {
	return policy.Define("smallfirst", "jobs with fewer tasks first",
		func(a arguments, l *ledger.Ledger) (policy.JobOrder, error) { return plugin{l, a.reverse}, nil })
}

type arguments struct{ reverse bool }

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.Bool(&a.reverse, "reverse", false, "jobs with more tasks first")
}

type plugin struct {
	l       *ledger.Ledger
	reverse bool
}

// CompareJobs implements policy.JobOrder.
func (p plugin) CompareJobs(a, b ledger.JobID) int {
	order := cmp.Compare(p.l.Job(a).Tasks, p.l.Job(b).Tasks)
	if p.reverse {
		return -order
	}
	return order
}
