package ledger

// Changes is what changed: the feeds, by kind, and the epochs, which count changes that only matter as a whole.
type Changes struct {
	// Nodes names the nodes of which figures or facts changed, or which tasks on them may be evicted.
	Nodes Feed[NodeID]
	// NodeFacts names the nodes of which labels, taints, presence or what they offer may have changed.
	NodeFacts Feed[NodeID]
	// Jobs names the jobs that changed, came or went. A row may belong to another job by now.
	Jobs Feed[JobID]
	// QueueUsage names the queues of which Allocated or Request changed by moves of their own jobs; those of the
	// queues above them changed too. It is forgotten when the tree changes.
	QueueUsage Feed[QueueID]
	// QueueSpecs names the queues with facts that changed. Changes of what nodes offer are in NodeFacts.
	QueueSpecs Feed[QueueID]
	// QueueTree names the queues that came, went or moved in the tree, those that became leaves or are leaves no
	// longer, and those for which the state or node groups of another queue count now in another way. A row may
	// belong to another queue by now.
	QueueTree   Feed[QueueID]
	roomEpoch   uint64
	stateEpoch  uint64
	usageEpoch  uint64
	vainNodes   Cursor  // what failed tries have added to Changes.Nodes
	vainFigures uint64  // … and to UsageEpoch
	dirty       []JobID // jobs touched since TakeDirty
	touched     []JobID // jobs touched since TakeTouched
	recommitted recommitted
	arrived     []JobID // jobs to which pods came since TakeArrivals
	arrivals    int     // pods and PodGroups that came since TakeArrivals
	jobs        *Jobs
}

// RoomEpoch counts the events after which some task may find room that it did not find before: room freed, a
// node added or changed, pipelined room given back. As long as it has not changed, a refusal for lack of room is
// still right.
func (ch *Changes) RoomEpoch() uint64 { return ch.roomEpoch }

// WithoutFailedTries returns the cursor of nodes and UsageEpoch without what failed tries have added: these have undone
// their changes. A value that is read inside a try must not be kept.
func (ch *Changes) WithoutFailedTries() (nodes Cursor, figures uint64) {
	return ch.Nodes.Now() - ch.vainNodes, ch.usageEpoch - ch.vainFigures
}

// StateEpoch counts the changes to facts and commitments. A try that fails does not change it.
func (ch *Changes) StateEpoch() uint64 { return ch.stateEpoch }

// SpecEpoch is a version of what queues ask for and what nodes offer: it changes with QueueSpecs and NodeFacts.
func (ch *Changes) SpecEpoch() uint64 { return uint64(ch.QueueSpecs.Now() + ch.NodeFacts.Now()) }

// UsageEpoch counts the changes to what queues hold or ask for, in any way.
func (ch *Changes) UsageEpoch() uint64 { return ch.usageEpoch }

// keepQueues is how many changes the feeds of queues keep.
const keepQueues = 1024

// addQueue notes the change of a queue, if there is one.
func addQueue(f *Feed[QueueID], q QueueID) {
	if q != NoQueue {
		f.add(q, keepQueues)
	}
}
