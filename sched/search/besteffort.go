package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// wholeBestEffort places as many best-effort members as the minimums of the job and its roles need,
// inside the given statement. It returns false, with nothing placed, when they do not all find a place:
// have is then the number of members that would have had one, and why is the reason of the first member
// without one.
func wholeBestEffort(s *session.Session, tx *ledger.Tx, j ledger.JobID) (ok bool, have int32, why trace.Reason) {
	job := s.L.Job(j)
	ok = tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range BestEffort(s, j) {
			role := &job.Roles[s.L.Task(t).Role]
			if job.Placed() >= job.MinMember && role.Placed() >= role.Min {
				continue
			}
			if p := bestIdle(s, t); p.node != ledger.NoNode {
				put(s, tx, t, p)
			} else if !why.Is() {
				why = s.NodeIndex.Why(t)
			}
		}
		have = job.Placed()
		return job.Met((*ledger.Count).Placed)
	})
	return ok, have, why
}

// Backfill places a job's best-effort members: first those that its minimum still needs, as a whole,
// then one after the other. It returns how many were placed, and the reason of the first that found no
// place.
func Backfill(s *session.Session, j ledger.JobID) (placed int, why trace.Reason) {
	job := s.L.Job(j)
	tasks := BestEffort(s, j)
	if len(tasks) == 0 || !s.Policy.Ready(j) {
		return 0, trace.Reason{}
	}
	if Apart(s, j) {
		return backfillApart(s, &PendingTasks{Job: j, Tasks: tasks, idle: true})
	}
	before := job.Placed()
	var have int32
	var first trace.Reason
	if !s.L.Try(func(tx *ledger.Tx) (ok bool) {
		ok, have, first = wholeBestEffort(s, tx, j)
		return ok
	}) {
		if job.MinMember == 1 {
			return 0, first
		}
		return 0, trace.Reason{Code: trace.GangIncomplete, Have: int(have - before), Need: int(job.MinMember - before),
			Cause: &first}
	}
	placed = int(job.Placed() - before)
	for _, t := range tasks {
		if !s.L.Task(t).Placeable() {
			continue
		}
		p := bestIdle(s, t)
		if p.node == ledger.NoNode {
			if !why.Is() {
				why = s.NodeIndex.Why(t)
			}
			continue
		}
		s.L.Try(func(tx *ledger.Tx) bool {
			put(s, tx, t, p)
			return true
		})
		placed++
	}
	return placed, why
}

// backfillApart is Backfill for a job with members that have to be near each other, or that starts by
// sub-groups: their limits hold for best-effort members as for all others.
func backfillApart(s *session.Session, w *PendingTasks) (placed int, why trace.Reason) {
	for !w.Empty() {
		t := newAttempt(s, w, session.WithAmounts)
		out := t.decideOutsideLostRoom(Place)
		if r := t.reason(); r.Is() && !why.Is() {
			why = r
		}
		if out != Committed {
			break
		}
		placed += int(t.placed)
	}
	return placed, why
}
