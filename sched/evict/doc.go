// Package evict evicts pods: everything that decides which pods leave is here.
//
// To change which jobs are asked, in which order, and when an action ends: execute.go, starving.go,
// preemptor_queue.go. What an action may take: options.go. Which pods may be victims (never a pod younger than
// 30 s): eligible.go; which queues, and the nearer ones first: levels.go; what is evicted together: units.go.
// Which victims are preferred (those of the queue furthest above its share): cost.go and units.go. How a set of
// victims is proved: dry_run.go for one task, joint.go for a gang. What is told: record.go, tell.go, why.go.
//
// The fewest and cheapest victims are searched, and tried to the end in a try of the ledger before any pod is
// evicted (seed 002, decisions 11 to 17):
//
//	freeableSum     what could be freed on a node, by queue and priority; follows the ledger's feed of nodes
//	candidateNodes  for one kind of preemptor: every node with a bound on its cost, the lowest first
//	dryRun          one node tried in full: its units, and the cheapest set of them that is enough
//
// A bound never exceeds the true cost. So nodes are tried in the order of their bounds until the next
// one cannot be better. Where no node has a bound, the amounts alone show that no place can be made,
// and nothing is tried.
//
// Victims are evicted by units (decision 12): a member above its gang's minimum, or a whole gang. The
// package makes sure that no gang is left with less than its minimum, in every action; plugins decide the rest.
package evict
