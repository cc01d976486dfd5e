// Package victims finds out who has to leave so that a task has a place: the fewest and
// cheapest, tried to the end before anybody is evicted (seed 002, decisions 11 to 17).
//
// A Hunt answers one kind of question: whom to evict, on which node, so that this task
// fits there under every filter and every rule of its queue? All that it finds out it
// finds out by doing it: evictions and the placement happen in a try of the ledger, are
// judged there by the plugins, and are taken back unless they are the best.
//
//	cells   what could be freed on each node, by queue and priority: kept by the journal
//	row     for one kind of claim, every node with a bound on its cost, the least first
//	trial   one node in earnest: its units, the cheapest set of them that is enough
//
// The bound never exceeds the true cost, so nodes are tried in the order of their bounds
// until the next one cannot be better. Where no node has a bound, amounts alone rule the
// claim out, and nothing is tried.
//
// Whoever leaves is a unit (decision 12): a member above its gang's minimum, or a whole
// gang. The package sees to it that no gang is left with less than its minimum, in every
// action; the rest is for plugins to say. It decides for whom nothing; actions do.
package victims
