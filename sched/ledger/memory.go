package ledger

// Resumable is a PluginState that knows what it found out at a cost, and what was spent on that. As
// others may have been put off for it, that is part of what decides: it goes where commitments
// go. No API field keeps it, so a restart begins without.
type Resumable interface {
	PluginState
	// Memory is what it knows, as text; "" for nothing. Equal knowledge gives equal text.
	Memory() string
	// Recall takes over what a book of its name knew, in the place of what it knows. It is told
	// all facts, and who sits where, before. What it cannot read it leaves.
	Recall(memory string)
}

// Memory is what a book knows.
type Memory struct{ PluginState, Text string }

// Memories are what the books know that remember, in the order in which they were opened.
func (l *Ledger) Memories() (out []Memory) {
	for _, b := range l.pluginStates {
		if r, ok := b.(Resumable); ok {
			if text := r.Memory(); text != "" {
				out = append(out, Memory{b.Name(), text})
			}
		}
	}
	return out
}

// Recall hands out what books knew in an earlier life.
func (l *Ledger) Recall(list []Memory) {
	for _, m := range list {
		if b, ok := l.FindPluginState(m.PluginState); ok {
			if r, ok := b.(Resumable); ok {
				r.Recall(m.Text)
			}
		}
	}
}
