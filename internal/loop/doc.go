// Package loop is the live scheduler: it observes, decides, carries out, and begins again.
//
// One goroutine owns the engine. It sleeps until an object changed, an item of a plan was answered,
// the engine's next time has come, or a period is over. It then waits until the last cycle has been
// over for two milliseconds, so that changes that come together are decided together, runs a cycle (once, in cycle.go)
// and has its plan carried out (execute). Statuses and events (report.go) and gangs that are half bound (stranded.go,
// by what origin.go knows of them) come after the cycle, at most once a second and for at most a tenth of the time, or
// for up to a quarter of it where they would else come later than after 1.4 s (betweenRounds).
//
// It is crash-only: no state is kept on disk, all knowledge comes from the API, and losing the lease
// ends the run. It decides nothing that the engine could decide.
//
// Invariants: nothing is decided before every informer has synced, nor, after a take-over from another
// scheduler, before its last bindings were read; nothing is sent without the lease; a panic in a cycle
// costs that cycle and the job that caused it, not the scheduler; a bad configuration is not used; nothing is
// written to a cluster in which nothing changes.
package loop
