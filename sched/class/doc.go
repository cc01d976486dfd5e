// Package class knows, for every equivalence class of tasks in use, on which nodes its tasks may be placed and which of
// them is best, and keeps that up to date. Best, in best.go, is where a reader begins.
//
// It has three layers. A result cache holds what one static filter or score says of every node, for one part of specs:
// a set of nodes, or raw scores. All classes that are equal in that part share it. A feasibility puts the result caches
// of a class together: it says whether a node takes a task, and scores it. A ranking keeps nodes in tournaments. The
// winner has the highest score, then the lowest fixed hash of class and node (so that load spreads and the plan stays a
// function of the input, decision 19), then the first name. A class with a single task has no ranking: one pass over
// the columns finds its node. In both cases a node that would not win is not asked whether it takes the task, where
// scores cost less than that answer (policy.BulkOrder).
//
// The ledger's feeds say which nodes changed since something was last used, and only these are looked at again. So an
// answer is a function of the ledger's present figures: it depends neither on when nor in which way it was found, nor
// on the history, undone tries included.
//
// Result caches and rankings are bounded in bytes. What was dropped is built again by one scan. oracle_test.go has the
// slow oracle: a scan of all nodes for every question.
package class
