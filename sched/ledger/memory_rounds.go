package ledger

import (
	"cmp"
	"slices"
)

// Rounds holds what rounds of actions left for the next cycle, by name.
type Rounds struct {
	rows []Round // by name
}

// Round is the last time of something that is done in rounds, by its name. It is a commitment that no API
// field keeps: a restart begins with a round of its own.
type Round struct {
	Name string
	At   int64 // nanoseconds since the epoch
}

// NoRound is a time long before any round.
const NoRound = int64(-1) << 62

// Get returns the time of the last round of a name, NoRound before the first.
func (ro *Rounds) Get(name string) int64 {
	if i, known := ro.find(name); known {
		return ro.rows[i].At
	}
	return NoRound
}

// Set records a round.
func (ro *Rounds) Set(name string, at int64) {
	i, known := ro.find(name)
	if !known {
		ro.rows = slices.Insert(ro.rows, i, Round{Name: name})
	}
	ro.rows[i].At = at
}

func (ro *Rounds) find(name string) (int, bool) {
	return slices.BinarySearchFunc(ro.rows, name, func(r Round, name string) int { return cmp.Compare(r.Name, name) })
}

// Drop forgets the rounds of a name.
func (ro *Rounds) Drop(name string) {
	ro.rows = slices.DeleteFunc(ro.rows, func(r Round) bool { return r.Name == name })
}

// All lists the last rounds by name. The slice is valid until the next change.
func (ro *Rounds) All() []Round { return ro.rows }
