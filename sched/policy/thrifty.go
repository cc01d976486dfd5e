package policy

// Budgeted is a plugin that has a budget for its answers, since some cost too much to be given
// all in one cycle. What it knows and has spent is part of what decides: a book of its keeps it
// (ledger.Resumable).
type Budgeted interface {
	// Explain says whether what is asked from now on decides nothing, but explains what was
	// decided: that must neither use up a budget nor leave a trace that a decision depends on.
	Explain(on bool)
	// Resume is when work that was put off in the last cycle may go on, 0 when none was.
	Resume() int64
}

// Explain tells thrifty plugins that what is asked from now on explains (true), or decides
// again. Pairs may be nested.
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

// Resume is the earliest time at which work that was put off may go on, 0 when none was.
func (s *Set) Resume() (next int64) {
	for _, p := range s.budgeted {
		if at := p.Resume(); at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}
