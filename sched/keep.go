package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// told notes that an item went through. Of an eviction: the pod cannot stay any more. Of a phase:
// it is not waited for where its PodGroup shows it, since what changes nothing no fact follows.
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

// phaseOf is the job whose phase an item asks for; false when another was decided since, or the
// PodGroup shows it.
func (e *Engine) phaseOf(i Item) (ledger.JobID, bool) {
	j, ok := e.l.FindJob(ledger.JobKey{Namespace: i.Group.Namespace, Name: i.Group.Name})
	if !ok {
		return j, false
	}
	id, held := e.l.PhaseHeld(j)
	return j, held && id == i.ID
}

// beneficiary says for whom an eviction is.
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

// follow notes a commitment of an earlier life that ends by itself, or may be taken back.
func (e *Engine) follow(t ledger.TaskID) {
	switch e.l.Task(t).Held.Kind {
	case ledger.CommitReserve, ledger.CommitSpare:
		e.reserved = append(e.reserved, t)
	case ledger.CommitEvict:
		e.leaving = append(e.leaving, t)
	}
}

// keepUnneeded takes back the evictions that no reservation waits for any more, because its
// pod found room elsewhere, is gone, or may not have the node. It does so only for pods that
// were not told yet, as far as is known, and whose room nobody else counts on. Whoever carries
// the plan out knows better what was told: an eviction that was begun goes on, and shows in
// the pod's fact. A gang that was to go as a whole stays as a whole.
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

// leavesWith are those who leave and can stay only together with one: its gang, where that
// would be below its minimum without them; otherwise the one alone.
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

// needed says that a reservation still waits for the room of one of those who leave.
func (e *Engine) needed(group []ledger.TaskID) bool {
	statement := e.l.Task(group[0]).Held.Statement
	return slices.ContainsFunc(e.reserved, func(t ledger.TaskID) bool {
		held := e.l.Task(t).Held
		return held.Kind == ledger.CommitReserve && held.Statement == statement &&
			slices.ContainsFunc(group, func(v ledger.TaskID) bool { return e.l.Task(v).Node == held.Node })
	})
}

// mayStay says that those who leave can stay without taking anything from anybody: they are
// all of a gang that leave, the room they hold is promised to nobody, whoever waits for room
// on their nodes could still have it, and their queues may hold them.
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

// withinQuota says that a queue, and those above it, hold no more than they may.
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

// counted says that somebody counts on the room of one who stays: it is promised, or who waits
// on its node could not have it any more.
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
