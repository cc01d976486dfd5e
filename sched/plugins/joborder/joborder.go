// Package joborder serves the jobs of a queue in an order that is known before they run: by creation,
// by length, or by how much of the cluster they need.
//
//	fifo  the job created first
//	sjf   the shortest: by the longest time that any member takes
//	srtf  the one with the least time left: as sjf, of members that have not finished
//	srsf  the one with the least service left: the sum over members that have not finished
//	      of their time and what they ask for of one resource
//
// How long a member takes is what its pod says (ashlar.sh/duration). The value is trusted; nothing is
// learnt from earlier runs. A job with a member that does not say comes after all jobs that do, since
// it may be long. Equal jobs are left to the plugins after it, and finally to age and name.
//
// It is the order in which waiting jobs are served. There, a running member counts in full. A gang that
// waits has run nothing, so srtf and sjf differ only for jobs of which a part runs, or of which pods came
// back with less to do than before.
//
// With preempt, which srtf and srsf have, the action preempt follows the order, too: a job may take the
// room of a job of equal priority that has more left. Then what a member has run since it started
// counts as done. A running job only comes closer to its end, so a refusal never changes with time
// alone.
//
// With strict, the first job of the order that could start, and has not, holds back all jobs behind it
// in its queue, as in papers that compare with "FIFO". Without it, a job that does not fit is skipped.
// A job that is not admitted or lacks pods holds back no other.
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

// Definition is the plugin "joborder".
func Definition() policy.Definition {
	return policy.Define("joborder", "jobs of a queue by age, time or service", build)
}

type arguments struct {
	by, resource    string
	strict, preempt bool
}

func (a *arguments) AddArguments(s *policy.ArgumentSet) {
	s.OneOf(&a.by, "joborder.by", []string{fifo, sjf, srtf, srsf},
		"first come, shortest, least time left, least service left")
	s.Text(&a.resource, "joborder.resource", "nvidia.com/gpu", "what srsf multiplies a member's time with")
	s.Bool(&a.preempt, "joborder.preempt", false,
		"srtf, srsf: jobs with more left are stopped for it (action preempt)")
	s.Bool(&a.strict, "joborder.strict", false, "a job that is first and does not fit holds up those behind it")
}

func build(a arguments, l *ledger.Ledger) (policy.JobOrder, error) {
	order := &byFacts{l: l, by: a.by, resource: a.resource}
	switch {
	case a.preempt && a.strict:
		return nil, policy.BadArgument("joborder.strict",
			"it does not go with joborder.preempt: a job for which room is made holds up no other")
	case a.preempt && order.by != srtf && order.by != srsf:
		return nil, policy.BadArgument("joborder.preempt",
			"joborder.by is %q: only srtf and srsf say what a job that runs has left", order.by)
	case a.preempt:
		return &preempting{byFacts: order}, nil
	case a.strict:
		return &inLine{byFacts: order, first: map[ledger.QueueID]held{}}, nil
	}
	return order, nil
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
