package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Jobs that are parked and wait for the same are asked about together. A bin holds the
// parked jobs of one lack; while it stands closed, a cycle costs what bins there are,
// not what jobs there are. Whatever touches a job takes it out of its bin.

// parkGroup is the parked jobs that rest on the same.
type parkGroup struct {
	key     parkKey
	jobs    []ledger.JobID
	checked epochs // where all of them were found to be parked; zero: nobody looked since one came
}

type parkKey struct {
	lack lack
	rest rest
}

// slot is where a job is kept between cycles.
type slot struct {
	group *parkGroup
	at    int // in the bin
	awake bool
	in    [numLists]bool
}

// The lists of active jobs that something other than placing is to be decided for.
const (
	pending = iota
	bestEffort
	numLists
)

func (s *Session) belongs(list int, job *ledger.Job) bool {
	if list == pending {
		return job.AwaitsAdmission()
	}
	return job.BestEffort > 0 && job.Admitted()
}

// Unparked are the active jobs that are not parked, as Candidates gives them.
func (s *Session) Unparked(keep func(ledger.JobID) bool) []ledger.JobID {
	s.stir()
	now := s.world()
	s.open(now)
	var out []ledger.JobID
	s.awake = slices.DeleteFunc(s.awake, func(j ledger.JobID) bool {
		switch {
		case !s.L.Wants(j):
		case !s.Parked(j):
			out = append(out, j)
			return false
		case s.L.Job(j).Waiting() > 0:
			return false
		default:
			s.addToGroup(j, now)
		}
		s.slots[j].awake = false
		return true
	})
	return s.inOrder(out, keep)
}

// Pending are the active jobs that wait to be let in, as Candidates gives them.
func (s *Session) Pending(keep func(ledger.JobID) bool) []ledger.JobID {
	return s.listed(pending, keep)
}

// BestEffort are the active jobs, let in, with members that ask for nothing, as
// Candidates gives them.
func (s *Session) BestEffort(keep func(ledger.JobID) bool) []ledger.JobID {
	return s.listed(bestEffort, keep)
}

func (s *Session) listed(list int, keep func(ledger.JobID) bool) []ledger.JobID {
	s.stir()
	s.lists[list] = slices.DeleteFunc(s.lists[list], func(j ledger.JobID) bool {
		s.slots[j].in[list] = s.L.Wants(j) && s.belongs(list, s.L.Job(j))
		return !s.slots[j].in[list]
	})
	return s.inOrder(slices.Clone(s.lists[list]), keep)
}

// stir wakes the jobs that were touched, and lists them where they belong.
func (s *Session) stir() {
	s.L.TakeStirred(func(j ledger.JobID) {
		for int(j) >= len(s.slots) {
			s.slots = append(s.slots, slot{})
		}
		b := &s.slots[j]
		if b.group != nil {
			s.unpark(b)
		}
		s.starving.touch(j)
		if !s.L.Wants(j) {
			return
		}
		if !b.awake {
			b.awake = true
			s.awake = append(s.awake, j)
		}
		for list := range numLists {
			if !b.in[list] && s.belongs(list, s.L.Job(j)) {
				b.in[list] = true
				s.lists[list] = append(s.lists[list], j)
			}
		}
	})
}

// open wakes the jobs of every bin of which not all are sure to be parked still.
func (s *Session) open(now epochs) {
	s.parkGroups = slices.DeleteFunc(s.parkGroups, func(b *parkGroup) bool {
		if b.key.rest.of(now) == b.checked || len(b.jobs) > 0 && s.hopeless(b.key.lack, now) {
			return false
		}
		for _, j := range b.jobs {
			s.slots[j].group, s.slots[j].awake = nil, true
			s.awake = append(s.awake, j)
		}
		delete(s.groupOf, b.key)
		return true
	})
}

// addToGroup puts a parked job into the bin of those who wait for the same.
func (s *Session) addToGroup(j ledger.JobID, now epochs) {
	m := s.WaitRecord(j)
	key := parkKey{s.lackOf(j, m), m.restsOn()}
	b := s.groupOf[key]
	if b == nil {
		if s.groupOf == nil {
			s.groupOf = map[parkKey]*parkGroup{}
		}
		b = &parkGroup{key: key, checked: key.rest.of(now)}
		s.groupOf[key] = b
		s.parkGroups = append(s.parkGroups, b)
	}
	if b.checked != key.rest.of(now) {
		b.checked = epochs{}
	}
	s.slots[j].group, s.slots[j].at = b, len(b.jobs)
	b.jobs = append(b.jobs, j)
}

// unpark takes a job out of its bin.
func (s *Session) unpark(d *slot) {
	b := d.group
	last := b.jobs[len(b.jobs)-1]
	b.jobs[d.at] = last
	s.slots[last].at = d.at
	b.jobs = b.jobs[:len(b.jobs)-1]
	d.group = nil
}
