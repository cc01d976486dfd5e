package policy

// Later is a Clock whose answers also depend on what the cycle itself decides: Later is
// asked at its end and means what At returns. Both follow from facts and commitments
// alone, so that an engine that was restored from them wakes when this one does.
type Later interface {
	Clock
	Later() (next int64)
}

// Later is the earliest of what plugins wait for after what the cycle decided, 0 when
// none does.
func (s *Set) Later() (next int64) {
	for _, tier := range s.clocks {
		for _, p := range tier {
			if l, ok := p.(Later); ok {
				if at := l.Later(); at != 0 && (next == 0 || at < next) {
					next = at
				}
			}
		}
	}
	return next
}

// At tells every clock the time of a cycle that begins, before Open, and returns the
// earliest time at which any of their answers may change, 0 when there is none.
func (s *Set) At(now int64) (next int64) {
	for _, tier := range s.clocks {
		for _, p := range tier {
			if at := p.At(now); at != 0 && (next == 0 || at < next) {
				next = at
			}
		}
	}
	return next
}

// ServingMovesOthers says that some plugin's order of queues is a QueueTreeOrder.
func (s *Set) ServingMovesOthers() bool {
	for _, tier := range s.queueOrder {
		for _, p := range tier {
			if kin, ok := p.(QueueTreeOrder); ok && kin.ServingMovesOthers() {
				return true
			}
		}
	}
	return false
}
