package policy

// Budgeted is a plugin that has a budget for its answers, since some cost too much to be given all in
// one cycle. What it knows and has spent is part of what decides: its PluginState keeps it
// (ledger.Resumable).
type Budgeted interface {
	// Explain says whether the calls from now on decide nothing, but explain what was
	// decided: these must neither use up a budget nor change anything that a decision depends on.
	Explain(on bool)
	// Resume is when work that was put off in the last cycle may go on, 0 when none was.
	Resume() int64
}

// Explain tells Budgeted plugins that the calls from now on explain (true), or decide again (false).
// Pairs may be nested.
func (s *Set) Explain(on bool) {
	if on {
		s.explaining++
	} else {
		s.explaining--
	}
	for _, p := range s.budgeted {
		p.Explain(s.explaining > 0)
	}
}

// Resume is the earliest time at which work that was put off may go on, 0 when none was put off.
func (s *Set) Resume() (next int64) {
	for _, p := range s.budgeted {
		if at := p.Resume(); at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}
