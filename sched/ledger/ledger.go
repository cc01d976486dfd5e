package ledger

import (
	"cmp"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Ledger is the whole state: facts, rows and figures. It has one writer.
type Ledger struct {
	Dims  *resource.Dims
	facts factStore

	Changes         Changes
	Nodes           Nodes
	Classes         Classes
	Tasks           Tasks
	Priorities      Priorities
	Jobs            Jobs
	Queues          Queues
	accounts        accounts
	Namespaces      Namespaces
	HyperNodes      HyperNodes
	NUMA            NUMATopologies
	Images          images
	Backoffs        Backoffs
	PluginStates    PluginStates
	Statements      Statements
	EvictionHistory EvictionHistory
	Claims          Claims
	Lenders         Lenders
	Losses          Losses
	Charges         charging
	Rounds          Rounds
}

// New returns an empty ledger.
func New() *Ledger {
	l := (&Ledger{Dims: resource.NewDims(), facts: newFactStore()}).wire()
	l.Nodes.byName = map[string]NodeID{}
	l.Classes.byKey = map[string]ClassID{}
	l.Tasks.byKey = byKey[TaskID]{}
	l.Tasks.none = &Commitment{}
	l.Jobs.keys = newJobKeys()
	l.Queues.byName = map[string]QueueID{}
	l.Priorities.classes = map[string]*model.PriorityClass{}
	l.Namespaces.quotas = map[string][]*model.Quota{}
	l.Namespaces.budgets = map[string][]*model.Budget{}
	l.Namespaces.byName = map[string]*model.Namespace{}
	l.Statements.tx.l = l
	l.Queues.row(model.RootQueue)
	return l
}

// Key names a pod or a PodGroup.
type Key struct{ Namespace, Name string }

// String returns namespace/name.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Less orders keys by namespace, then name.
func (k Key) Less(o Key) bool {
	if k.Namespace != o.Namespace {
		return k.Namespace < o.Namespace
	}
	return k.Name < o.Name
}

// Compare orders like Less: it is negative where k comes first.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Namespace, o.Namespace), cmp.Compare(k.Name, o.Name))
}

// Pending lists the operations of statements that succeeded and are not commitments yet, and those of an open
// try. The slice is valid until the next change.
func (st *Statements) Pending() []Op { return st.ops }

// RoomEpoch counts the events after which some task may find room that it did not find before: room freed, a
// node added or changed, a promise taken back. As long as it has not changed, a refusal for lack of room is
// still right.
func (ch *Changes) RoomEpoch() uint64 { return ch.roomEpoch }

// Settled returns the cursor of nodes and UsageEpoch without what failed tries have added: these have undone their
// changes. A
// value read inside a try must not be kept.
func (ch *Changes) Settled() (nodes Cursor, figures uint64) {
	return ch.l.Changes.Nodes.Now() - ch.vainNodes, ch.usageEpoch - ch.vainFigures
}

// StateEpoch counts the changes to facts and commitments. A try that fails does not change it.
func (ch *Changes) StateEpoch() uint64 { return ch.stateEpoch }

// SpecEpoch counts the changes to queues, their parents and their limits.
func (ch *Changes) SpecEpoch() uint64 { return ch.specEpoch }

// UsageEpoch counts the changes to what queues hold or ask for, in any way.
func (ch *Changes) UsageEpoch() uint64 { return ch.usageEpoch }

// wire tells the parts what they are parts of.
func (l *Ledger) wire() *Ledger {
	l.Nodes.l = l
	l.Classes.l = l
	l.Tasks.l = l
	l.Priorities.l = l
	l.Jobs.l = l
	l.Queues.l = l
	l.accounts.l = l
	l.Changes.l = l
	l.Namespaces.l = l
	l.HyperNodes.l = l
	l.NUMA.l = l
	l.Images.l = l
	l.Backoffs.l = l
	l.PluginStates.l = l
	l.Statements.l = l
	l.EvictionHistory.l = l
	l.Claims.l = l
	l.Lenders.l = l
	l.Losses.l = l
	l.Charges.l = l
	return l
}
