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
	if Planned(s, other) {
		return false // see passes
	}
	if q, r := s.L.Job(j).Queue, s.L.Job(other).Queue; q != r {
		return s.Pending.GoesBefore(q, r)
	}
	return s.Policy.CompareJobs(j, other) < 0
}

// outranks is goesBefore for callers in which jobs with equal signatures share one answer.
func outranks(s *session.Session, j, other ledger.JobID) bool {
	if Planned(s, other) {
		return s.L.Job(j).Queue == s.L.Job(other).Queue && s.L.Job(j).Priority > s.L.Job(other).Priority
	}
	if q, r := s.L.Job(j).Queue, s.L.Job(other).Queue; q != r {
		return s.Pending.GoesBefore(q, r)
	}
	return s.L.Job(j).Priority > s.L.Job(other).Priority
}

// after lists the jobs with room kept for them which j may take, by name.
func after(s *session.Session, j ledger.JobID,
	before func(*session.Session, ledger.JobID, ledger.JobID) bool) (out []ledger.JobID) {
	for _, c := range s.L.KeptRoom.Jobs() {
		if c != j && before(s, j, c) {
			out = append(out, c)
		}
	}
	return byKey(s, out)
}

// without runs f as if no room were kept for these jobs. What f did stays if f returns true.
func without(s *session.Session, jobs []ledger.JobID, f func() bool) {
	if !slices.ContainsFunc(jobs, func(j ledger.JobID) bool { return s.L.Job(j).RoomKept > 0 }) {
		f()
		return
	}
	s.L.Try(func(tx *ledger.Tx) bool {
		for _, j := range jobs {
			tx.Waive(j)
		}
		return f()
	})
}

// dropKeptRoom gives back the room that is kept for these jobs.
func dropKeptRoom(s *session.Session, jobs ...ledger.JobID) {
	for _, j := range jobs {
		for _, t := range s.L.KeptRoom.Of(j) {
			s.L.Drop(t)
		}
	}
}

// keptOn names the nodes on which room is kept for a job.
func keptOn(s *session.Session, j ledger.JobID) string {
	var names []string // the first of them, one more than is named
	for _, t := range s.L.KeptRoom.Of(j) {
		name := s.L.Node(s.L.Task(t).Held.Node).Name
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
// were kept for the job itself and for jobs that it comes before; with all, as if none were kept for any job.
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
		return all && !Planned(s, other) || outranks(s, j, other)
	})
	without(s, append(others, j), func() bool {
		did = f()
		return mode.holds(did)
	})
	if mode.holds(did) {
		dropKeptRoom(s, append(others, j)...)
	}
	return did
}
