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
// It is the order in which jobs that wait are served, and takes nothing from anybody. How
// long a member has run already is no fact, so one that runs counts whole; since a gang
// that waits has run nothing, srtf and sjf differ only for jobs that are there in part.
//
// With strict, the first job of the order that could start, and has not, holds up all of
// its queue behind it, as papers that compare with "FIFO" mean it. Without, who does not
// fit is passed over. A job that is not admitted or lacks pods holds up nobody.
//
// Source: the policies that Muri (SIGCOMM 2022) and Helios (SC '21) compare with.
package joborder

import (
	"cmp"
	"fmt"

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
// is whether the first job holds up those behind it, false without.
func Definition() policy.Definition {
	return policy.Definition{Name: "joborder", New: func(c policy.Choice, l *ledger.Ledger) (any, error) {
		order := &byFacts{l: l, by: fifo, resource: "nvidia.com/gpu"}
		if by, given := c.Arguments["joborder.by"]; given {
			order.by = by
		}
		switch order.by {
		case fifo, sjf, srtf, srsf:
		default:
			return nil, fmt.Errorf("argument joborder.by: %q is not one of fifo, sjf, srtf, srsf", order.by)
		}
		if name, given := c.Arguments["joborder.resource"]; given {
			order.resource = name
		}
		if order.resource == "" {
			return nil, fmt.Errorf("argument joborder.resource: a name is missing: nvidia.com/gpu, for one")
		}
		strict, err := c.Arguments.Bool("joborder.strict", false)
		if err != nil || !strict {
			return order, err
		}
		return &inLine{byFacts: order, first: map[ledger.QueueID]ledger.JobID{}}, nil
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
	x, y := p.size(a), p.size(b)
	if x.unknown != y.unknown {
		if x.unknown {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(x.high, y.high), cmp.Compare(x.low, y.low))
}
