// Package reclaim names the action that gives queues back what they deserve, by taking room from queues
// that hold more than they deserve (seed 002 §6).
//
// Queues with starving jobs take turns as in allocate. A queue that is overused is served no more.
// Plugins say whether a queue may take room for a job at all (Preemptive) and which units may be
// evicted (Reclaimable), again for every job and every victim. Queues nearer in the tree give before
// farther ones. Everything else is as in preempt: one statement for a job, proved before any pod is
// evicted.
//
// evict.Action.Execute runs the action. This package has only its name and its options.
package reclaim

import "ashlar.sh/sched/evict"

// Name is the action's name in a configuration.
const Name = "reclaim"

// Options are those of reclaim.
func Options() evict.Options {
	return evict.Options{Action: Name, Scope: evict.OtherQueues, WholeGangs: true}
}
