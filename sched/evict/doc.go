// Package evict evicts pods: all that decides which pods leave is here, but for what a later plan takes back
// (sched/withdraw.go). CONTRIBUTING.md says where to change what.
//
//	action.go           in which order queues with starving jobs are served, and when an action ends; options.go: what
//	                    it may take; preemptor_queue.go: in which order the jobs of a queue are asked
//	starving.go         which jobs starve; starving_groups.go, signature.go: which of them share an answer
//	take.go             from a job that is asked to the search for it, and to the records of its result
//	eligible.go         which pods may be victims, judged without plugins; levels.go: of which queues
//	units.go, cost.go   what is evicted together, and which victims are preferred
//	preemptor.go        what asks: a task of a job, with an action's options
//	candidates.go       the kept index: every node with a bound on the cost of victims there, the lowest first;
//	                    freeable.go: the sums that bounds are made of
//	dry_run.go          one node tried in full: the cheapest set of units that is enough; joint.go: for a gang at once;
//	                    branch_and_bound.go: the sets of units that are looked at for it;
//	                    reprieve.go: what a whole gang does not need of that stays
//	node_search.go      the node on which that costs least; search.go: for all tasks of a job, proved in a try
//	record.go, why.go   the result: what is told of an eviction, and of why there is none (why_job.go: for a job);
//	                    trace_events.go: what the trace shows
//	picked.go           what plugins pick, for action shuffle
//
// The cheapest victims (cost.go) are searched, and tried to the end before any pod is evicted (seed 002,
// decisions 11 to 17). A bound never exceeds the true cost: nodes are tried in the order of their bounds until
// the next one cannot be better. No gang is left with less than its minimum, in any action; plugins decide the rest:
// how their answers combine is in sched/policy/eviction.go.
//
// The calls, from an action to one node: Action.Execute orders the queues; preemptorQueue.serve asks their jobs; take
// asks the search for one of them; Search.Take opens a statement and places the job's tasks. A few equal tasks of a
// small gang are placed at once (joint.go: jointly). Any others are placed one after the other: place looks for free
// room, then evictFor for victims, cheapestNode for the node, and dryRun.run tries a node. What the whole job turns out
// not to need stays (reprieve.go). Engine.commit makes items of what holds.
package evict
