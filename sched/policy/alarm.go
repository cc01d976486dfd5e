package policy

// Later is a Clock that finds out only while it answers when it will answer otherwise: a
// guard that spares whoever is young need not look at anybody but those who were asked
// for. Later is asked at the end of a cycle and means what At returns.
type Later interface {
	Clock
	Later() (next int64)
}

// Alarm is a Later to embed: the plugin rings it for the time at which a refusal will
// stand no longer. A time stays until it is over, as searches that failed are not tried
// again before. The zero Alarm is ready.
type Alarm struct{ now, next int64 }

// At is told the time.
func (a *Alarm) At(now int64) (next int64) {
	a.now = now
	if a.next <= now {
		a.next = 0
	}
	return a.next
}

// Later is the earliest time that it was rung for and that is not over.
func (a *Alarm) Later() (next int64) { return a.next }

// Now is the time of the cycle.
func (a *Alarm) Now() int64 { return a.now }

// Ring is to be called with the time at which an answer given now ends.
func (a *Alarm) Ring(at int64) {
	if at > a.now && (a.next == 0 || at < a.next) {
		a.next = at
	}
}

// Later is the earliest time at which any answer given in this cycle may change without a
// new fact, 0 when there is none.
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
