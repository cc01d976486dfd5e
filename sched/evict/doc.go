// Package evict evicts pods: all that decides which pods leave is here. CONTRIBUTING.md says where to change what.
//
//	execute.go          in which order starving jobs are asked, and when an action ends; options.go: what it may take
//	eligible.go         which pods may be victims, judged without plugins; levels.go: of which queues
//	units.go, cost.go   what is evicted together, and which victims are preferred
//	preemptor.go        what asks: a task of a job, with an action's options
//	candidates.go       the kept index: every node with a bound on the cost of victims there, the lowest first
//	dry_run.go          one node tried in full: the cheapest set of units that is enough; joint.go: for a gang at once;
//	                    reprieve.go: what a whole gang does not need of that stays
//	node_search.go      the node on which that costs least; search.go: for all tasks of a job, proved in a try
//	record.go, why.go   the result: what is told of an eviction, and of why there is none
//
// The fewest and cheapest victims are searched, and tried to the end before any pod is evicted (seed 002,
// decisions 11 to 17). A bound never exceeds the true cost: nodes are tried in the order of their bounds until
// the next one cannot be better. No gang is left with less than its minimum, in any action; plugins decide the rest:
// how their answers combine is in sched/policy/judge.go.
// Data flows one way: preemptor, candidates, dry run, node search, search, result.
package evict
