package ledger

import "slices"

// Round is the last time of something that is done in rounds, by its name. It is a commitment that no API
// field keeps: a restart begins with a round of its own.
type Round struct {
	Name string
	At   int64 // nanoseconds since the epoch
}

// NoRound is a time long before any round.
const NoRound = int64(-1) << 62

// Round returns the time of the last round of a name, NoRound before the first.
func (l *Ledger) Round(name string) int64 {
	for _, r := range l.rounds {
		if r.Name == name {
			return r.At
		}
	}
	return NoRound
}

// SetRound records a round.
func (l *Ledger) SetRound(name string, at int64) {
	i, known := slices.BinarySearchFunc(l.rounds, name, func(r Round, name string) int {
		switch {
		case r.Name < name:
			return -1
		case r.Name > name:
			return 1
		default:
			return 0
		}
	})
	if !known {
		l.rounds = slices.Insert(l.rounds, i, Round{Name: name})
	}
	l.rounds[i].At = at
}

// Rounds lists the last rounds by name. The slice is valid until the next change.
func (l *Ledger) Rounds() []Round { return l.rounds }
