// Package readapi answers over HTTPS what the live scheduler knows: why a job waits, its jobs, queues, nodes and pods,
// and a stream of what changes. It reads only. Package access finds out which user asks and what that user may read.
//
// The engine belongs to one goroutine, which decides. The package never reads it from another: Scheduler.Ask has
// a question answered between two cycles, within a share of that goroutine's time. Lists and streams come from one
// copy of the engine's report, which is made when somebody asks and serves all clients for a while. Jobs that are not
// submitted yet are tried on a copy of the engine itself.
//
// Invariants: without a user that the API server knows nothing is told; without the right to list the pods of a
// namespace no name of it is told, only sums. A scheduler that does not act answers nothing but where the one is that
// does. A client costs bounded memory and time, whatever it sends and however slowly it reads; a panic ends the one
// request. Each answer names the cycle that it is about.
package readapi
