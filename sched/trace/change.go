package trace

// ChangeKind names a kind of change that would make a job run. It is part of the contract with users: kinds are
// added, never renamed.
type ChangeKind string

// The kinds of changes, the job's own specification first. Object, Text, From and To mean what is said here.
const (
	// The gang has To members at least instead of From, and minResources in step
	ChangeGang ChangeKind = "GangSize"
	// Each pod asks for To of Text instead of From
	ChangeRequest ChangeKind = "PodRequest"
	// Its pods may be as far apart as tier To instead of From; To -1: as far as they like. Text: of a sub-group policy
	ChangeTier ChangeKind = "TopologyTier"
	// Its pods tolerate taint Text, which Count nodes have
	ChangeToleration ChangeKind = "Toleration"
	// Its pods do not ask for label Text of a node; "": for required node affinity
	ChangeSelector ChangeKind = "NodeSelector"
	// It has priority class Text, of value To, instead of a priority of From
	ChangePriority ChangeKind = "Priority"
	// It is in queue Object instead of Text
	ChangeQueue ChangeKind = "Queue"
	// Its pods have no scheduling gates; From have some
	ChangeGates ChangeKind = "SchedulingGates"
	// Queue Object is open; Text is its state
	ChangeQueueState ChangeKind = "QueueState"
	// There is a queue Object
	ChangeQueueAdded ChangeKind = "QueueAdded"
	// Queue Object has a capability of Amounts
	ChangeCapability ChangeKind = "QueueCapability"
	// Queue Object has a deserved of Amounts
	ChangeDeserved ChangeKind = "QueueDeserved"
	// Queue Object has weight To instead of From
	ChangeWeight ChangeKind = "QueueWeight"
	// ResourceQuota Object (namespace/name) allows Amounts
	ChangeQuota ChangeKind = "ResourceQuota"
	// What other pods hold is free in so many places: Where. Object is the HyperNode of tier To that they are in, ""
	// where it makes no difference
	ChangeRoom ChangeKind = "FreeRoom"
	// There are Count more nodes like Object
	ChangeNodes ChangeKind = "MoreNodes"
	// Jobs have ended
	ChangeEnd ChangeKind = "JobsEnd"
)

// Change is one thing that would have to be otherwise. Amounts are in the engine's units.
type Change struct {
	Kind     ChangeKind
	Object   string
	Text     string
	From, To int64
	Count    int
	Amounts  []AmountChange // by name, cpu and memory first
	Where    []Freed        // by node
	Jobs     []string       // as they are shown, namespace/name; sorted
	// Least says that the change is the smallest of its kind: it was tried, with everything else as it is, that one
	// step less does not do. A step is one member, tier, node, unit of weight or job; of amounts a device, 100m of
	// cpu or 1Mi.
	Least bool
}

// AmountChange is what one dimension of a limit would have to be, and what it is.
type AmountChange struct {
	Dim      string
	From, To int64
}

// Freed is room that others would have to leave on a node.
type Freed struct {
	Node   string
	Dim    string
	Amount int64
}

// Way is a set of changes that make a job run together; the engine has run with them.
type Way struct {
	Changes []Change
	Cycles  int      // in which cycle it starts
	Evicts  []string // the pods that are evicted for it, namespace/name, sorted
}

// WouldRun is what would make a job run, as far as it was looked for.
type WouldRun struct {
	Job  string
	Soon int   // without any change it starts in this cycle, the next one being 1; 0: it does not
	Ways []Way // those of the job's own specification first, then those of queues, then room
	Runs int   // cycles of the engine that were spent
	Cut  bool  // they were not enough to try everything
}
