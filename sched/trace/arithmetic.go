package trace

// Arithmetic is how a queue came by what it may hold and deserves of one dimension: the
// numbers of each step, in the engine's units, without a word. Limits first: Levels are
// the queues from root down to the queue itself, and the last one's Real is what it may
// hold. Then deserved: shared out by weight, or as its spec says.
type Arithmetic struct {
	Dim    string
	Levels []Level

	// Weight is above zero where deserved is shared out by weight (seed 000 §4), in
	// Rounds, to those who Request. Otherwise Named is what the spec says (for root: the
	// cluster), and deserved is that within Real, raised to Guarantee (decision 1).
	Weight    int64
	Request   int64
	Rounds    []Round
	Named     int64
	Guarantee int64 // as it counts: within capability, in a tree within what the parent can hold
	Deserved  int64
}

// Real is what the queue may hold (realCapability).
func (a *Arithmetic) Real() int64 { return a.Levels[len(a.Levels)-1].Real }

// Level is a queue's realCapability: what the guarantees of all children of the queue
// above leave of what that one may hold, and its own guarantee, within its capability
// and what the queue above may hold.
type Level struct {
	Queue      string
	Above      int64 // what the queue above may hold; for root, what the nodes have
	Promised   int64 // the guarantees of all queues below the same one, its own among them
	Guarantee  int64 // its own
	Capability int64 // its own or the nearest above that names one, where Bounded
	Bounded    bool
	Real       int64
}

// Round is what one round of sharing by weight did to the queue; none where it was met
// before. See fair.Round and fair.Step, whose figures these are.
type Round struct {
	Number      int   // from 1
	TotalWeight int64 // of the queues that were not met
	Remaining   int64 // what there was to share
	Given       int64 // the queue's part; when settling, the change
	Capped      int64 // what it had and was given, within Real
	Asked       int64 // that within Request
	Value       int64 // that raised to Guarantee: deserved after the round
	Met         bool  // it takes no part in later rounds
	Settling    bool  // the rounds stopped short of the water level: this settles it
}
