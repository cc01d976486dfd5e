package evict

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Take makes room for a job: for the rest of its minimum as a whole, or, where it has its minimum
// already, for one more task. tasks are its members to place, in the order to place them; those that
// ask for nothing come last. All of it is one statement. The statement holds when all of them have a
// place and at least one victim was needed; otherwise nothing is evicted. A pod that can stay is not
// evicted (decision 13). Records returns what was done.
func (vs *Search) Take(rule Options, j ledger.JobID, tasks []ledger.TaskID) bool {
	return vs.serve(rule, j, tasks, true)
}

// Would returns what Take would return, and changes nothing.
func (vs *Search) Would(rule Options, j ledger.JobID, tasks []ledger.TaskID) bool {
	return vs.serve(rule, j, tasks, false)
}

func (vs *Search) serve(rule Options, j ledger.JobID, tasks []ledger.TaskID, do bool) (would bool) {
	g := vs.SignatureOf(rule, j, tasks)
	if why, known := vs.fruitless.Recall(vs.pending, g); known {
		vs.Result.notPreemptive, vs.Result.prePredicateFailed = why, false
		return false
	}
	vs.begin(rule, j)
	vs.l.Try(func(tx *ledger.Tx) bool {
		if !vs.placeAll(tx, tasks) {
			return false
		}
		if len(vs.Result.placed) > 1 {
			vs.spareMore(tx)
		}
		would = len(vs.Result.gone) > 0
		return would && do
	})
	if g.Shared() && !would && !vs.Result.prePredicateFailed {
		vs.fruitless.Remember(vs.pending, g, vs.Result.notPreemptive)
	}
	return would
}

// Cost is what the victims of the last Take cost.
func (re *Result) Cost() Cost {
	c := nothing
	for _, v := range re.gone {
		c = c.with(re.vs.dry.priorityOf(v.task), started(re.vs.l.Task(v.task)))
	}
	return c
}

// placeAll places tasks until the job has its minimum, or places the first task that it can when the
// job has its minimum already.
func (vs *Search) placeAll(tx *ledger.Tx, tasks []ledger.TaskID) bool {
	one := vs.satisfied()
	vs.current.preemptor.Extra = one
	if !one {
		if found, tried := vs.choice.jointly(tx, tasks); tried {
			return found && vs.satisfied()
		}
	}
	tasks = vs.nonPreemptingFirst(tasks)
	for i, t := range tasks {
		vs.current.rests(tasks[i:])
		if vs.one(tx, t) && (one || vs.satisfied()) {
			return true
		}
		job := vs.l.Job(vs.current.preemptor.Job)
		if !one && job.Holding()+job.By[model.Succeeded]+job.Waiting()+int32(len(tasks)-i-1) < job.MinMember {
			return false
		}
	}
	return false
}

// nonPreemptingFirst moves the tasks that may not preempt to the front: free room is for them, since
// the rest can have victims.
func (vs *Search) nonPreemptingFirst(tasks []ledger.TaskID) []ledger.TaskID {
	never := 0
	for _, t := range tasks {
		if vs.l.Priorities.PreemptsNever(t) {
			never++
		}
	}
	if never == 0 || never == len(tasks) {
		return tasks
	}
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b ledger.TaskID) int {
		switch x, y := vs.l.Priorities.PreemptsNever(a), vs.l.Priorities.PreemptsNever(b); {
		case x == y:
			return 0
		case x:
			return -1
		default:
			return 1
		}
	})
	return tasks
}

// satisfied says that the job could start with what it has and is promised: it has its minimum, that of
// every role, and whatever plugins require.
func (vs *Search) satisfied() bool {
	job := vs.l.Job(vs.current.preemptor.Job)
	if !job.RolesMet((*ledger.Count).Promised) {
		return false
	}
	for _, t := range vs.Result.placed { // of a sub-group all members that it needs, or none
		if sub := vs.l.Task(t).Sub; sub >= 0 {
			if s := &job.Subs[sub]; s.Promised() < job.SubSize(s) {
				return false
			}
		}
	}
	return vs.set.Pipelined(vs.current.preemptor.Job)
}

// one finds a place for one task, with or without victims.
func (vs *Search) one(tx *ledger.Tx, t ledger.TaskID) bool {
	task := vs.l.Task(t)
	if task.Status != model.Pending || slices.Contains(vs.Result.refused, task.Class) {
		return false
	}
	if !vs.set.PrePredicate(t).Admits() {
		vs.Result.prePredicateFailed = true
		return false
	}
	vs.current.ask(t)
	if n := vs.free(); n != ledger.NoNode {
		tx.Reserve(t, n)
		vs.Result.placed = append(vs.Result.placed, t)
		return true
	}
	if vs.l.Priorities.PreemptsNever(t) {
		if vs.Result.nonPreempting == ledger.NoTask {
			vs.Result.nonPreempting = t
		}
		return false // other tasks of its class may still preempt
	}
	if !vs.preemptive() || !vs.place(tx) {
		vs.Result.refused = append(vs.Result.refused, task.Class)
		return false
	}
	vs.Result.placed = append(vs.Result.placed, t)
	return true
}

// preemptive says that the preemptor's queue may take room from other queues at all. What the queue
// deserves does not grow when victims are evicted. Capability, its own and its ancestors', is no reason
// to stop: victims can make room under it.
func (vs *Search) preemptive() bool {
	if vs.rule.Scope != OtherQueues {
		return true
	}
	r, ok := vs.set.Eviction.Preemptive(vs.current.preemptor)
	if ok || r.Code == trace.QueueCapability {
		return true
	}
	if len(vs.Result.refused) == 0 { // the reason that is reported is that of the first task that is refused
		vs.Result.notPreemptive = r
	}
	return false
}

// NotPreemptive is why the queue of the last Take may not take from other queues; the zero Reason when
// it may.
func (re *Result) NotPreemptive() trace.Reason { return re.notPreemptive }

// PrePredicateFailed says that in the last Take, or Why, a plugin refused a task before any node was
// tried: the result for that job then says nothing about other jobs that ask for the same.
func (re *Result) PrePredicateFailed() bool { return re.prePredicateFailed }

// free is the best node with room for the task without victims; ledger.NoNode when there is none.
func (vs *Search) free() ledger.NodeID {
	if !vs.current.allocatable() {
		return ledger.NoNode
	}
	if domain := vs.current.within(); domain != nil {
		n, _ := vs.nodes.BestWithin(vs.current.preemptor.Task, domain)
		return n
	}
	n, _ := vs.nodes.Best(vs.current.preemptor.Task)
	return n
}

// spareMore takes back the evictions that the plan as a whole does not need, the most important victims
// first: a victim that was needed for one task may not be needed once other tasks had their victims.
func (vs *Search) spareMore(tx *ledger.Tx) {
	order := slices.Clone(vs.Result.gone)
	slices.SortStableFunc(order, func(a, b victim) int { return cmp.Compare(vs.dry.priorityOf(b.task), vs.dry.priorityOf(a.task)) })
	for _, v := range order {
		if !vs.Result.isGone(v.task) {
			continue
		}
		back := vs.together(order, v)
		if vs.roomFor(back[0]) && vs.canStay(tx, back) {
			for _, t := range back {
				vs.dry.stay(tx, t)
			}
		}
	}
	vs.Result.gone = slices.DeleteFunc(vs.Result.gone, func(v victim) bool { return !vs.Result.isGone(v.task) })
}

// together are the victims that can only stay together with v: all evicted members of its gang, where
// the gang is evicted as a whole; otherwise v alone.
func (vs *Search) together(all []victim, v victim) (out []ledger.TaskID) {
	job := vs.l.Task(v.task).Job
	whole := false
	for _, o := range all {
		if vs.l.Task(o.task).Job == job && vs.Result.isGone(o.task) {
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
	task := vs.l.Task(t)
	n := task.Node
	if n == ledger.NoNode {
		n = task.Held.Node
	}
	for _, need := range vs.l.Class(task.Class).Need {
		if vs.l.Nodes.FutureIdle(need.Dim, n) < need.Amount {
			return false
		}
	}
	return true
}

// isGone says that a task is evicted in this statement, or gave its reservation up.
func (re *Result) isGone(t ledger.TaskID) bool {
	task := re.vs.l.Task(t)
	return task.Status == model.Releasing || task.Status == model.Pending && task.Held.Kind == ledger.CommitReserve
}

// canStay says that all that was placed keeps its place when the tasks in back stay.
func (vs *Search) canStay(tx *ledger.Tx, back []ledger.TaskID) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range back {
			vs.dry.stay(tx, t)
		}
		ok = true
		for _, t := range vs.Result.placed {
			n := vs.l.Task(t).Node
			if !vs.touches(back, n) && len(vs.Result.placed) > 1 && t != vs.Result.placed[len(vs.Result.placed)-1] {
				continue // what the queue may hold is checked with the last task, for all
			}
			tx.Withdraw(t)
			vs.current.preemptor.Task, vs.current.class, vs.dry.at = t, vs.l.Task(t).Class, n
			vs.current.preemptor.Want = vs.l.Class(vs.current.class).Request
			ok = ok && vs.dry.fits()
			tx.Reserve(t, n)
		}
		return false
	})
	return ok
}

// touches says that one of the tasks that stay is on a node.
func (vs *Search) touches(back []ledger.TaskID, n ledger.NodeID) bool {
	return slices.ContainsFunc(back, func(t ledger.TaskID) bool { return vs.l.Task(t).Node == n })
}
