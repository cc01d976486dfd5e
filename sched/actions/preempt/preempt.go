// Package preempt names the action that makes room inside a queue (seed 002 §2).
//
//  1. Queues with starving jobs are served one after the other, in queue order.
//  2. In each, jobs take room from other jobs of the queue, in job order: for the
//     rest of a minimum as a whole, and only once every task is proved to have a place with the victims
//     gone.
//  3. Then tasks of a job take room from less important tasks of the same job.
//
// The plugins of Preemptable say which pods may be evicted, and no gang is left below its
// minimum (decisions 11 and 12). The room that is freed is kept; allocate gives it to the task that it
// was freed for once the victims are gone.
//
// evict.Action.Execute runs the action. This package has its name, arguments and options.
package preempt

import (
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/session"
)

// Name is the action's name in a configuration.
const Name = "preempt"

// Arguments are those of preempt: the ones of topology-aware preemption (seed 002 §7.2), and session.ErrorCache.
type Arguments struct {
	session.ErrorCache
	aware                bool
	percent, least, most int64
}

// AddArguments implements policy.Struct.
func (a *Arguments) AddArguments(s *policy.ArgumentSet) {
	a.ErrorCache.AddArguments(s)
	s.Bool(&a.aware, "enableTopologyAwarePreemption", false,
		"take the best of a sample of the nodes where victims can be found, not of all of them")
	s.Int(new(int64), "topologyAwarePreemptWorkerNum", 16,
		"how many nodes are tried at once; changes no outcome, one is tried at a time").In("nodes")
	s.Int(&a.percent, "minCandidateNodesPercentage", 10, "how many of the nodes to try at least").
		AtLeast(0).AtMost(100).In("% of the nodes")
	s.Int(&a.least, "minCandidateNodesAbsolute", 1, "how many nodes to try at least").AtLeast(0).In("nodes")
	s.Int(&a.most, "maxCandidateNodesAbsolute", 100, "how many nodes to try at most").AtLeast(0).In("nodes")
}

// Options are those of preempt.
func Options(a Arguments) evict.Options {
	return evict.Options{Action: Name, Scope: evict.SameQueue, WholeGangs: true, OwnMembers: true,
		Sample: evict.Sample{On: a.aware, Percent: int(a.percent), Least: int(a.least), AtMost: int(a.most)}}
}
