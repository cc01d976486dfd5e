package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Take makes room for a job: for the rest of its minimum as a whole, or, where it has that
// already, for one task more. tasks are its members to place, in the order to place them;
// those that ask for nothing come last. Everything is one statement, which holds when all
// of them have a place and somebody had to leave for it; nobody leaves otherwise, and
// nobody who can stay (decision 13). Records tells what was done.
func (h *Hunt) Take(rule Rule, j ledger.JobID, tasks []ledger.TaskID) bool {
	return h.hear(rule, j, tasks, true)
}

// Would says what Take would, and does nothing.
func (h *Hunt) Would(rule Rule, j ledger.JobID, tasks []ledger.TaskID) bool {
	return h.hear(rule, j, tasks, false)
}

func (h *Hunt) hear(rule Rule, j ledger.JobID, tasks []ledger.TaskID, do bool) (would bool) {
	p, alike := h.PleaOf(rule, j, tasks)
	if why, known := h.pleas[p]; known && alike && h.pleasAt == h.state() {
		h.untitled, h.balked = why, false
		return false
	}
	h.begin(rule, j)
	h.l.Try(func(tx *ledger.Tx) bool {
		if !h.placeAll(tx, tasks) {
			return false
		}
		if len(h.placed) > 1 {
			h.spareMore(tx)
		}
		would = len(h.gone) > 0
		return would && do
	})
	if alike && !would && !h.balked {
		h.refusePlea(p)
	}
	return would
}

// Cost is what the victims of the last Take cost.
func (h *Hunt) Cost() Cost {
	c := nothing
	for _, v := range h.gone {
		c = c.with(h.priorityOf(v.task), started(h.l.Task(v.task)))
	}
	return c
}

// placeAll places tasks until the minimum is met, or the first that can be where it is
// met already.
func (h *Hunt) placeAll(tx *ledger.Tx, tasks []ledger.TaskID) bool {
	one := h.satisfied()
	h.claim.Extra = one
	if !one {
		if found, tried := h.jointly(tx, tasks); tried {
			return found && h.satisfied()
		}
	}
	tasks = h.patientFirst(tasks)
	for i, t := range tasks {
		h.rests(tasks[i:])
		if h.one(tx, t) && (one || h.satisfied()) {
			return true
		}
		job := h.l.Job(h.claim.Job)
		if !one && job.Holding()+job.By[model.Succeeded]+job.Waiting()+int32(len(tasks)-i-1) < job.MinMember {
			return false
		}
	}
	return false
}

// patientFirst puts those first for which nobody may be evicted: the room that is free is for
// them, and the others have victims.
func (h *Hunt) patientFirst(tasks []ledger.TaskID) []ledger.TaskID {
	never := 0
	for _, t := range tasks {
		if h.l.PreemptsNever(t) {
			never++
		}
	}
	if never == 0 || never == len(tasks) {
		return tasks
	}
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b ledger.TaskID) int {
		switch x, y := h.l.PreemptsNever(a), h.l.PreemptsNever(b); {
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

// satisfied says that the job could start with what it has and is promised: its minimum,
// every role's, and whatever plugins ask.
func (h *Hunt) satisfied() bool {
	job := h.l.Job(h.claim.Job)
	if !job.RolesMet((*ledger.Count).Promised) {
		return false
	}
	for _, t := range h.placed { // of a sub-group all that it needs, or nobody
		if sub := h.l.Task(t).Sub; sub >= 0 {
			if s := &job.Subs[sub]; s.Promised() < job.SubSize(s) {
				return false
			}
		}
	}
	return h.set.Pipelined(h.claim.Job)
}

// one finds a place for one task, with or without victims.
func (h *Hunt) one(tx *ledger.Tx, t ledger.TaskID) bool {
	task := h.l.Task(t)
	if task.Status != model.Pending || slices.Contains(h.refused, task.Class) {
		return false
	}
	if !h.set.PrePredicate(t).Admits() {
		h.balked = true
		return false
	}
	h.ask(t)
	if n := h.free(); n != ledger.NoNode {
		tx.Reserve(t, n)
		h.placed = append(h.placed, t)
		return true
	}
	if h.l.PreemptsNever(t) {
		if h.patient == ledger.NoTask {
			h.patient = t
		}
		return false // which says nothing of others of its class
	}
	if !h.entitled() || !h.place(tx) {
		h.refused = append(h.refused, task.Class)
		return false
	}
	h.placed = append(h.placed, t)
	return true
}

// entitled says that the claim's queue may take from others at all. What it deserves does
// not grow when victims leave; what it and those above may hold can make room.
func (h *Hunt) entitled() bool {
	if h.rule.Scope != OtherQueues {
		return true
	}
	r, ok := h.set.Preemptive(h.claim)
	if ok || r.Code == trace.QueueCapability {
		return true
	}
	if len(h.refused) == 0 { // why nobody leaves is told of the first task that is refused
		h.untitled = r
	}
	return false
}

// Untitled is why the queue of the last Take may not take from others; none when it may.
func (h *Hunt) Untitled() trace.Reason { return h.untitled }

// Balked says that in the last Take, or Why, a plugin refused a task before any node was
// asked: what became of that job says nothing of others that ask for the same.
func (h *Hunt) Balked() bool { return h.balked }

// free is the best node with room for the task as things stand.
func (h *Hunt) free() ledger.NodeID {
	if !h.lawful() {
		return ledger.NoNode
	}
	if domain := h.within(); domain != nil {
		n, _ := h.nodes.BestWithin(h.claim.Task, domain)
		return n
	}
	n, _ := h.nodes.Best(h.claim.Task)
	return n
}

// spareMore gives back whom the plan as a whole can do without, the most important first:
// what was needed for one task may not be once others had their victims.
func (h *Hunt) spareMore(tx *ledger.Tx) {
	order := slices.Clone(h.gone)
	slices.SortStableFunc(order, func(a, b victim) int { return cmp.Compare(h.priorityOf(b.task), h.priorityOf(a.task)) })
	for _, v := range order {
		if !h.isGone(v.task) {
			continue
		}
		back := h.together(order, v)
		if h.roomFor(back[0]) && h.canStay(tx, back) {
			for _, t := range back {
				h.stay(tx, t)
			}
		}
	}
	h.gone = slices.DeleteFunc(h.gone, func(v victim) bool { return !h.isGone(v.task) })
}

// together are the victims that can only stay together with v: all of its gang that are
// gone, where it goes as a whole; otherwise v alone.
func (h *Hunt) together(all []victim, v victim) (out []ledger.TaskID) {
	job := h.l.Task(v.task).Job
	whole := false
	for _, o := range all {
		if h.l.Task(o.task).Job == job && h.isGone(o.task) {
			whole = whole || o.whole
			out = append(out, o.task)
		}
	}
	if !whole {
		return []ledger.TaskID{v.task}
	}
	return out
}

// roomFor says that a victim's node has room for it beside all that was placed: without,
// it cannot stay, whatever filters say.
func (h *Hunt) roomFor(t ledger.TaskID) bool {
	task := h.l.Task(t)
	n := task.Node
	if n == ledger.NoNode {
		n = task.Held.Node
	}
	for _, need := range h.l.Class(task.Class).Need {
		if h.l.FutureIdle(need.Dim, n) < need.Amount {
			return false
		}
	}
	return true
}

// isGone says that a task leaves in this statement, or gives its reservation up.
func (h *Hunt) isGone(t ledger.TaskID) bool {
	task := h.l.Task(t)
	return task.Status == model.Releasing || task.Status == model.Pending && task.Held.Kind == ledger.CommitReserve
}

// canStay says that all that was placed keeps its place when some victims stay.
func (h *Hunt) canStay(tx *ledger.Tx, back []ledger.TaskID) (ok bool) {
	tx.Try(func(tx *ledger.Tx) bool {
		for _, t := range back {
			h.stay(tx, t)
		}
		ok = true
		for _, t := range h.placed {
			n := h.l.Task(t).Node
			if !h.touches(back, n) && len(h.placed) > 1 && t != h.placed[len(h.placed)-1] {
				continue // what its queue may hold is asked of the last one, for all
			}
			tx.Withdraw(t)
			h.claim.Task, h.class, h.at = t, h.l.Task(t).Class, n
			h.claim.Want = h.l.Class(h.class).Request
			ok = ok && h.fits()
			tx.Reserve(t, n)
		}
		return false
	})
	return ok
}

// touches says that one of the tasks that stay is on a node.
func (h *Hunt) touches(back []ledger.TaskID, n ledger.NodeID) bool {
	return slices.ContainsFunc(back, func(t ledger.TaskID) bool { return h.l.Task(t).Node == n })
}
