// Package gangreclaim names reclaim for whole gangs: it does across queues what gangpreempt does inside a
// queue.
package gangreclaim

import "ashlar.sh/sched/evict"

// Name is the action's name in a configuration.
const Name = "gangreclaim"

// Options are those of gangreclaim.
func Options(a evict.GangArguments) evict.Options { return a.Options(Name, evict.OtherQueues) }
