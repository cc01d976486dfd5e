package ledger

import (
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
	Bookings        Bookings
	Backoffs        Backoffs
	PluginStates    PluginStates
	Statements      Statements
	EvictionHistory EvictionHistory
	KeptRoom        KeptRoom
	WaitingJobs     WaitingJobs
	Losses          Losses
	Charges         charging
	Rounds          Rounds
	Usage           Usage
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

// wire tells the parts what they are parts of. A part points back to the ledger because one move of a task changes
// several of them: its node, its job, the job's queues and the log that undoes it. Parts that only note a change have
// the changes alone.
func (l *Ledger) wire() *Ledger {
	l.Nodes.l = l
	l.Classes.l = l
	l.Tasks.l = l
	l.Priorities.l = l
	l.Jobs.l = l
	l.Queues.l = l
	l.accounts.l = l
	l.Changes.jobs = &l.Jobs
	l.Namespaces.changes = &l.Changes
	l.HyperNodes.changes = &l.Changes
	l.NUMA.nodes, l.NUMA.changes = &l.Nodes, &l.Changes
	l.Bookings.l = l
	l.Backoffs.l = l
	l.PluginStates.l = l
	l.Statements.l = l
	l.EvictionHistory.l = l
	l.KeptRoom.l = l
	l.WaitingJobs.l = l
	l.Losses.l = l
	l.Charges.l, l.Charges.minimums.l = l, l
	l.Usage.l = l
	l.Tasks.Runs.l = l
	l.Tasks.Lingering.l = l
	return l
}
