package pending

import (
	"math/bits"

	"ashlar.sh/sched/ledger"
)

// Wake is a set of kinds of changes: what an answer rests on, and so what would wake a job that waits.
type Wake uint16

// The kinds of changes.
const (
	OnJob       Wake = 1 << iota // the job itself
	OnRoom                       // room was freed somewhere, a node was added or changed: Changes.RoomEpoch
	OnNodes                      // any figure or fact of a node: Changes.Nodes
	OnUsage                      // what queues hold or ask for: Changes.UsageEpoch
	OnSpecs                      // queues, their parents, their limits: Changes.SpecEpoch
	OnTime                       // a time came at which answers of plugins change
	OnState                      // any fact or commitment: Changes.StateEpoch
	OnOpen                       // a cycle began in another state, so that plugins derived other figures
	OnDeferred                   // work was put off: an action that found nothing might have found something
	OnStatement                  // a statement held, and its operations are not commitments yet

	kinds = iota
)

// Anything is what an answer rests on that may depend on the whole state.
const Anything = OnState | OnStatement | OnOpen | OnTime | OnDeferred

// refusal is all that a refusal of a job may rest on.
const refusal = OnJob | OnRoom | OnNodes | OnUsage | OnSpecs | OnTime

// Versions are the versions of all that answers rest on, one for each kind of change. An answer that was found
// at some versions is still right while the versions of what it rests on are the same. Versions that were read
// inside a try must not be kept.
type Versions [kinds]uint64

// same says that no version of some kinds differs.
func (v *Versions) same(as *Versions, w Wake) bool {
	for rest := uint16(w); rest != 0; rest &= rest - 1 {
		if k := bits.TrailingZeros16(rest); v[k] != as[k] {
			return false
		}
	}
	return true
}

// at is the version of one kind.
func (v *Versions) at(w Wake) uint64 { return v[bits.TrailingZeros16(uint16(w))] }

// Now returns the present versions, without that of a job.
func (x *Index) Now() Versions {
	c := &x.l.Changes
	nodes, usage := c.WithoutFailedTries() // what failed tries have done is undone
	return Versions{0, c.RoomEpoch(), uint64(nodes), usage, c.SpecEpoch(), x.times, c.StateEpoch(), x.opened, x.deferred,
		x.l.Statements.Count()}
}

// nowFor is Now with the version of a job.
func (x *Index) nowFor(j ledger.JobID) Versions {
	now := x.Now()
	now[0] = x.l.Job(j).Changed
	return now
}
