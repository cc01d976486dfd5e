package policy

// Later is a Clock whose answers also depend on what the cycle itself decides: Later is called at the
// end of the cycle and returns the same kind of time as At. Both follow from facts and commitments
// alone, so that an engine restored from them wakes at the same time as this one.
type Later interface {
	Clock
	Later() (next int64)
}

// Later is the earliest time that plugins wait for after what the cycle decided, 0 when there is none.
func (s *Set) Later() (next int64) {
	for _, p := range s.clocks {
		if l, ok := p.(Later); ok {
			if at := l.Later(); at != 0 && (next == 0 || at < next) {
				next = at
			}
		}
	}
	return next
}

// At sets the time of the cycle that begins, for every clock, before Open. It returns the earliest time
// at which any of their answers may change, 0 when there is none.
func (s *Set) At(now int64) (next int64) {
	for _, p := range s.clocks {
		if at := p.At(now); at != 0 && (next == 0 || at < next) {
			next = at
		}
	}
	return next
}

// ServingMovesOthers says that some plugin's order of queues is a QueueTreeOrder.
func (s *Set) ServingMovesOthers() bool {
	for _, p := range s.queueOrder {
		if kin, ok := p.(QueueTreeOrder); ok && kin.ServingMovesOthers() {
			return true
		}
	}
	return false
}
