package session

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// Jobs that are parked and wait for the same are asked about together. A bin holds the
// parked jobs of one lack; while it stands closed, a cycle costs what bins there are,
// not what jobs there are. Whatever touches a job takes it out of its bin.

// bin is the parked jobs that rest on the same.
type bin struct {
	key     binKey
	jobs    []ledger.JobID
	checked stand // where all of them were found to be parked; zero: nobody looked since one came
}

type binKey struct {
	lack lack
	rest rest
}

// bed is where a job is kept between cycles.
type bed struct {
	bin   *bin
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

// Fresh are the active jobs that are not parked, as Candidates gives them.
func (s *Session) Fresh(keep func(ledger.JobID) bool) []ledger.JobID {
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
			s.tuck(j, now)
		}
		s.beds[j].awake = false
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
		s.beds[j].in[list] = s.L.Wants(j) && s.belongs(list, s.L.Job(j))
		return !s.beds[j].in[list]
	})
	return s.inOrder(slices.Clone(s.lists[list]), keep)
}

// stir wakes the jobs that were touched, and lists them where they belong.
func (s *Session) stir() {
	s.L.TakeStirred(func(j ledger.JobID) {
		for int(j) >= len(s.beds) {
			s.beds = append(s.beds, bed{})
		}
		b := &s.beds[j]
		if b.bin != nil {
			s.lift(b)
		}
		s.starve.touch(j)
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
func (s *Session) open(now stand) {
	s.bins = slices.DeleteFunc(s.bins, func(b *bin) bool {
		if b.key.rest.of(now) == b.checked || len(b.jobs) > 0 && s.hopeless(b.key.lack, now) {
			return false
		}
		for _, j := range b.jobs {
			s.beds[j].bin, s.beds[j].awake = nil, true
			s.awake = append(s.awake, j)
		}
		delete(s.binOf, b.key)
		return true
	})
}

// tuck puts a parked job into the bin of those who wait for the same.
func (s *Session) tuck(j ledger.JobID, now stand) {
	m := s.Memo(j)
	key := binKey{s.lackOf(j, m), m.restsOn()}
	b := s.binOf[key]
	if b == nil {
		if s.binOf == nil {
			s.binOf = map[binKey]*bin{}
		}
		b = &bin{key: key, checked: key.rest.of(now)}
		s.binOf[key] = b
		s.bins = append(s.bins, b)
	}
	if b.checked != key.rest.of(now) {
		b.checked = stand{}
	}
	s.beds[j].bin, s.beds[j].at = b, len(b.jobs)
	b.jobs = append(b.jobs, j)
}

// lift takes a job out of its bin.
func (s *Session) lift(d *bed) {
	b := d.bin
	last := b.jobs[len(b.jobs)-1]
	b.jobs[d.at] = last
	s.beds[last].at = d.at
	b.jobs = b.jobs[:len(b.jobs)-1]
	d.bin = nil
}
