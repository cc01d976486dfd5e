package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// told notes that an item was carried out. For an eviction: the pod cannot stay any more. For a phase: it is
// not waited for if its PodGroup shows it already, since no fact follows a write that changes nothing.
func (e *Engine) told(i Item) {
	if i.Kind == SetPhase {
		if j, ok := e.phaseOf(i); ok {
			e.l.TellPhase(j)
		}
		return
	}
	if i.Kind != EvictPod || i.ID == 0 {
		return
	}
	if t, ok := e.l.FindTask(i.Pod); ok && e.l.Task(t).Held.Item == i.ID {
		e.l.Tell(t)
	}
}

// phaseOf returns the job of a phase item; false when another phase was decided since, or the PodGroup shows
// this one.
func (e *Engine) phaseOf(i Item) (ledger.JobID, bool) {
	j, ok := e.l.FindJob(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name})
	if !ok {
		return j, false
	}
	id, held := e.l.PhaseHeld(j)
	return j, held && id == i.ID
}

// beneficiary returns for which kind of task an eviction is.
func (e *Engine) beneficiary(op ledger.Op) ledger.Beneficiary {
	switch {
	case op.For == ledger.NoTask:
		return ledger.ForNobody
	case e.l.Job(e.l.Task(op.For).Job).Queue == e.l.Job(e.l.Task(op.Task).Job).Queue:
		return ledger.ForItsQueue
	default:
		return ledger.ForOtherQueue
	}
}

// follow notes a commitment of an earlier engine that ends by itself, or may be taken back.
func (e *Engine) follow(t ledger.TaskID) {
	switch e.l.Task(t).Held.Kind {
	case ledger.CommitReserve, ledger.CommitSpare:
		e.reserved = append(e.reserved, t)
	case ledger.CommitEvict:
		e.leaving = append(e.leaving, t)
	}
}

// keepUnneeded takes back evictions that no reservation waits for any more, because the pod with the
// reservation found room elsewhere, is gone, or may not have the node. It does so only for pods that, as far
// as is known, were not asked to leave yet, and with room that no other task counts on. What carries the plan
// out knows better which evictions have begun: these go on, and show in the pod's fact. A gang that was to be
// evicted as a whole stays as a whole.
func (e *Engine) keepUnneeded() {
	e.leaving = slices.DeleteFunc(e.leaving, func(t ledger.TaskID) bool {
		held := e.l.Task(t).Held
		return held.Kind != ledger.CommitEvict || held.Told || held.For == ledger.ForNobody
	})
	if len(e.leaving) == 0 {
		return
	}
	slices.SortFunc(e.leaving, func(a, b ledger.TaskID) int { return e.l.Task(a).Key.Compare(e.l.Task(b).Key) })
	e.leaving = slices.Compact(e.leaving)
	var seen []ledger.TaskID
	for _, t := range e.leaving {
		if slices.Contains(seen, t) {
			continue
		}
		group := e.leavesWith(t)
		if seen = append(seen, group...); e.needed(group) || !e.mayStay(group) {
			continue
		}
		first := e.l.Task(t)
		item := Item{Kind: KeepPod, Statement: first.Held.Statement, Pod: first.Key, UID: first.Pod.UID, Node: e.l.Node(first.Node).Name}
		for _, v := range group {
			item.Evictions = append(item.Evictions, e.l.Task(v).Held.Item)
			e.l.Drop(v)
		}
		e.add(item)
	}
}

// leavesWith returns the tasks with evictions under way that can stay only together with this one: those of
// its gang, if the gang would be below its minimum without them; otherwise the task alone.
func (e *Engine) leavesWith(t ledger.TaskID) []ledger.TaskID {
	row := e.l.Task(t)
	if e.l.Job(row.Job).Met((*ledger.Count).Holding) {
		return []ledger.TaskID{t}
	}
	var out []ledger.TaskID
	for _, o := range e.leaving {
		if other := e.l.Task(o); other.Job == row.Job && other.Held.Kind == ledger.CommitEvict && other.Held.Statement == row.Held.Statement {
			out = append(out, o)
		}
	}
	return out
}

// needed says that a reservation still waits for room of one of these tasks.
func (e *Engine) needed(group []ledger.TaskID) bool {
	statement := e.l.Task(group[0]).Held.Statement
	return slices.ContainsFunc(e.reserved, func(t ledger.TaskID) bool {
		held := e.l.Task(t).Held
		return held.Kind == ledger.CommitReserve && held.Statement == statement &&
			slices.ContainsFunc(group, func(v ledger.TaskID) bool { return e.l.Task(v).Node == held.Node })
	})
}

// mayStay says that these tasks can stay without taking room from any other task: they are all evicted members
// of their gang, their room is promised to no task, all tasks that wait for room on their nodes could still
// have it, and their queues may hold them.
func (e *Engine) mayStay(group []ledger.TaskID) (ok bool) {
	job := e.l.Job(e.l.Task(group[0]).Job)
	e.l.Try(func(tx *ledger.Tx) bool {
		for _, v := range group {
			row := e.l.Task(v)
			if row.Held.For == ledger.ForItsQueue && e.policy.Allocatable(job.Queue, row.Class, 1) < 1 {
				return false
			}
			tx.Stay(v)
		}
		ok = (job.By[model.Releasing] == 0 || job.Met((*ledger.Count).Holding)) && e.withinQuota(job.Queue) &&
			!slices.ContainsFunc(group, func(v ledger.TaskID) bool { return e.counted(tx, v) })
		return false
	})
	return ok
}

// withinQuota says that a queue and its ancestors hold no more than they may.
func (e *Engine) withinQuota(q ledger.QueueID) bool {
	for at := q; at != ledger.NoQueue; at = e.l.Parent(at) {
		figures, known := e.policy.QueueFigures(at)
		if !known {
			continue
		}
		for d := range resource.Dim(e.l.Dims.Len()) {
			if most, bounded := figures.RealCapability.Bound(d); bounded && e.l.Queue(at).Allocated.Get(d) > most {
				return false
			}
		}
	}
	return true
}

// counted says that a task counts on the room of one that stays: the room is promised, or a task that waits on
// the node could not have its room any more.
func (e *Engine) counted(tx *ledger.Tx, v ledger.TaskID) bool {
	row := e.l.Task(v)
	for _, need := range e.l.Class(row.Class).Need {
		if e.l.FutureIdle(need.Dim, row.Node) < 0 {
			return true
		}
	}
	var waiting []ledger.TaskID
	e.l.NodeTasks(row.Node, func(t ledger.TaskID) bool {
		if e.l.Task(t).Status == model.Pipelined {
			waiting = append(waiting, t)
		}
		return true
	})
	return slices.ContainsFunc(waiting, func(t ledger.TaskID) (refused bool) {
		tx.Try(func(tx *ledger.Tx) bool {
			tx.Withdraw(t)
			refused = !e.session.Nodes.Takes(t, row.Node, true)
			return false
		})
		return refused
	})
}
