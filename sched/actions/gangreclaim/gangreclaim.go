// Package gangreclaim names reclaim for whole gangs: it does across queues what gangpreempt does inside a
// queue.
package gangreclaim

import (
	"ashlar.sh/sched/evict"
	"ashlar.sh/sched/policy"
)

// Name is the action's name in a configuration.
const Name = "gangreclaim"

// Options are those of gangreclaim.
func Options(args policy.Arguments) evict.Options {
	return evict.OfGangs(evict.OtherQueues, args)
}
