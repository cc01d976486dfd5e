package sched

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// withdrawUnneeded takes back evictions that no nomination waits for any more, because the pod with the
// nomination found room elsewhere, is gone, or may not have the node. It does so only for pods that, as far
// as is known, were not asked to leave yet, and with room that no other task counts on. What carries the plan
// out knows better which evictions have begun: these go on. Until the answer says so, the pods count as staying, and no
// other pod of their queue is evicted: it might be left with less than it is owed. A gang that was to be evicted as a
// whole stays as a whole.
func (ns *nominations) withdrawUnneeded() {
	ns.leaving = slices.DeleteFunc(ns.leaving, func(t ledger.TaskID) bool {
		commitment := ns.e.l.Task(t).Commitment
		return commitment.Kind != ledger.CommitEvict || commitment.Accepted || commitment.EvictedFor == ledger.ForNoTask
	})
	if len(ns.leaving) == 0 {
		return
	}
	slices.SortFunc(ns.leaving, func(a, b ledger.TaskID) int { return ns.e.l.Task(a).Key.Compare(ns.e.l.Task(b).Key) })
	ns.leaving = slices.Compact(ns.leaving)
	var seen []ledger.TaskID
	for _, t := range ns.leaving {
		if slices.Contains(seen, t) || ns.e.l.Task(t).Job == ledger.NoJob {
			continue // a pod that has become another scheduler's: no queue is known that may hold it
		}
		group := ns.leavesWith(t)
		if seen = append(seen, group...); ns.needed(group) || !ns.mayStay(group) {
			continue
		}
		first := ns.e.l.Task(t)
		item := Item{Kind: WithdrawEviction, Statement: first.Commitment.Statement, Pod: first.Key, UID: first.Pod.UID,
			Node: ns.e.l.Node(first.Node).Name}
		for _, v := range group {
			item.Evictions = append(item.Evictions, ns.e.l.Task(v).Commitment.Item)
			ns.askToStay(v)
		}
		ns.e.add(item)
	}
}

// askToStay has a task count as staying though its eviction may be carried out yet. Without an answer that ends with
// the time for which a nomination waits.
func (ns *nominations) askToStay(t ledger.TaskID) {
	commitment := *ns.e.l.Task(t).Commitment
	commitment.Kind, commitment.Until = ledger.CommitEvictionDenied, model.After(ns.e.session.Now, nominationLasts)
	ns.e.l.SetCommitment(t, commitment)
	ns.expiring = append(ns.expiring, t)
}

// inDoubt returns the queues with pods that were asked to leave and then to stay, as long as no answer says which of
// the two they do, and the ancestors of these queues below root; nil for none.
func (ns *nominations) inDoubt() (queues []ledger.QueueID) {
	for _, t := range ns.expiring {
		row := ns.e.l.Task(t)
		if row.Commitment.Kind != ledger.CommitEvictionDenied || row.Commitment.Item == 0 || row.Job == ledger.NoJob {
			continue
		}
		at := ns.e.l.Job(row.Job).Queue
		for ; at != ledger.NoQueue && ns.e.l.Queue(at).Name != model.RootQueue; at = ns.e.l.Queues.Parent(at) {
			queues = append(queues, at)
		}
	}
	return queues
}

// leavesWith returns the tasks with evictions under way that can stay only together with this one: those of
// its gang, if the gang would be below its minimum without them; otherwise the task alone.
func (ns *nominations) leavesWith(t ledger.TaskID) []ledger.TaskID {
	row := ns.e.l.Task(t)
	if ns.e.l.Job(row.Job).Met((*ledger.Count).Holding) {
		return []ledger.TaskID{t}
	}
	var out []ledger.TaskID
	for _, o := range ns.leaving {
		if other := ns.e.l.Task(o); other.Job == row.Job && other.Commitment.Kind == ledger.CommitEvict &&
			other.Commitment.Statement == row.Commitment.Statement {
			out = append(out, o)
		}
	}
	return out
}

// needed says that a nomination still waits for room of one of these tasks.
func (ns *nominations) needed(group []ledger.TaskID) bool {
	statement := ns.e.l.Task(group[0]).Commitment.Statement
	return slices.ContainsFunc(ns.expiring, func(t ledger.TaskID) bool {
		commitment := ns.e.l.Task(t).Commitment
		return commitment.Kind == ledger.CommitNominate && commitment.Statement == statement &&
			slices.ContainsFunc(group, func(v ledger.TaskID) bool { return ns.e.l.Task(v).Node == commitment.Node })
	})
}

// mayStay says that these tasks can stay without taking room from any other task: they are all evicted members
// of their gang, no task waits for their room, all tasks that wait for room on their nodes could still
// have it, and their queues may hold them.
func (ns *nominations) mayStay(group []ledger.TaskID) (ok bool) {
	job := ns.e.l.Job(ns.e.l.Task(group[0]).Job)
	ns.e.l.Try(func(tx *ledger.Tx) bool {
		for _, v := range group {
			row := ns.e.l.Task(v)
			if row.Commitment.EvictedFor == ledger.ForItsQueue && ns.e.policy.Allocatable(job.Queue, row.Class, 1) < 1 {
				return false
			}
			tx.Stay(v)
		}
		ok = (job.By[model.Releasing] == 0 || job.Met((*ledger.Count).Holding)) && ns.withinQuota(job.Queue) &&
			!slices.ContainsFunc(group, func(v ledger.TaskID) bool { return ns.counted(tx, v) })
		return false
	})
	return ok
}

// withinQuota says that a queue and its ancestors hold no more than they may.
func (ns *nominations) withinQuota(q ledger.QueueID) bool {
	for at := q; at != ledger.NoQueue; at = ns.e.l.Queues.Parent(at) {
		figures, known := ns.e.policy.QueueFigures(at)
		if !known {
			continue
		}
		for d := range resource.Dim(ns.e.l.Dims.Len()) {
			if most, bounded := figures.RealCapability.Bound(d); bounded && ns.e.l.Queue(at).Allocated.Get(d) > most {
				return false
			}
		}
	}
	return true
}

// counted says that a task counts on the room of one that stays: a task is pipelined onto it, or a task that waits on
// the node could not have its room any more.
func (ns *nominations) counted(tx *ledger.Tx, v ledger.TaskID) bool {
	row := ns.e.l.Task(v)
	for _, need := range ns.e.l.Class(row.Class).Need {
		if ns.e.l.Nodes.FutureIdle(need.Dim, row.Node) < 0 {
			return true
		}
	}
	var waiting []ledger.TaskID
	ns.e.l.Nodes.Tasks(row.Node, func(t ledger.TaskID) bool {
		if ns.e.l.Task(t).Status == model.Pipelined {
			waiting = append(waiting, t)
		}
		return true
	})
	return slices.ContainsFunc(waiting, func(t ledger.TaskID) (refused bool) {
		tx.Try(func(tx *ledger.Tx) bool {
			tx.Unpipeline(t)
			refused = !ns.e.session.NodeIndex.Takes(t, row.Node, class.InFuture)
			return false
		})
		return refused
	})
}
