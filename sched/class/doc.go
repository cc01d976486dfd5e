// Package class keeps, for every equivalence class of tasks in use, which nodes it may
// go to and which of them is best, and keeps it fresh.
//
// What is known stands in three layers. A result cache is what one static filter or score
// says of every node, for one part of specs, shared by all classes that are equal in
// it: a set of nodes, or raw scores. A view is a class's result caches put together. A row has a
// contest besides, among the nodes that have room now: won by the score, then by a fixed
// hash of class and node (so that load spreads and the plan stays a function of the input,
// decision 19), then by name. A class of a single task has none: one pass over the columns
// finds its node. Either way a node with which a task would not win is not asked whether
// it takes it, where scores come cheaper than answers (policy.BulkOrder).
//
// The ledger's journals say which nodes changed since something was last used; only
// those are looked at again. So an answer never depends on when it was asked, nor on
// which way it was found: it is a function of the ledger's present figures, whatever
// the history, undone tries included.
//
// Result caches and contests are caches, bounded in bytes; what was dropped is built again by one
// scan. twin_test.go holds the slow twin: a scan of all nodes for every question.
package class
