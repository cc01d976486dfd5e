// Package ledger records which tasks hold which resources, or wait for them to be freed. It has a row for each node,
// task, class, job and queue, figures for each row, and all operations that change them.
//
// Facts come in through Apply and are kept as they came. A name that a fact mentions gets a row; a row without
// a fact of its own (Fact == nil) is a reference to an object that is not known, not an error. Everything else
// is derived, and is updated in O(1) with each move of a task: a node's Idle, Releasing and Pipelined, a job's
// counts by status and role, and what its queue and all the queue's ancestors hold, ask for, have in queue and may
// give back.
//
// Between facts, tasks move only inside Try. When a try fails, every change in it is undone exactly. When it
// succeeds, it leaves Ops, from which the engine makes a plan, or provisional places, which the next cycle
// takes back.
//
// These identities hold; Audit checks them by counting everything anew:
//
//	Idle + Used = Allocatable
//	FutureIdle  = Idle + Releasing - Pipelined
//	Room        = min(Idle, FutureIdle), what a task may take now
//
// Files are named by what they hold:
//
//	facts_*     what the cluster said, of objects that have no row of their own
//	row_*       a row for each node, task, class, job and queue, and how names and lists find it
//	accounts_*  the figures of nodes, jobs and queues, kept right while tasks move
//	tx          tries, and the log that undoes them
//	commitments what was decided and is not visible in the facts yet
//	changes_*   the feed of what changed, for whatever is derived from the ledger
//	memory_*    what is remembered beside facts: kept room, losses, waiting jobs, charges, backoffs, evictions, rounds,
//	            minimums that jobs have had, usage, run times
//	plugin_*    what plugins follow of every move
//	audit_*     the slow recount of all of this
//
// The ledger decides nothing and knows no plugin. Row numbers are reused and depend on history: no decision
// and no output may depend on them.
package ledger
