package ledger

// Resumable is a PluginState that keeps results that were costly to find, and what was spent on them.
// Decisions depend on that, as tasks may have been put off for it, so it is kept in checkpoints along with the
// commitments. No API field keeps it: a restart begins without it.
type Resumable interface {
	PluginState
	// Memory returns what it keeps, as text; "" for nothing. Equal content gives equal text.
	Memory() string
	// Recall replaces what it keeps by what a PluginState of its name kept. It gets all facts and tasks before
	// that. It ignores what it cannot read.
	Recall(memory string)
}

// Memory is what a PluginState keeps.
type Memory struct{ PluginState, Text string }

// Memories returns what the Resumables keep, in the order in which they were added.
func (ps *PluginStates) Memories() (out []Memory) {
	for _, b := range ps.states {
		if r, ok := b.(Resumable); ok {
			if text := r.Memory(); text != "" {
				out = append(out, Memory{b.Name(), text})
			}
		}
	}
	return out
}

// Recall passes to PluginStates what they kept in an earlier engine.
func (ps *PluginStates) Recall(list []Memory) {
	for _, m := range list {
		if b, ok := ps.Find(m.PluginState); ok {
			if r, ok := b.(Resumable); ok {
				r.Recall(m.Text)
			}
		}
	}
}
