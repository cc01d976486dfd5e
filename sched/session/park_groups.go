package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Parking holds the jobs that wait and need no new attempt before something that their refusal rests on changes.
type Parking struct {
	s *Session

	slots   []parkSlot // by job
	awake   []ledger.JobID
	groups  []*parkGroup
	groupOf map[parkKey]*parkGroup
	lists   [numLists][]ledger.JobID
	changed []ledger.JobID // since TakeChanged was last called
}

// Jobs that are parked and wait for the same are checked together. A parkGroup holds the
// parked jobs of one lack. While nothing changes, the cost of a cycle depends on the number of groups,
// not of jobs. Every change to a job takes it out of its group.

// parkGroup is the parked jobs whose refusals rest on the same.
type parkGroup struct {
	key     parkKey
	jobs    []ledger.JobID
	checked epochs // when all of them were found parked; zero: not checked since one was added
}

type parkKey struct {
	lack lack
	rest basis
}

// parkSlot is the position of a job between cycles.
type parkSlot struct {
	group   *parkGroup
	at      int // index in the group
	awake   bool
	in      [numLists]bool
	changed bool // in Parking.changed
}

// The lists of active jobs for which something other than a place is to be decided.
const (
	pending = iota
	bestEffort
	numLists
)

func (pk *Parking) belongs(list int, job *ledger.Job) bool {
	if list == pending {
		return job.AwaitsAdmission()
	}
	return job.BestEffort > 0 && job.Admitted()
}

// Unparked are the active jobs that are not parked; order and keep are as in Candidates.
func (pk *Parking) Unparked(keep func(ledger.JobID) bool) []ledger.JobID {
	pk.followChanges()
	now := pk.s.world()
	pk.open(now)
	var out []ledger.JobID
	pk.awake = slices.DeleteFunc(pk.awake, func(j ledger.JobID) bool {
		switch {
		case !pk.s.L.Jobs.Wants(j):
		case !pk.Parked(j):
			out = append(out, j)
			return false
		case pk.s.L.Job(j).Waiting() > 0:
			return false
		default:
			pk.addToGroup(j, now)
		}
		pk.slots[j].awake = false
		return true
	})
	return pk.s.inOrder(out, keep)
}

// Pending are the active jobs that wait for admission; order and keep are as in Candidates.
func (pk *Parking) Pending(keep func(ledger.JobID) bool) []ledger.JobID {
	return pk.listed(pending, keep)
}

// BestEffort are the active admitted jobs with members that ask for nothing; order and keep are as in
// Candidates.
func (pk *Parking) BestEffort(keep func(ledger.JobID) bool) []ledger.JobID {
	return pk.listed(bestEffort, keep)
}

func (pk *Parking) listed(list int, keep func(ledger.JobID) bool) []ledger.JobID {
	pk.followChanges()
	pk.lists[list] = slices.DeleteFunc(pk.lists[list], func(j ledger.JobID) bool {
		pk.slots[j].in[list] = pk.s.L.Jobs.Wants(j) && pk.belongs(list, pk.s.L.Job(j))
		return !pk.slots[j].in[list]
	})
	return pk.s.inOrder(slices.Clone(pk.lists[list]), keep)
}

// followChanges wakes the jobs that changed, and adds them to the lists that they belong to.
func (pk *Parking) followChanges() {
	pk.s.L.Changes.TakeTouched(func(j ledger.JobID) {
		for int(j) >= len(pk.slots) {
			pk.slots = append(pk.slots, parkSlot{})
		}
		b := &pk.slots[j]
		if b.group != nil {
			pk.unpark(b)
		}
		if !b.changed {
			b.changed = true
			pk.changed = append(pk.changed, j)
		}
		if !pk.s.L.Jobs.Wants(j) {
			return
		}
		if !b.awake {
			b.awake = true
			pk.awake = append(pk.awake, j)
		}
		for list := range numLists {
			if !b.in[list] && pk.belongs(list, pk.s.L.Job(j)) {
				b.in[list] = true
				pk.lists[list] = append(pk.lists[list], j)
			}
		}
	})
}

// TakeChanged calls f for every job that changed since the last call, in no order that may decide anything.
func (pk *Parking) TakeChanged(f func(ledger.JobID)) {
	pk.followChanges()
	for _, j := range pk.changed {
		pk.slots[j].changed = false
		f(j)
	}
	pk.changed = pk.changed[:0]
}

// open wakes the jobs of every group of which not all are certain to be parked still.
func (pk *Parking) open(now epochs) {
	pk.groups = slices.DeleteFunc(pk.groups, func(b *parkGroup) bool {
		if b.key.rest.of(now) == b.checked || len(b.jobs) > 0 && pk.hopeless(b.key.lack, now) {
			return false
		}
		for _, j := range b.jobs {
			pk.slots[j].group, pk.slots[j].awake = nil, true
			pk.awake = append(pk.awake, j)
		}
		delete(pk.groupOf, b.key)
		return true
	})
}

// addToGroup adds a parked job to the group of the jobs that wait for the same.
func (pk *Parking) addToGroup(j ledger.JobID, now epochs) {
	m := pk.s.WaitRecord(j)
	key := parkKey{pk.lackOf(j, m), m.basis()}
	b := pk.groupOf[key]
	if b == nil {
		if pk.groupOf == nil {
			pk.groupOf = map[parkKey]*parkGroup{}
		}
		b = &parkGroup{key: key, checked: key.rest.of(now)}
		pk.groupOf[key] = b
		pk.groups = append(pk.groups, b)
	}
	if b.checked != key.rest.of(now) {
		b.checked = epochs{}
	}
	pk.slots[j].group, pk.slots[j].at = b, len(b.jobs)
	b.jobs = append(b.jobs, j)
}

// unpark takes a job out of its group.
func (pk *Parking) unpark(d *parkSlot) {
	b := d.group
	last := b.jobs[len(b.jobs)-1]
	b.jobs[d.at] = last
	pk.slots[last].at = d.at
	b.jobs = b.jobs[:len(b.jobs)-1]
	d.group = nil
}
