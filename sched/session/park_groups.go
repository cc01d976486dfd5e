package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

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
	rest rest
}

// slot is the position of a job between cycles.
type slot struct {
	group *parkGroup
	at    int // index in the group
	awake bool
	in    [numLists]bool
}

// The lists of active jobs for which something other than a place is to be decided.
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

// Unparked are the active jobs that are not parked; order and keep are as in Candidates.
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

// Pending are the active jobs that wait for admission; order and keep are as in Candidates.
func (s *Session) Pending(keep func(ledger.JobID) bool) []ledger.JobID {
	return s.listed(pending, keep)
}

// BestEffort are the active admitted jobs with members that ask for nothing; order and keep are as in
// Candidates.
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

// stir wakes the jobs that changed, and adds them to the lists that they belong to.
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

// open wakes the jobs of every group of which not all are certain to be parked still.
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

// addToGroup adds a parked job to the group of the jobs that wait for the same.
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

// unpark takes a job out of its group.
func (s *Session) unpark(d *slot) {
	b := d.group
	last := b.jobs[len(b.jobs)-1]
	b.jobs[d.at] = last
	s.slots[last].at = d.at
	b.jobs = b.jobs[:len(b.jobs)-1]
	d.group = nil
}
