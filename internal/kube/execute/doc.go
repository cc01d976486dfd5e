// Package execute does what a plan asks for, and says what became of it.
//
// Two roads that never meet. The fast one carries plan items: bindings, evictions,
// nominations and phases, each attempted at once, retried within a bound, and answered
// with exactly one receipt. The slow one carries words for people and autoscalers:
// conditions, events and a queue's figures, through a client of its own, coalesced by
// object, bounded in rate and size, and dropped rather than waited for.
//
// It decides nothing. What is to be said is the caller's business; what is already
// said is not written again.
//
// Invariants: every write to a pod names its UID, so that the next life of a name is
// never touched; one to a volume or a claim is taken only in the state that was decided on
// (or, of a resource claim, in one that makes no difference to that); a write whose outcome
// is unknown is resolved by reading before it is repeated; spec is never written, but for a
// volume's claim; nothing is sent while Options.Leading is false; how many requests are under
// way follows from what the server bears (limit.go), there is no fixed rate on the fast road.
package execute
