// Package class keeps, for every equivalence class of tasks in use, which nodes it may
// go to and which of them is best, and keeps it fresh.
//
// An Index has a row for a class: the static verdict and the static score of every
// node, and a heap of the nodes that have room now, ordered by score, then by a fixed
// hash of class and node (so that load spreads and the plan stays a function of the
// input, decision 19), then by name. The ledger's journal says which nodes changed
// since a row was last used; only those are looked at again. So an answer never
// depends on when it was asked: each row is a function of the ledger's present
// figures, whatever the history, undone tries included.
//
// Rows are a cache, bounded in bytes; a row that was dropped is built again by one
// scan. twin_test.go holds the slow twin: a scan of all nodes for every question.
package class
