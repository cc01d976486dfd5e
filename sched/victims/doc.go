// Package victims finds the pods that have to be evicted so that a task has a place: the fewest and
// cheapest, tried to the end before any pod is evicted (seed 002, decisions 11 to 17).
//
// A Search answers one kind of question: which victims, on which node, are needed so that this task
// fits there under every filter and every rule of its queue? It finds the answer by trying: the
// evictions and the placement are made in a try of the ledger, the plugins judge them there, and they
// are taken back unless they are the best.
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
// package makes sure that no gang is left with less than its minimum, in every action; plugins decide
// the rest. The package does not decide which job may have victims; actions do.
package victims
