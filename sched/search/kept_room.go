package search

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
)

// Room that is kept for a waiting job (ledger.KeptRoom) is not available to jobs that come after it:
// jobs of its queue by job order, jobs of other queues by queue order. Jobs that come before it may take it.

// goesBefore says that a job may take the room that is kept for another job.
func goesBefore(s *session.Session, j, other ledger.JobID) bool {
	if s.L.KeptRoom.Planned(other) {
		return false // see passes
	}
	if q, r := s.L.Job(j).Queue, s.L.Job(other).Queue; q != r {
		return s.Pending.GoesBefore(q, r)
	}
	return s.Policy.CompareJobs(j, other) < 0
}

// outranks is goesBefore for callers in which jobs with equal signatures share one answer.
func outranks(s *session.Session, j, other ledger.JobID) bool {
	if s.L.KeptRoom.Planned(other) {
		return s.L.Job(j).Queue == s.L.Job(other).Queue && s.L.Job(j).Priority > s.L.Job(other).Priority
	}
	if q, r := s.L.Job(j).Queue, s.L.Job(other).Queue; q != r {
		return s.Pending.GoesBefore(q, r)
	}
	return s.L.Job(j).Priority > s.L.Job(other).Priority
}

// MayTake lists the jobs of which a job may take the kept room since it goes before them, by name.
func MayTake(s *session.Session, j ledger.JobID) []ledger.JobID { return after(s, j, goesBefore) }

// after lists the jobs with room kept for them which j may take, by name.
func after(s *session.Session, j ledger.JobID,
	before func(*session.Session, ledger.JobID, ledger.JobID) bool) (out []ledger.JobID) {
	for _, c := range s.L.KeptRoom.Jobs() {
		if c != j && before(s, j, c) {
			out = append(out, c)
		}
	}
	return ledger.ByName(s.L, out)
}

// KeptOn names the nodes on which room is kept for a job.
func KeptOn(s *session.Session, j ledger.JobID) string {
	var names []string // the first of them, one more than is named
	for _, t := range s.L.KeptRoom.Of(j) {
		name := s.L.Node(s.L.Task(t).Commitment.Node).Name
		if i, known := slices.BinarySearch(names, name); !known && i <= mostNamed {
			names = slices.Insert(names, i, name)
			names = names[:min(len(names), mostNamed+1)]
		}
	}
	if len(names) > mostNamed {
		names[mostNamed] = "…"
	}
	return strings.Join(names, ", ")
}

// mostNamed is the most nodes that a reason names.
const mostNamed = 8

// InKeptRoom runs find, which looks for room for a job, beside the room of lost members and as if no room
// were kept for the job itself and for jobs that it comes before; with all, as if none were kept for any job without a
// planned start.
// The mode says whether what find did stays.
func InKeptRoom(s *session.Session, j ledger.JobID, all bool, mode Mode, find func() bool) (did bool) {
	f := func() (found bool) {
		beside(s, losses(s, j), func() bool {
			found = find()
			return mode.holds(found)
		})
		return found
	}
	if !s.L.KeptRoom.Any() {
		return f()
	}
	others := after(s, j, func(s *session.Session, j, other ledger.JobID) bool {
		return all && !s.L.KeptRoom.Planned(other) || outranks(s, j, other)
	})
	s.L.KeptRoom.Without(append(others, j), func() bool {
		did = f()
		return mode.holds(did)
	})
	if mode.holds(did) {
		s.L.KeptRoom.Drop(append(others, j)...)
	}
	return did
}
