// Package search finds places: for a gang, places for all of it.
//
// PendingTasks lists the tasks of a job that are to be placed, in order. Attempt places one batch of them inside one
// try: a job below its minimum as a whole or not at all, a job above it one task at a time, so that the rotation of
// queues stays fair (seed 003 §3.3). Nothing here evicts a pod, as package evict does, or keeps room for a job that
// waits, as package backfill does.
//
//	attempt.go   what is asked for: an attempt, a loan, an answer only; the statement of a job without domains
//	decide.go    which way a job is placed: three deciders, each inside the one before
//	kept_room.go, planned_room.go   which of the room that package backfill keeps for other jobs a job may take
//	lost.go, nominated.go   room that lost members and the job's own nominations hold
//	domains.go   the statement of a job with domains of the network or sub-groups: the domain of the job; parts.go,
//	             remaining_parts.go, places.go: of each sub-group in it; exhaust.go: small gangs, node by node
//	colocate.go  a gang of which the members are to share a domain by affinity to each other
//	gradient.go, nearest.go   the node for a task
//	besteffort.go             members that ask for nothing
//	refuse.go, report.go, trace_events.go   why a task, and why the job, has no place; what the trace shows
//	domain_choice.go          the domains in which package evict looks for victims
package search
