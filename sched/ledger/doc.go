// Package ledger keeps who holds what: dense rows of nodes, tasks, jobs and queues,
// their figures, and every change to them.
//
// Facts arrive through Apply and are kept as they came; rows are made for whatever
// is named, so a reference that dangles is a row nobody has seen yet (Fact == nil),
// not an error. Everything else is derived and moves in O(1) with each task: a
// node's Idle, Releasing and Pipelined, a job's counts by status and role, what its
// queue and all its ancestors hold, ask for, reserve and may give back.
//
// Between facts, tasks move only inside Try: what a try that fails did never was, to
// the bit. A try that holds leaves Ops, which the engine turns into a plan, or soft
// holds, which the next cycle takes back.
//
// Identities, checked by Audit against a recount from scratch:
//
//	Idle + Used = Allocatable
//	FutureIdle  = Idle + Releasing - Pipelined
//	Room        = min(Idle, FutureIdle), what a task may take now
//
// The ledger decides nothing and knows no plugin. Row numbers are reused and depend
// on history: nothing decided or shown may depend on them.
package ledger
