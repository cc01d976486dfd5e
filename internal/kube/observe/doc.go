// Package observe watches a cluster and hands on what it sees as the engine's facts.
//
// Client-go's informers list and watch the kinds that decisions rest on: nodes, pods,
// PodGroups, Queues and PriorityClasses always, and of the others (kinds.go) those that
// the engine reads and the API server serves, from when it does. What they report waits
// in one queue until the loop drains it. Translation happens there, in the loop's goroutine, so that an object
// that changes ten times between two cycles is translated once. Pods are the exception: their transform
// translates them, in the goroutine that reads the watch, and the informer keeps the fact instead of the pod.
//
// It is not a second cache for decisions: informers keep only what the transforms leave of an object. Objects are read
// back only to write: changes are merged into the status of PodGroups and Queues, volumes and devices are bound with
// execute.Storage, and a pod's status shows what it was told already.
//
// What a list past the watches told (Refresh) and the watch never shows is asked for again
// (ahead.go): a watch that was lost and made up for by a list says nothing of a pod that came
// and went meanwhile.
//
// Invariants: of one life of an object only the newest state waits in the queue, of two
// lives both, in their order; an update that changes nothing scheduling reads is no
// fact; Synced is true only when every informer has delivered its first list, so a
// decision before that can be, and is, refused.
package observe
