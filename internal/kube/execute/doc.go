// Package execute carries out the items of a plan, and reports the outcome of each.
//
// It has queues of two kinds, which share no client. Plan items are each attempted at once, retried within a
// bound, and answered with exactly one receipt: those about pods (bindings, evictions, nominations, gates) and
// phases that a controller waits for in the fast queue, all other phases in one for PodGroups, together with
// conditions. The slow queues carry what people and autoscalers read: conditions of pods, events and a
// queue's figures. These writes have a client of their own, are merged by object, are bounded in
// rate and size, and are dropped when too many wait.
//
// The package decides nothing. The caller says what is to be written; what the object shows already is
// not written again.
//
// Invariants: every write to a pod names its UID, so that a later pod of the same name is never
// changed. A write to a volume or a claim is accepted only in the state that was decided on (for a
// resource claim, in a state that makes no difference to the decision). Where the outcome of a write
// is unknown, the object is read before the write is repeated. No spec is written, except that of a volume's
// claim. Nothing is sent while Options.Leading is false, not even what had been handed to client-go before
// (leading.go). How many requests are under way depends on how fast the server answers (limit.go); there is
// no fixed rate for the fast queue.
package execute
