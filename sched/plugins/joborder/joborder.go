// Package joborder serves the jobs of a queue in an order that they are told apart by
// before they run: who came first, who is done first, who takes the least of the cluster.
//
//	fifo  the job created first
//	sjf   the shortest: by the longest time that any member takes
//	srtf  the one with the least time left: as sjf, of members that have not finished
//	srsf  the one with the least service left: the sum over members that have not finished
//	      of their time and what they ask for of one resource
//
// How long a member takes is what its pod says (ashlar.sh/duration). It is taken at its
// word; nothing is learnt from earlier runs. A job of which a member does not say comes
// after all that do: what is not known cannot be promised to be short. Equal jobs are
// left to the plugins after it, in the end to age and name.
//
// It is the order in which jobs that wait are served: there a member that runs counts
// whole, and since a gang that waits has run nothing, srtf and sjf differ only for jobs
// that are there in part, or whose pods came back with less to do than before.
//
// With preempt, which srtf and srsf have, the action preempt follows the order too: a job
// may have the room of one of equal priority that has more left by now. Then what a member
// has run since it started counts as done. With time a job that runs only comes closer
// to its end, so a refusal never turns by itself.
//
// With strict, the first job of the order that could start, and has not, holds up all of
// its queue behind it, as papers that compare with "FIFO" mean it. Without, who does not
// fit is passed over. A job that is not admitted or lacks pods holds up nobody.
//
// Source: the policies that Muri (SIGCOMM 2022) and Helios (SC '21) compare with.
package joborder

import (
	"cmp"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// The orders, as joborder.by names them.
const (
	fifo = "fifo"
	sjf  = "sjf"
	srtf = "srtf"
	srsf = "srsf"
)

// Definition is the plugin "joborder". Its arguments: joborder.by is the order, fifo
// without; joborder.resource is what srsf counts, nvidia.com/gpu without; joborder.strict
// is whether the first job holds up those behind it, false without; joborder.preempt is
// whether jobs that run are stopped for those before them, false without.
func Definition() policy.Definition {
	return policy.Definition{Name: "joborder", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		by, err := c.Arguments.OneOf("joborder.by", fifo, sjf, srtf, srsf)
		if err != nil {
			return nil, err
		}
		name, err := c.Arguments.Resource("joborder.resource", "nvidia.com/gpu")
		if err != nil {
			return nil, err
		}
		order := &byFacts{l: l, by: by, resource: name}
		strict, err := c.Arguments.Bool("joborder.strict", false)
		if err != nil {
			return nil, err
		}
		preempt, err := c.Arguments.Bool("joborder.preempt", false)
		switch {
		case err != nil:
			return nil, err
		case preempt && strict:
			return nil, policy.BadArgument("joborder.strict", "it does not go with joborder.preempt: a job for which room is made holds up no other")
		case preempt && order.by != srtf && order.by != srsf:
			return nil, policy.BadArgument("joborder.preempt", "joborder.by is %q: only srtf and srsf say what a job that runs has left", order.by)
		case preempt:
			return &preempting{byFacts: order}, nil
		case strict:
			return &inLine{byFacts: order, first: map[ledger.QueueID]ledger.JobID{}}, nil
		}
		return order, nil
	}}
}

// byFacts is the order. What it remembers of a job is a sum over the job's facts, good
// while they stand.
type byFacts struct {
	l        *ledger.Ledger
	by       string
	resource string
	known    []size // by JobID
}

// CompareJobs puts the job first that the order has first.
func (p *byFacts) CompareJobs(a, b ledger.JobID) int {
	if p.by == fifo {
		return cmp.Compare(p.l.Job(a).Created, p.l.Job(b).Created)
	}
	return p.size(a).compare(p.size(b))
}

// compare puts the smaller first, and what is not known last.
func (x size) compare(y size) int {
	if x.unknown != y.unknown {
		if x.unknown {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(x.high, y.high), cmp.Compare(x.low, y.low))
}
