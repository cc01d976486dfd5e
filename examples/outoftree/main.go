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

// smallFirst takes an argument: with reverse the large ones come first.
func smallFirst() policy.Definition {
	return policy.Definition{Name: "smallfirst", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		reverse, err := c.Arguments.Bool("reverse", false)
		return plugin{l, reverse}, err
	}}
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
