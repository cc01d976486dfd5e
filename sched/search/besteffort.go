package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// wholeBestEffort places as many best-effort members as the minimums of the job and
// its roles need, inside the statement it is given; false when they do not all find a
// place, with nothing placed.
func wholeBestEffort(s *session.Session, tx *ledger.Tx, j ledger.JobID) bool {
	job := s.L.Job(j)
	return tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range BestEffort(s, j) {
			role := &job.Roles[s.L.Task(t).Role]
			if job.Placed() >= job.MinMember && role.Placed() >= role.Min {
				continue
			}
			if n, _ := s.Nodes.Best(t); n != ledger.NoNode {
				put(s, tx, t, place{node: n, in: IdleHere})
			}
		}
		if job.Placed() < job.MinMember {
			return false
		}
		for i := range job.Roles {
			if job.Roles[i].Placed() < job.Roles[i].Min {
				return false
			}
		}
		return true
	})
}

// Backfill places a job's best-effort members: first what its minimum still needs, as
// a whole, then one after the other. The reason is that of the first that found no
// place.
func Backfill(s *session.Session, j ledger.JobID) (placed int, why trace.Reason) {
	job := s.L.Job(j)
	tasks := BestEffort(s, j)
	if len(tasks) == 0 || !s.Policy.Ready(j) {
		return 0, trace.Reason{}
	}
	before := job.Placed()
	if !s.L.Try(func(tx *ledger.Tx) bool { return wholeBestEffort(s, tx, j) }) {
		r := s.Nodes.Why(tasks[0])
		return 0, trace.Reason{Code: trace.GangIncomplete, Need: int(job.MinMember - before), Cause: &r}
	}
	placed = int(job.Placed() - before)
	for _, t := range tasks {
		if !s.L.Task(t).Placeable() {
			continue
		}
		n, score := s.Nodes.Best(t)
		if n == ledger.NoNode {
			if !why.Is() {
				why = s.Nodes.Why(t)
			}
			continue
		}
		s.L.Try(func(tx *ledger.Tx) bool {
			put(s, tx, t, place{n, score, IdleHere})
			return true
		})
		placed++
	}
	return placed, why
}
