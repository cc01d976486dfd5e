package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// PluginStates holds what plugins follow of every move.
type PluginStates struct {
	l *Ledger

	states       []PluginState
	allocators   []Allocator   // the PluginStates that choose
	factReaders  []FactReader  // the PluginStates that read facts beside the engine's own
	keepers      []Keeper      // those of them of which choices are kept
	podObservers []PodObserver // the PluginStates that observe every pod
}

// Hold is the way in which a task holds room on a node.
type Hold uint8

// The ways to hold room.
const (
	Firm      Hold = iota // it holds its room and stays, or lingers
	Leaving               // it is terminating and holds its room until it is gone (Releasing)
	Pipelined             // it waits for room that terminating tasks still hold
)

// NumHolds is the number of ways to hold room.
const NumHolds = Pipelined + 1

// PluginState holds sums of a plugin that depend on which task is on which node: ports in use, volumes
// assumed. The ledger calls it for every move, inside tries and outside of them, so it follows undo and
// replay. Take and Give are exact inverses, in any order in which a history can produce them. A PluginState
// that has to choose between several things is an Allocator. A PluginState decides nothing.
type PluginState interface {
	// Name identifies it in Audit's findings.
	Name() string
	// Take adds a task that holds room on a node now.
	Take(t TaskID, task *Task, n NodeID, how Hold)
	// Give undoes a Take with the same arguments.
	Give(t TaskID, task *Task, n NodeID, how Hold)
	// Audit counts anew from the tasks given and returns the differences, nil when there are none.
	Audit(sits func(yield func(t TaskID, task *Task, n NodeID, how Hold) bool)) []string
}

// FactReader is a PluginState that reads facts of kinds that the engine itself does not read.
type FactReader interface {
	PluginState
	// Reads says that it reads facts of a kind.
	Reads(k model.Kind) bool
	// Fact passes it a fact of a kind that it reads.
	Fact(f model.Fact)
}

// PodObserver is a PluginState that follows all pods, waiting and finished ones too. Enter is called when a
// pod's fact comes, Leave when the pod is gone or another fact takes the place of this one.
type PodObserver interface {
	PluginState
	Enter(t TaskID, task *Task)
	Leave(t TaskID, task *Task)
}

// Add adds a PluginState: it gets all that is known now, and every change from now on.
func (ps *PluginStates) Add(b PluginState) {
	if r, ok := b.(FactReader); ok {
		ps.factReaders = append(ps.factReaders, r)
		for _, f := range ps.l.Facts() {
			if foreign(f.Ref.Kind) && r.Reads(f.Ref.Kind) {
				r.Fact(f)
			}
		}
	}
	ps.Placements(func(t TaskID, task *Task, n NodeID, how Hold) bool {
		b.Take(t, task, n, how)
		return true
	})
	ps.states = append(ps.states, b)
	if r, ok := b.(PodObserver); ok {
		ps.podObservers = append(ps.podObservers, r)
		ps.l.Tasks.Each(func(t TaskID) bool {
			r.Enter(t, &ps.l.Tasks.rows[t])
			return true
		})
	}
	if c, ok := b.(Allocator); ok {
		ps.allocators = append(ps.allocators, c)
	}
	if k, ok := b.(Keeper); ok {
		ps.EachKept(k.Name(), func(choice string) { k.Keep(choice, 1) })
		ps.keepers = append(ps.keepers, k)
	}
}

// foreign says that the engine itself does not read facts of a kind.
func foreign(k model.Kind) bool {
	switch k {
	case model.KindNode, model.KindPod, model.KindPodGroup, model.KindQueue, model.KindPriorityClass,
		model.KindQuota, model.KindBudget, model.KindHyperNode, model.KindNamespace, model.KindNUMA, model.KindBooking,
		model.KindBackoff:
		return false
	}
	return true
}

// Reads says that facts of a kind have an effect: the engine or a PluginState reads them. Namespaces are a
// kind of the engine's own that only PluginStates read.
func (ps *PluginStates) Reads(k model.Kind) bool {
	if k == model.KindHyperNode {
		return ps.l.HyperNodes.heeded
	}
	if k == model.KindNUMA {
		return ps.l.NUMA.heeded
	}
	return !foreign(k) && k != model.KindNamespace ||
		slices.ContainsFunc(ps.factReaders, func(r FactReader) bool { return r.Reads(k) })
}

// updateFact passes a fact to the PluginStates that read it. Any node may then get another answer.
// A fact that none reads changes nothing.
func (ps *PluginStates) updateFact(f model.Fact) {
	if !ps.Reads(f.Ref.Kind) {
		return
	}
	ps.pass(f)
	ps.l.Nodes.restateAll()
}

// pass passes a fact to the PluginStates that read it. By itself that changes no node's answer: a Service says which
// pods belong together, and where that gives a pod another class its PluginState says so.
func (ps *PluginStates) pass(f model.Fact) {
	for _, r := range ps.factReaders {
		if r.Reads(f.Ref.Kind) {
			r.Fact(f)
		}
	}
}

// take tells the PluginStates that a task holds room on its node.
func (ps *PluginStates) take(t TaskID, row *Task) {
	if len(ps.states) == 0 || row.Node == NoNode {
		return
	}
	how := row.Hold()
	for _, b := range ps.states {
		b.Take(t, row, row.Node, how)
	}
}

// give tells the PluginStates that a task holds no room on its node any more.
func (ps *PluginStates) give(t TaskID, row *Task) {
	if len(ps.states) == 0 || row.Node == NoNode {
		return
	}
	how := row.Hold()
	for _, b := range ps.states {
		b.Give(t, row, row.Node, how)
	}
}

// Hold is the way in which a task that has a node holds its room there.
func (t *Task) Hold() Hold {
	if t.Lingers() {
		return Firm
	}
	return hold(t.Status)
}

func hold(s model.Status) Hold {
	switch s {
	case model.Releasing:
		return Leaving
	case model.Pipelined:
		return Pipelined
	default:
		return Firm
	}
}

// Placements yields every task that has a node, with its way to hold room there, in the order of rows.
func (ps *PluginStates) Placements(yield func(t TaskID, task *Task, n NodeID, how Hold) bool) {
	for i := range ps.l.Tasks.rows {
		row := &ps.l.Tasks.rows[i]
		if !row.free && row.Node != NoNode && !yield(TaskID(i), row, row.Node, row.Hold()) {
			return
		}
	}
}

// Find returns the PluginState of a name, and false when there is none.
func (ps *PluginStates) Find(name string) (PluginState, bool) {
	for _, b := range ps.states {
		if b.Name() == name {
			return b, true
		}
	}
	return nil, false
}
