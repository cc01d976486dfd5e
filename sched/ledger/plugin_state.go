package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// Hold is how a task sits on a node, as far as a book is concerned.
type Hold uint8

// The ways to sit on a node.
const (
	Firm     Hold = iota // holds its place
	Leaving              // holds it until it is gone (Releasing)
	Promised             // is to have it when those who leave are gone (Pipelined)
)

// NumHolds is the number of ways to sit on a node.
const NumHolds = Promised + 1

// PluginState is where a plugin keeps sums that depend on who sits where: ports in use,
// volumes assumed. The ledger drives it with every move, inside tries and out, so
// undo and replay include it. Take and Give are exact inverses, in any order that a
// history can produce: a book that has to choose is a Allocator. A book never decides.
type PluginState interface {
	// Name is the book's, for Audit's findings.
	Name() string
	// Take says that a task now sits on a node.
	Take(t TaskID, task *Task, n NodeID, how Hold)
	// Give takes back a Take with the same arguments.
	Give(t TaskID, task *Task, n NodeID, how Hold)
	// Reads says that the book reads facts of a kind which the engine does not read itself.
	Reads(k model.Kind) bool
	// Fact hands on a fact of a kind that the book reads.
	Fact(f model.Fact)
	// Audit recounts from the tasks given and returns what differs, nil when nothing.
	Audit(sits func(yield func(t TaskID, task *Task, n NodeID, how Hold) bool)) []string
}

// PodObserver is a PluginState that is told of pods wherever they stand, waiting and finished ones too:
// when a pod's fact comes (Enter) and when it goes or another takes its place (Leave).
type PodObserver interface {
	PluginState
	Enter(t TaskID, task *Task)
	Leave(t TaskID, task *Task)
}

// AddPluginState opens a book: it is told all that is known, then every change.
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

// Reads says that facts of a kind make a difference: the engine or a book reads them. Of
// the kinds that are the engine's own, namespaces are read for the sake of books alone.
func (l *Ledger) Reads(k model.Kind) bool {
	if k == model.KindHyperNode {
		return l.heedsHyper
	}
	if k == model.KindNUMA {
		return l.heedsNUMA
	}
	return !l.foreign(k) && k != model.KindNamespace || slices.ContainsFunc(l.pluginStates, func(b PluginState) bool { return b.Reads(k) })
}

// updatePluginStatesFact hands a fact to the books that read it, after which any node may answer
// otherwise. What nobody reads changes nothing.
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

// Hold is how a task that has a node sits there.
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

// Placements yields every task that sits on a node and how it does, in the order of rows.
func (l *Ledger) Placements(yield func(t TaskID, task *Task, n NodeID, how Hold) bool) {
	l.placements(yield)
}

// placements yields every task that sits on a node.
func (l *Ledger) placements(yield func(t TaskID, task *Task, n NodeID, how Hold) bool) {
	for i := range l.tasks {
		row := &l.tasks[i]
		if !row.free && row.Node != NoNode && !yield(TaskID(i), row, row.Node, hold(row.Status)) {
			return
		}
	}
}

// FindPluginState returns the book of a name, and false when there is none.
func (l *Ledger) FindPluginState(name string) (PluginState, bool) {
	for _, b := range l.pluginStates {
		if b.Name() == name {
			return b, true
		}
	}
	return nil, false
}
