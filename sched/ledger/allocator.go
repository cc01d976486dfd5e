package ledger

import "strings"

// Chosen is what books chose together with a task's node, where several things there
// would have done: which volume for which claim. It is text, so that it travels in a
// plan and outlives a restart; what it says only the book can read. Empty: nothing.
type Chosen string

// A Chosen is a list of choices, each ended by endOfChoice, with the book's name
// before endOfName. Neither byte stands in a name or a choice.
const (
	endOfName   = "\x1f"
	endOfChoice = "\x1e"
)

// Choose is a Chosen of one book's choice; "" when it chose nothing.
func Choose(book, choice string) Chosen {
	if choice == "" {
		return ""
	}
	return Chosen(book + endOfName + choice + endOfChoice)
}

// Of is what a book chose, "" when it chose nothing.
func (c Chosen) Of(book string) string {
	for rest := string(c); rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, endOfChoice)
		if name, choice, _ := strings.Cut(one, endOfName); name == book {
			return choice
		}
	}
	return ""
}

// Allocator is a PluginState that takes one of several things that would do. It is asked once,
// when a statement gives a task room on a node; the answer is kept with the task, is
// undone with it and becomes part of its commitment, so that every later Take and Give
// reads the same choice from Task.Chosen. That makes a choice as good as a sum: what
// the book holds depends on facts and on who sits where with what, not on the order of
// events. A task whose fact shows its node has no Chosen: then facts say what it has.
type Allocator interface {
	PluginState
	// Choose says what a task is to have on a node, "" for nothing. It changes nothing.
	// A filter that admitted the task there promises that there is something to choose.
	Choose(t TaskID, task *Task, n NodeID) string
}

// choose asks every book that chooses.
func (l *Ledger) choose(t TaskID, n NodeID) Chosen {
	var out Chosen
	for _, c := range l.allocators {
		out += Choose(c.Name(), c.Choose(t, &l.tasks[t], n))
	}
	return out
}
