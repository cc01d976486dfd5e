package trace

// Arithmetic is how the limit of a queue and its deserved amount come about in one dimension: the numbers of each
// step, in the engine's units. First the limit: Levels are the queues from root down to the queue itself, and the
// Real of the last one is what the queue may hold. Then deserved: shared out by weight, or as its spec says.
type Arithmetic struct {
	Dim    string
	Levels []Level

	// Weight is above zero where deserved is shared out by weight (seed 000 §4), in Rounds, among the queues
	// with a Request. Otherwise Named is what the spec says (for root: what the nodes have), and deserved is
	// Named, at most Real and at least Guarantee (decision 1).
	Weight    int64
	Request   int64
	Rounds    []Round
	Named     int64
	Guarantee int64 // as it counts: within capability, in a tree within what the parent can hold
	Deserved  int64

	Memory Memory // without Weight: shares do not remember what was used
}

// Memory is how a share comes about that remembers: Weight, in thousandths, of what was used lately, and the rest of
// what is held. HalfLife is in nanoseconds.
type Memory struct {
	Weight, HalfLife int64
	Held, Used       int64
	ShareMicro       int64 // of what is deserved, in millionths
}

// TenantShare is where a tenant stands in a queue: what it holds and used lately of a resource, that of its largest
// share.
type TenantShare struct {
	Tenant string
	Dim    string // "": it has no share
	Memory
}

// Real is what the queue may hold (realCapability).
func (a *Arithmetic) Real() int64 { return a.Levels[len(a.Levels)-1].Real }

// Level is how the realCapability of one queue comes about: what the queue above may hold, less the guarantees of
// all its children, plus the guarantee of this one; at most its capability, and at most what the queue above may
// hold.
type Level struct {
	Queue           string
	Above           int64 // what the queue above may hold; for root, what the nodes have
	ChildGuarantees int64 // the guarantees of all children of the queue above, this one included
	Guarantee       int64 // its own
	Capability      int64 // its own, or that of the nearest queue above that names one; only where Bounded
	Bounded         bool
	Real            int64
}

// Round is one round of sharing by weight, as far as it concerns the queue. There is none for rounds after the
// queue's request was met. The figures are those of fair.Round and fair.Step.
type Round struct {
	Number      int   // from 1
	TotalWeight int64 // of the queues that were not met
	Remaining   int64 // what there was to share
	Given       int64 // the queue's part; in a correction, the change
	Capped      int64 // what it had before and Given, at most Real
	Asked       int64 // Capped, at most Request
	Value       int64 // Asked, at least Guarantee: deserved after the round
	Met         bool  // it takes no part in later rounds
	Correction  bool  // the rounds stopped short of the water level: this makes up for it
}
