// Package sim is the other world: a virtual clock, nodes that obey at once, pods that
// run for as long as they are told, and an engine that decides for them.
//
// It is what the live scheduler's shell is to a cluster, without the cluster. Facts go
// in, a plan comes out; the plan is carried out to the letter, answered with receipts,
// and shows as facts in the next cycle. Cycle after cycle this is the engine that runs
// in production, so what a world shows is what a cluster with obedient nodes would do.
//
// It is not a model of Kubernetes: nothing is slow, refused or lost, controllers do
// nothing but replace what was theirs, and there is no concurrency.
//
// Invariants: no clock but the virtual one, no randomness; equal items, in any order,
// give equal worlds, byte for byte; time never stands still and never runs backwards;
// a world in which nothing can happen any more says so.
package sim
