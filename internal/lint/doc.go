// Package lint finds in the objects of a cluster what does not do what its author meant: what is refused or replaced,
// guarantees that add up to more than there is, jobs that can never run, HyperNodes that are no tree.
//
// It decides nothing and reads nothing: it is given what was read, and an engine that has run one cycle on it, and asks
// that. Each Finding has the name of a rule, which stays the same, and says where it is, what is wrong and what to do.
//
// Invariants: equal input gives equal findings, in the order of files and lines; what is not among the input is taken
// to be missing only where the input says that it has all of that kind; no input panics.
package lint
