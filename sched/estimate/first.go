package estimate

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Firsts remembers what was estimated first for each job that waits, to tell by how much its start has slipped since.
// The zero Firsts remember nothing yet.
type Firsts struct {
	of map[ledger.JobKey]First
}

// First is the first estimate of a job: of which job of its name (the UID of its PodGroup, "" for an adopted job),
// when it was made, and the range. By is the latest start, or the earliest where no latest was known.
type First struct {
	GroupUID     string `json:"Life,omitempty"`
	Made         int64
	Earliest, By int64
}

// Note notes the first estimates among new ones, and tells in them what was estimated first and the slip since. Jobs
// that are not among them do not wait any more: they are forgotten.
func (f *Firsts) Note(s *Starts) {
	kept := make(map[ledger.JobKey]First, len(s.Jobs))
	for k, start := range s.Jobs { // order-free: each by itself
		first, known := f.of[k]
		known = known && first.GroupUID == s.uids[k]
		by := by(start)
		if !known && by != 0 {
			first, known = First{GroupUID: s.uids[k], Made: s.Made, Earliest: start.Earliest, By: by}, true
		}
		if !known {
			continue
		}
		kept[k] = first
		if start.First = first.By; by != 0 {
			start.Slip = by - first.By
		}
		s.Jobs[k] = start
	}
	f.of = kept
}

// by is the time by which a job is to start: the latest, or the earliest where no latest is known; 0: none is.
func by(s trace.Start) int64 {
	if s.Latest != 0 {
		return s.Latest
	}
	return s.Earliest
}

// Recall notes what was estimated first for a job before this process began, unless something is known.
func (f *Firsts) Recall(k ledger.JobKey, first First) {
	if f.of == nil {
		f.of = map[ledger.JobKey]First{}
	}
	if _, known := f.of[k]; !known {
		f.of[k] = first
	}
}

// Each yields what was estimated first for each job, in no order.
func (f *Firsts) Each(see func(ledger.JobKey, First)) {
	for k, first := range f.of { // order-free: callers sort
		see(k, first)
	}
}

// Started forgets a job that has started at a time, and returns what was estimated first for it; false where nothing
// was. It was inside the range if it started neither before Earliest nor after By.
func (f *Firsts) Started(k ledger.JobKey) (First, bool) {
	first, known := f.of[k]
	delete(f.of, k)
	return first, known
}

// Slip is by how much a start at a time is later than what was estimated first, in nanoseconds; 0 where it is not.
func (x First) Slip(at int64) int64 { return max(0, at-x.By) }

// Holds says that a start at a time is inside the range that was estimated first.
func (x First) Holds(at int64) bool { return at >= x.Earliest && at <= x.By }
