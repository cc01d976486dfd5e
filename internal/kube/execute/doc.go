// Package execute carries out the items of a plan, and reports the outcome of each.
//
// It has fast and slow queues of requests; they share no client. Each plan item is attempted as soon as the API
// server's limit and the claims before it allow, retried within a bound, and answered with exactly one receipt. The
// fast queue has the items about pods (bindings, evictions, nominations, gates) and the phases that a controller waits
// for. All other phases are in a queue for PodGroups, together with conditions. The slow queues have what people and
// autoscalers read: conditions of pods, events and the figures of Queues. These writes are merged by object, bounded
// in rate and size, and dropped when too many wait.
//
// The package decides nothing. The caller says what is to be written; what the object shows already is
// not written again.
//
// Invariants: every write to a pod names its UID, so that a later pod of the same name is never
// changed. A write to a volume or a claim is accepted only in the state that was decided on (for a
// resource claim, in a state that makes no difference to the decision). Where the outcome of a write
// is unknown, the object is read before the write is repeated. Of the specs of objects that are there only the
// claim of a volume and the queue's gate of a pod are written. Nothing is sent while Options.Leading is false, not
// even what had been handed to client-go before (leading.go). How many requests are under way depends on how fast the
// server answers (limit.go); there is no fixed rate for the fast queue.
package execute
