// Package execute carries out the items of a plan, and reports the outcome of each.
//
// It has two kinds of queues, which share no client. The fast one carries plan items: bindings,
// evictions, nominations and phases. Each is attempted at once, retried within a bound, and answered
// with exactly one receipt. The slow ones carry what people and autoscalers read: conditions, events
// and a queue's figures. These writes have a client of their own, are merged by object, are bounded in
// rate and size, and are dropped when too many wait.
//
// The package decides nothing. The caller says what is to be written; what the object shows already is
// not written again.
//
// Invariants: every write to a pod names its UID, so that a later pod of the same name is never
// changed. A write to a volume or a claim is accepted only in the state that was decided on (for a
// resource claim, in a state that makes no difference to the decision). A write whose outcome is
// unknown is resolved by reading before it is repeated. No spec is written, except that of a volume's
// claim. Nothing is sent while Options.Leading is false, not even what had been handed to client-go before
// (leading.go). How many requests are under way depends on how fast the server answers (limit.go); there is
// no fixed rate for the fast queue.
package execute
