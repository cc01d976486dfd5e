package policy

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

// ServingMovesOthers says that some plugin's order of queues is a KinOrder.
func (s *Set) ServingMovesOthers() bool {
	for _, tier := range s.queueOrder {
		for _, p := range tier {
			if kin, ok := p.(KinOrder); ok && kin.ServingMovesOthers() {
				return true
			}
		}
	}
	return false
}
