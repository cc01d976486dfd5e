// Package preempt names the action that makes room inside a queue (seed 002 §2).
//
//  1. Queues with starving jobs are served one after the other, in queue order.
//  2. In each, jobs take room from other jobs of the queue, in job order: for the
//     rest of a minimum as a whole, and only once every task is proved to have a place with the victims
//     gone.
//  3. Then tasks of a job take room from less important tasks of the same job.
//
// The plugins of Preemptable say which pods may be evicted, and no gang is left below its
// minimum (decisions 11 and 12). The room that is freed is reserved; allocate gives it to the task that it
// was freed for once the victims are gone.
//
// evict.Action.Execute runs the action. This package has only its name and its options.
package preempt

import (
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/policy"
)

// Name is the action's name in a configuration.
const Name = "preempt"

// Options are those of preempt. The arguments are those of topology-aware preemption (seed 002 §7.2), which were
// checked when the configuration was read. topologyAwarePreemptWorkerNum is not used: it says how many nodes are
// tried at once, which does not change the result; nodes are tried one at a time.
func Options(args policy.Arguments) evict.Options {
	on, _ := args.Bool("enableTopologyAwarePreemption", false)
	percent, _ := args.Int("minCandidateNodesPercentage", 10)
	least, _ := args.Int("minCandidateNodesAbsolute", 1)
	most, _ := args.Int("maxCandidateNodesAbsolute", 100)
	return evict.Options{Scope: evict.SameQueue, WholeGangs: true, OwnMembers: true,
		Sample: evict.Sample{On: on, Percent: int(percent), Least: int(least), AtMost: int(most)}}
}
