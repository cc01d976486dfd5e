// Package observe watches a cluster and hands on what it sees as the engine's facts.
//
// Client-go's informers list and watch the kinds that decisions rest on. Nodes, pods,
// PodGroups, Queues and PriorityClasses are always watched; another kind (kinds.go) is watched
// if the engine reads it, as soon as the API server serves it. What the informers report waits
// in one queue until the loop drains it. The loop's goroutine then translates it, so that an object
// that changes ten times between two cycles is translated once. Pods are the exception: their transform
// translates them, in the goroutine that reads the watch, and the informer keeps the fact instead of the pod. What
// their transform drops is not decoded (podclient.go, cuts.go).
//
// It is not a second cache for decisions: informers keep only what the transforms leave of an object. Objects are read
// back to write: changes are merged into the status of PodGroups and Queues, volumes and devices are bound with
// execute.Storage, and a pod's status shows what it was told already. An engine that is made anew gets all facts (All).
//
// Refresh lists the metadata of pods past the watches. It reads each pod that the list has in a newer version than
// the watch, and each that the watch shows and the list does not (refresh.go). If the watch never shows a pod of that
// list, the pod is read again (ahead.go): when a watch is lost, the list that replaces it does not show a pod that
// came and went meanwhile.
//
// Invariants:
//   - The queue has only the newest state of an object with one UID. Of two objects of one name,
//     one after the other, it has both, in their order.
//   - An update that changes nothing that scheduling reads is no fact.
//   - Synced is true only when every informer has delivered its first list. The loop decides
//     nothing before.
package observe
