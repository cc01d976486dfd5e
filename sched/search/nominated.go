package search

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
)

// Members with a nomination get their room once the victims are gone. Room that is free
// now, on any node, serves as well, and the nomination is given back. A gang takes free room only if
// it can start with it: a member does not give its nomination up for less.

// nominated says that a task waits for room that was freed for it.
func nominated(s *session.Session, t ledger.TaskID) bool {
	task := s.L.Task(t)
	return task.Status == model.Pipelined && task.Commitment.Kind == ledger.CommitNominate
}

// withdrawn says that the current try has taken a task's nomination back.
func withdrawn(s *session.Session, t ledger.TaskID) bool {
	task := s.L.Task(t)
	return task.Status == model.Pending && task.Commitment.Kind == ledger.CommitNominate
}

// redeem gives a task that has a nomination its room, if that room is free by now; false when the task
// still waits for a victim to end.
func redeem(s *session.Session, tx *ledger.Tx, t ledger.TaskID) bool {
	at := s.L.Task(t).Node
	return tx.Try(func(tx *ledger.Tx) bool {
		tx.Unpipeline(t)
		if !s.NodeIndex.Takes(t, at, class.Now) {
			return false
		}
		put(s, tx, t, place{node: at, in: IdleHere})
		return true
	})
}

// inFreeRoom makes the statement with room that is free now for members that wait for victims: first
// for these members only, beside those of which the own room is free by now; if that fails, for all that have
// a nomination. It returns whether the job can start that way; otherwise nothing has changed.
func (t *attempt) inFreeRoom(mode Mode) bool {
	if !t.w.HasNominated() || t.w.Empty() {
		return false
	}
	all := t.w.Tasks[t.w.next:]
	all = slices.DeleteFunc(slices.Clone(all), func(task ledger.TaskID) bool { return !nominated(t.s, task) })
	waiting := t.waiting(all)
	if len(waiting) == 0 || !slices.ContainsFunc(waiting, t.somewhere) {
		return false
	}
	return t.moved(waiting, mode) || len(all) > len(waiting) && t.moved(all, mode)
}

// waiting are the members with a nomination of which the room is not free yet once the members before them
// have theirs.
func (t *attempt) waiting(all []ledger.TaskID) (out []ledger.TaskID) {
	t.s.L.Try(func(tx *ledger.Tx) bool {
		for _, task := range all {
			if !tx.Try(func(tx *ledger.Tx) bool {
				at := t.s.L.Task(task).Node
				tx.Unpipeline(task)
				if !t.s.NodeIndex.Takes(task, at, class.Now) {
					return false
				}
				tx.Allocate(task, at)
				return true
			}) {
				out = append(out, task)
			}
		}
		return false
	})
	return out
}

// somewhere says that some node has room for a task now.
func (t *attempt) somewhere(task ledger.TaskID) (yes bool) {
	t.s.L.Try(func(tx *ledger.Tx) bool {
		tx.Unpipeline(task)
		yes = bestIdle(t.s, task).node != ledger.NoNode
		return false
	})
	return yes
}

// moved makes the statement as if these members had no nomination, with free room alone. Members that
// are not placed keep their nominations.
func (t *attempt) moved(members []ledger.TaskID, mode Mode) (ok bool) {
	from, tasks, events := t.w.next, slices.Clone(t.w.Tasks), len(t.s.Trace.Events)
	t.together.idle, t.withheld.known = true, false
	t.s.L.Try(func(tx *ledger.Tx) bool {
		for _, task := range members {
			tx.Unpipeline(task)
		}
		out := t.statement(tx)
		if out == Refused {
			out = t.together.elsewhere(from, Place)
		}
		ok = out == Committed && t.nominateAgain(tx, members)
		return mode.holds(ok)
	})
	if t.together.idle = false; !ok {
		t.w.next, t.refused, t.result = from, t.refused[:0], result{}
		if t.w.Tasks = tasks; t.apart {
			t.domains = &domains{net: t.net, free: t.free}
		}
		t.s.Trace.Events = t.s.Trace.Events[:events]
	}
	return ok
}

// withheld is what the members ask for of which the try has taken the nomination back. It is counted once, and anew
// only after a try was undone: such members may have had a place there.
type withheld struct {
	known  bool
	undone uint64 // tries that were undone when it was counted
	sum    resource.Sums
}

// allocatable says that the queue may hold one more task of a class beside all members with a nomination, also those
// of which the try has taken it back: they may be placed after the task, or get their nominations back.
func (t *attempt) allocatable(tx *ledger.Tx, class ledger.ClassID) bool {
	ok := t.s.Policy.Allocatable(t.job.Queue, class, 1) >= 1
	if !ok || !t.together.idle {
		return ok
	}
	t.withheld.count(t.s, t.w.Tasks)
	tx.Holding(t.w.Job, t.withheld.sum, func() { ok = t.s.Policy.Allocatable(t.job.Queue, class, 1) >= 1 })
	return ok
}

// count counts what is withheld of tasks, if that is not known.
func (x *withheld) count(s *session.Session, tasks []ledger.TaskID) {
	undone := s.L.Statements.Undone()
	if x.known && x.undone == undone {
		return
	}
	*x = withheld{known: true, undone: undone}
	for _, task := range tasks {
		if withdrawn(s, task) {
			x.sum = x.sum.Add(s.L.Request(task))
		}
	}
}

// found notes that a member of which the nomination was taken back has a place.
func (x *withheld) found(request resource.Vec) {
	if x.known {
		x.sum = x.sum.Sub(request)
	}
}

// nominateAgain gives the members that were not placed their nominations back; false when one of them could
// not have its room any more.
func (t *attempt) nominateAgain(tx *ledger.Tx, members []ledger.TaskID) bool {
	for _, task := range members {
		if !withdrawn(t.s, task) {
			continue
		}
		if !t.s.NodeIndex.Takes(task, t.s.L.Task(task).Commitment.Node, class.InFuture) {
			return false
		}
		tx.ResumeNomination(task)
	}
	return true
}
