package ledger

import "strings"

// Chosen is what Allocators chose along with a task's node, where the node offered several things: which
// volume for which claim. It is text, so that it can be part of a plan and outlive a restart; only the
// Allocator can read its content. Empty: nothing was chosen.
type Chosen string

// A Chosen is a list of choices. Each choice is the Allocator's name, endOfName, the choice and endOfChoice.
// Neither byte occurs in a name or a choice.
const (
	endOfName   = "\x1f"
	endOfChoice = "\x1e"
)

// Choose returns a Chosen with one Allocator's choice; "" when it chose nothing.
func Choose(name, choice string) Chosen {
	if choice == "" {
		return ""
	}
	return Chosen(name + endOfName + choice + endOfChoice)
}

// Of returns what the Allocator of a name chose, "" when it chose nothing.
func (c Chosen) Of(allocator string) string {
	for rest := string(c); rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, endOfChoice)
		if name, choice, _ := strings.Cut(one, endOfName); name == allocator {
			return choice
		}
	}
	return ""
}

// Allocator is a PluginState that takes one of several things that would do. It is asked once, when a
// statement gives a task room on a node. The answer is kept with the task, is undone with it and becomes part
// of its commitment, so every later Take and Give reads the same choice from Task.Chosen. So what the
// Allocator holds depends on facts, nodes of tasks and their choices, but not on the order of events. A task
// with a fact that shows its node has no Chosen: the facts then show what it has.
type Allocator interface {
	PluginState
	// Choose returns what a task is to have on a node, "" for nothing. It changes nothing. A filter that
	// admitted the task on the node guarantees that there is something to choose.
	Choose(t TaskID, task *Task, n NodeID) string
}

// choose asks every Allocator.
func (ps *PluginStates) choose(t TaskID, n NodeID) Chosen {
	var out Chosen
	for _, c := range ps.allocators {
		out += Choose(c.Name(), c.Choose(t, &ps.l.Tasks.rows[t], n))
	}
	return out
}

// PipelinedAllocator is an Allocator that also says what a task will have where it waits for room: of what is free
// there, and of what goes with the tasks that leave. As long as the task waits, nothing of that is given to another.
type PipelinedAllocator interface {
	Allocator
	// ChoosePipelined is Choose for a task that waits on a node for room there.
	ChoosePipelined(t TaskID, task *Task, n NodeID) string
}

// Keeper is an Allocator of which what it chose is kept, too, where room is kept for a planned start (KeptRoom.Plan):
// no other task gets it, unless it is one for which that room does not count.
type Keeper interface {
	Allocator
	// Keep counts as kept what was chosen for a task (by is 1), or takes that back (by is -1).
	Keep(choice string, by int)
}

// kept is what is kept of a choice, by Keepers.
func (ps *PluginStates) kept(c Chosen) (out Chosen) {
	if c == "" {
		return ""
	}
	for _, k := range ps.keepers {
		out += Choose(k.Name(), c.Of(k.Name()))
	}
	return out
}

// keep tells Keepers what is kept for a task (by is 1), or that it is not any more (by is -1).
func (ps *PluginStates) keep(row *Task, by int64) {
	if row.Commitment.Chosen == "" {
		return
	}
	for _, k := range ps.keepers {
		if choice := row.Commitment.Chosen.Of(k.Name()); choice != "" {
			k.Keep(choice, int(by))
		}
	}
}

// EachKept calls f for each choice of a Keeper that is kept for a task and counts, in no order that may decide
// anything.
func (ps *PluginStates) EachKept(keeper string, f func(choice string)) {
	if !ps.l.KeptRoom.Any() {
		return
	}
	for i := range ps.l.Tasks.rows {
		row := &ps.l.Tasks.rows[i]
		if row.free || row.Node != NoNode || !row.hasKeptRoom() || row.waived {
			continue
		}
		if choice := row.Commitment.Chosen.Of(keeper); choice != "" {
			f(choice)
		}
	}
}

// ChosenPipelined is what a task that waits for room on a node is to have there.
func (l *Ledger) ChosenPipelined(t TaskID, n NodeID) Chosen {
	var out Chosen
	for _, c := range l.PluginStates.allocators {
		if p, ok := c.(PipelinedAllocator); ok {
			out += Choose(c.Name(), p.ChoosePipelined(t, &l.Tasks.rows[t], n))
		}
	}
	return out
}
