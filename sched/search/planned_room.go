package search

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// passes lists the jobs with a planned start of which a job may take the room: it has ended by then, or has a higher
// priority in their queue.
func passes(s *session.Session, j ledger.JobID) (out []ledger.JobID) {
	if !s.L.KeptRoom.Any() || !s.Backfill.On {
		return nil
	}
	end, guessed, asked := int64(0), false, false
	return after(s, j, func(s *session.Session, j, h ledger.JobID) bool {
		start, first := s.L.KeptRoom.Start(h)
		if start == 0 {
			return false
		}
		if !asked {
			end, guessed = s.EndsBy(j, s.Backfill.Trust)
			asked = true
		}
		return end <= start && (!guessed || start <= model.After(first, s.Backfill.MaxSlip)) || outranks(s, j, h)
	})
}

// BehindPlanned says that a job of its queue that goes before a job has a planned start: what is kept for that one
// holds the job back, and not its place in the queue.
func BehindPlanned(s *session.Session, j ledger.JobID) bool {
	for _, h := range s.L.KeptRoom.Jobs() { // order-free: whether there is one
		if h != j && s.L.Job(h).Queue == s.L.Job(j).Queue && s.L.KeptRoom.Planned(h) && s.Policy.CompareJobs(h, j) < 0 {
			return true
		}
	}
	return false
}

// Behind is session.Behind, where no start is planned.
func Behind(s *session.Session, j ledger.JobID, detail session.Detail) trace.Reason {
	if !s.FIFO(s.L.Job(j).Queue) || BehindPlanned(s, j) {
		return trace.Reason{}
	}
	return s.Behind(j, detail)
}

// mayPass says that a job may have ended before some planned start: whether it has room is not a matter of amounts.
func mayPass(s *session.Session, j ledger.JobID) bool {
	if !s.L.KeptRoom.Any() || !s.PlansAny() {
		return false
	}
	end, _ := s.EndsBy(j, s.Backfill.Trust)
	return end != model.Never || s.L.Job(j).RoomKept > 0
}

// asPlanned starts a job in the places that are kept for it, where it finds no others: the order in which its pods are
// placed, or their nodes' scores, may have led elsewhere. There it takes nothing that is kept for others with a planned
// start, which were planned beside it; but before its time it may take what pods have yet to give back to those that
// start before it. Members that were to have ended may still run: the places have to be near enough to them, too.
func (t *attempt) asPlanned(own []ledger.JobID, mode Mode) (out Outcome) {
	s, j := t.s, t.w.Job
	kept := s.L.KeptRoom.Of(j)
	if out = Refused; slices.ContainsFunc(kept, func(task ledger.TaskID) bool { return stillHeld(s, task) }) {
		return out
	}
	mine, _ := s.L.KeptRoom.Start(j)
	for _, h := range ledger.ByName(s.L, s.L.KeptRoom.Jobs()) {
		start, _ := s.L.KeptRoom.Start(h)
		if start != 0 && (start >= mine || s.Now >= mine) && !slices.Contains(own, h) {
			own = append(own, h)
		}
	}
	slices.SortFunc(kept, func(a, b ledger.TaskID) int { return s.L.Task(a).Key.Compare(s.L.Task(b).Key) })
	if !NearEnough(s, j, kept, true) {
		return out
	}
	s.L.KeptRoom.Without(own, func() bool {
		s.L.Try(func(tx *ledger.Tx) bool {
			for _, task := range kept {
				row := s.L.Task(task)
				if s.Policy.Allocatable(t.job.Queue, row.Class, 1) < 1 || !s.Policy.PrePredicate(task).Admits() ||
					!s.NodeIndex.Takes(task, row.Commitment.Node, class.Now) {
					return false
				}
				put(s, tx, task, place{node: row.Commitment.Node, in: IdleHere})
			}
			if s.Policy.Ready(j) && t.job.Met((*ledger.Count).Ready) && t.job.BestEffort == 0 {
				out = Committed
			}
			return mode.holds(out == Committed)
		})
		return mode.holds(out == Committed)
	})
	if out == Committed {
		t.placed, t.why = int32(len(kept)), trace.Reason{}
		t.w.next = len(t.w.Tasks)
	}
	return out
}

// stillHeld says that others hold room that is kept for a task.
func stillHeld(s *session.Session, t ledger.TaskID) bool {
	row := s.L.Task(t)
	return slices.ContainsFunc(s.L.Class(row.Class).Need, func(need ledger.Need) bool {
		return s.L.Nodes.Idle(need.Dim)[row.Commitment.Node] < need.Amount
	})
}
