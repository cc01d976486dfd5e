// Package manifest reads a cluster from files: YAML or JSON as kubectl prints it, into
// the facts an engine is told.
//
// Load reads files, folders and standard input into a Set and says, with file and line,
// everything that the API server would refuse: documents that are malformed, nameless or
// of no known kind, and fields of the wrong type. Expand plays the controllers once:
// Deployments, StatefulSets, ReplicaSets, batch Jobs and Volcano's Jobs get the pods they
// ask for, and Volcano's Jobs their PodGroup. What comes out, a World, needs no type of
// Kubernetes to be used.
//
// It is not a client and not an API server: no admission, no defaults but those that
// placing pods depends on. What an object means is package translate's to say; whether
// objects fit together is the engine's.
//
// The controllers are played simply. All pods of a workload are there from the start: a
// StatefulSet does not wait for one pod before the next, a batch Job with more
// completions than parallelism has its first pods and no later ones, and dependsOn of
// Volcano's Jobs is not read. A workload that has finished, or has pods among the input,
// makes none.
//
// Invariants: no input panics; the work is bounded by the size of the input and of what
// its workloads ask for, of which at most a million pods are made; the order of documents
// never changes a World, but that the last of two objects of one name holds.
package manifest
