package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// reprieveUnneeded takes back the evictions that all tasks of the preemptor together do not need, the most important
// victims first: a victim that was needed for one task may not be needed once other tasks had their victims.
func (vs *Search) reprieveUnneeded(tx *ledger.Tx) {
	order := slices.Clone(vs.result.gone)
	slices.SortStableFunc(order, func(a, b victim) int {
		return cmp.Compare(vs.p.priorityOf(b.task), vs.p.priorityOf(a.task))
	})
	for _, v := range order {
		if !vs.isGone(v.task) {
			continue
		}
		back := vs.together(order, v)
		if vs.roomFor(back[0]) && vs.canStay(tx, back) {
			for _, t := range back {
				vs.nodes.dry.stay(tx, t)
			}
		}
	}
	vs.result.gone = slices.DeleteFunc(vs.result.gone, func(v victim) bool { return !vs.isGone(v.task) })
}

// together are the victims that can only stay together with v: all evicted members of its gang, where
// the gang is evicted as a whole; otherwise v alone.
func (vs *Search) together(all []victim, v victim) (out []ledger.TaskID) {
	job := vs.s.L.Task(v.task).Job
	whole := false
	for _, o := range all {
		if vs.s.L.Task(o.task).Job == job && vs.isGone(o.task) {
			whole = whole || o.whole
			out = append(out, o.task)
		}
	}
	if !whole {
		return []ledger.TaskID{v.task}
	}
	return out
}

// roomFor says that a victim's node has room for it beside all that was placed. Without room it cannot
// stay, whatever filters say.
func (vs *Search) roomFor(t ledger.TaskID) bool {
	task := vs.s.L.Task(t)
	n := task.Node
	if n == ledger.NoNode {
		n = task.Commitment.Node
	}
	for _, need := range vs.s.L.Class(task.Class).Need {
		if vs.s.L.Nodes.FutureIdle(need.Dim, n) < need.Amount {
			return false
		}
	}
	return true
}

// isGone says that a task is evicted in this statement, or gave its nomination up.
func (vs *Search) isGone(t ledger.TaskID) bool {
	task := vs.s.L.Task(t)
	return task.Status == model.Releasing || task.Status == model.Pending && task.Commitment.Kind == ledger.CommitNominate
}

// canStay says that all that was placed keeps its place when the tasks in back stay.
func (vs *Search) canStay(tx *ledger.Tx, back []ledger.TaskID) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range back {
			vs.nodes.dry.stay(tx, t)
		}
		ok = true
		for _, t := range vs.result.placed {
			n := vs.s.L.Task(t).Node
			if !vs.touches(back, n) && len(vs.result.placed) > 1 && t != vs.result.placed[len(vs.result.placed)-1] {
				continue // what the queue may hold is checked with the last task, for all
			}
			tx.Unpipeline(t)
			vs.p.become(t)
			vs.nodes.dry.at = n
			ok = ok && vs.nodes.dry.fits()
			tx.Nominate(t, n)
		}
		return false
	})
	return ok
}

// touches says that one of the tasks that stay is on a node.
func (vs *Search) touches(back []ledger.TaskID, n ledger.NodeID) bool {
	return slices.ContainsFunc(back, func(t ledger.TaskID) bool { return vs.s.L.Task(t).Node == n })
}
