package model

// Times are those that few pods have: they stand apart, so that the others pay a word
// for them and not three.
type Times struct {
	GoneBy   int64 // its deletionTimestamp: when its grace ends, in nanoseconds since the epoch; 0 unless Deleting
	Cooldown int64 // volcano.sh/cooldown-time in nanoseconds: how long from its start it asks to be spared
	// Lasts is how long it runs, in nanoseconds, by ashlar.sh/duration: the word of who made
	// it. 0: it does not say; what says 0 lasts 1.
	Lasts int64
}

// Rare returns a pod's Times, all zero where it has none.
func (p *Pod) Rare() Times {
	if p.Times == nil {
		return Times{}
	}
	return *p.Times
}

// SetRare gives a pod that was not handed over yet its Times.
func (p *Pod) SetRare(t Times) {
	p.Times = nil
	if t != (Times{}) {
		p.Times = &t
	}
}
