// Package loop is the live scheduler: observe, decide, carry, and again.
//
// One goroutine owns the engine. It sleeps until something was seen, a plan was
// answered, time has come or a period is over; gathers for two milliseconds what
// belongs together; and runs a cycle. Words for people (tell.go) and gangs that stand
// half (mend.go, by what origin.go knows of them) come after, at most once a second and
// for at most a tenth of the time.
//
// It is crash-only: nothing is kept on disk, whatever is known comes from the API, and
// losing the lease ends the run. It decides nothing the engine could decide.
//
// Invariants: no decision before every informer has synced, nor, after taking over
// from another scheduler, before its last bindings were read; nothing is carried
// without the lease; a panic in a cycle costs that cycle and the job that caused it,
// not the scheduler; a configuration that is bad is not taken; a cluster at rest is
// not written to.
package loop
