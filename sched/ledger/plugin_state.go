package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// Hold is the way in which a task holds room on a node.
type Hold uint8

// The ways to hold room.
const (
	Firm     Hold = iota // it holds its room and stays
	Leaving              // it is terminating and holds its room until it is gone (Releasing)
	Promised             // it is promised room that terminating tasks still hold (Pipelined)
)

// NumHolds is the number of ways to hold room.
const NumHolds = Promised + 1

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
	// Reads says that it reads facts of a kind that the engine itself does not read.
	Reads(k model.Kind) bool
	// Fact passes it a fact of a kind that it reads.
	Fact(f model.Fact)
	// Audit counts anew from the tasks given and returns the differences, nil when there are none.
	Audit(sits func(yield func(t TaskID, task *Task, n NodeID, how Hold) bool)) []string
}

// PodObserver is a PluginState that follows all pods, waiting and finished ones too. Enter is called when a
// pod's fact comes, Leave when the pod is gone or another fact takes the place of this one.
type PodObserver interface {
	PluginState
	Enter(t TaskID, task *Task)
	Leave(t TaskID, task *Task)
}

// AddPluginState adds a PluginState: it gets all that is known now, and every change from now on.
func (l *Ledger) AddPluginState(b PluginState) {
	for _, f := range l.Facts() {
		if l.foreign(f.Ref.Kind) && b.Reads(f.Ref.Kind) {
			b.Fact(f)
		}
	}
	l.placements(func(t TaskID, task *Task, n NodeID, how Hold) bool {
		b.Take(t, task, n, how)
		return true
	})
	l.pluginStates = append(l.pluginStates, b)
	if r, ok := b.(PodObserver); ok {
		l.podObservers = append(l.podObservers, r)
		l.Tasks(func(t TaskID) bool {
			r.Enter(t, &l.tasks[t])
			return true
		})
	}
	if c, ok := b.(Allocator); ok {
		l.allocators = append(l.allocators, c)
	}
}

func (l *Ledger) foreign(k model.Kind) bool {
	switch k {
	case model.KindNode, model.KindPod, model.KindPodGroup, model.KindQueue, model.KindPriorityClass,
		model.KindQuota, model.KindBudget, model.KindHyperNode, model.KindNamespace, model.KindNUMA, model.KindBackoff:
		return false
	}
	return true
}

// Reads says that facts of a kind have an effect: the engine or a PluginState reads them. Namespaces are a
// kind of the engine's own that only PluginStates read.
func (l *Ledger) Reads(k model.Kind) bool {
	if k == model.KindHyperNode {
		return l.heedsHyper
	}
	if k == model.KindNUMA {
		return l.heedsNUMA
	}
	return !l.foreign(k) && k != model.KindNamespace || slices.ContainsFunc(l.pluginStates, func(b PluginState) bool { return b.Reads(k) })
}

// updatePluginStatesFact passes a fact to the PluginStates that read it. Any node may then get another answer.
// A fact that none reads changes nothing.
func (l *Ledger) updatePluginStatesFact(f model.Fact) {
	if !l.Reads(f.Ref.Kind) {
		return
	}
	for _, b := range l.pluginStates {
		if b.Reads(f.Ref.Kind) {
			b.Fact(f)
		}
	}
	l.roomEpoch++
	for n := range l.nodes {
		if !l.nodes[n].free {
			l.touchStatic(NodeID(n))
		}
	}
}

func (l *Ledger) updatePluginStates(t TaskID, row *Task, take bool) {
	if len(l.pluginStates) == 0 || row.Node == NoNode {
		return
	}
	how := row.Hold()
	for _, b := range l.pluginStates {
		if take {
			b.Take(t, row, row.Node, how)
		} else {
			b.Give(t, row, row.Node, how)
		}
	}
}

// Hold is the way in which a task that has a node holds its room there.
func (t *Task) Hold() Hold { return hold(t.Status) }

func hold(s model.Status) Hold {
	switch s {
	case model.Releasing:
		return Leaving
	case model.Pipelined:
		return Promised
	default:
		return Firm
	}
}

// Placements yields every task that has a node, with its way to hold room there, in the order of rows.
func (l *Ledger) Placements(yield func(t TaskID, task *Task, n NodeID, how Hold) bool) {
	l.placements(yield)
}

// placements is Placements.
func (l *Ledger) placements(yield func(t TaskID, task *Task, n NodeID, how Hold) bool) {
	for i := range l.tasks {
		row := &l.tasks[i]
		if !row.free && row.Node != NoNode && !yield(TaskID(i), row, row.Node, hold(row.Status)) {
			return
		}
	}
}

// FindPluginState returns the PluginState of a name, and false when there is none.
func (l *Ledger) FindPluginState(name string) (PluginState, bool) {
	for _, b := range l.pluginStates {
		if b.Name() == name {
			return b, true
		}
	}
	return nil, false
}
