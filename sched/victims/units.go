package victims

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// unit is a policy.Unit with what it costs.
type unit struct {
	policy.Unit
	priority int32
	start    int64
	tier     int
	from, to int // its tasks in Hunt.slab
	gone     int // how many of them it has evicted: the last ones of Hunt.out
}

// gather finds the units with a task on a node, in the order in which they go: the least
// important first, of equally important ones the one that started last, as costs have it
// (decision 17), then as BuildVictimsPriorityQueue has them (seed 002 §4.4). wholes adds
// whole gangs.
func (h *Hunt) gather(n ledger.NodeID, wholes bool) {
	h.here, h.units, h.slab = h.here[:0], h.units[:0], h.slab[:0]
	h.l.NodeTasks(n, func(t ledger.TaskID) bool {
		if standing(h.l, t) {
			if why := h.outside(t); why == trace.None {
				h.here = append(h.here, t)
			} else {
				h.spared(t, why, "")
			}
		}
		return true
	})
	slices.SortFunc(h.here, h.compare)
	for i := 0; i < len(h.here); {
		k := i
		for k < len(h.here) && h.l.Task(h.here[k]).Job == h.l.Task(h.here[i]).Job {
			k++
		}
		h.unitsOf(h.here[i:k], wholes)
		i = k
	}
	for i := range h.units {
		u := &h.units[i]
		u.Tasks = h.slab[u.from:u.to]
	}
	slices.SortStableFunc(h.units, byCost)
}

// byCost is the order in which units go, where it is not that of victims.
func byCost(a, b unit) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(b.start, a.start))
}

// compareVictims is the order in which victims go: other queues as VictimQueueOrder has
// them, jobs of a queue against JobOrder, tasks of a job against TaskOrder.
func (h *Hunt) compareVictims(a, b ledger.TaskID) int {
	x, y := h.l.Task(a), h.l.Task(b)
	if x.Job == y.Job {
		return h.set.CompareTasks(b, a)
	}
	p, q := h.l.Job(x.Job), h.l.Job(y.Job)
	if p.Queue != q.Queue {
		return h.set.CompareVictimQueues(p.Queue, q.Queue, h.claim.Queue)
	}
	return h.set.CompareJobs(y.Job, x.Job)
}

// unitsOf makes the units of one job with tasks on the node.
func (h *Hunt) unitsOf(tasks []ledger.TaskID, wholes bool) {
	j := h.l.Task(tasks[0]).Job
	job := h.l.Job(j)
	left := spare(job)
	h.roleLeft = h.roleLeft[:0]
	for i := range job.Roles {
		h.roleLeft = append(h.roleLeft, roleSpare(&job.Roles[i]))
	}
	h.subLeft = h.subLeft[:0]
	for i := range job.Subs {
		h.subLeft = append(h.subLeft, subSpare(job, &job.Subs[i]))
	}
	rest := 0
	for _, t := range tasks {
		role, sub := h.l.Task(t).Role, h.l.Task(t).Sub
		switch {
		case reserved(h.l, t) && job.Holding() >= job.MinMember:
			h.add(j, false, t)
		case !reserved(h.l, t) && left > 0 && h.roleLeft[role] > 0 && (sub < 0 || h.subLeft[sub] > 0):
			left--
			h.roleLeft[role]--
			if sub >= 0 {
				h.subLeft[sub]--
			}
			h.add(j, false, t)
		default:
			rest++
			if !wholes {
				h.spared(t, trace.VictimGang, "")
			}
		}
	}
	// Where all that a job has here is surplus, that is enough; seen over all nodes it may
	// be more than it has to spare.
	if wholes && (rest > 0 || h.spread) && h.rule.Scope != SameJob {
		h.addWhole(j, tasks[0])
	}
}

func (h *Hunt) add(j ledger.JobID, whole bool, tasks ...ledger.TaskID) {
	h.open(j, whole)
	for _, t := range tasks {
		h.include(t)
	}
}

func (h *Hunt) open(j ledger.JobID, whole bool) {
	h.units = append(h.units, unit{Unit: policy.Unit{Queue: h.l.Job(j).Queue, Job: j, Whole: whole},
		priority: -1 << 31, start: 1<<63 - 1, from: len(h.slab), to: len(h.slab)})
}

func (h *Hunt) include(t ledger.TaskID) {
	u := &h.units[len(h.units)-1]
	h.slab = append(h.slab, t)
	u.to = len(h.slab)
	u.priority = max(u.priority, h.priorityOf(t))
	u.start = min(u.start, started(h.l.Task(t)))
}

// priorityOf is what a victim's importance is measured by: its job's priority, between
// tasks of one job the task's.
func (h *Hunt) priorityOf(t ledger.TaskID) int32 {
	task := h.l.Task(t)
	if h.rule.Scope == SameJob {
		return task.Order
	}
	return h.l.Job(task.Job).Priority
}

// addWhole adds all that a job holds as one unit: its reservations, if it waits with some,
// since without them it cannot start; otherwise every member that holds room, of which
// none may be out of reach.
func (h *Hunt) addWhole(j ledger.JobID, t ledger.TaskID) {
	job := h.l.Job(j)
	if reserved(h.l, t) {
		h.open(j, true)
		h.members(j, model.Pipelined, func(t ledger.TaskID) bool {
			if standing(h.l, t) {
				h.include(t)
			}
			return true
		})
		return
	}
	if job.By[model.Allocated] > 0 || job.By[model.Binding] > 0 {
		h.spared(t, trace.VictimBusy, "")
		return
	}
	h.open(j, true)
	for _, status := range [...]model.Status{model.Running, model.Bound} {
		if !h.members(j, status, func(t ledger.TaskID) bool {
			if !standing(h.l, t) || h.outside(t) != trace.None {
				return false
			}
			h.include(t)
			return true
		}) {
			h.slab = h.slab[:h.units[len(h.units)-1].from]
			h.units = h.units[:len(h.units)-1]
			h.spared(t, trace.VictimBusy, "")
			return
		}
	}
	u := &h.units[len(h.units)-1]
	slices.SortFunc(h.slab[u.from:u.to], h.compare)
}

// members calls f for the members of one status until it says no; false when it did.
func (h *Hunt) members(j ledger.JobID, s model.Status, f func(ledger.TaskID) bool) bool {
	ok := true
	h.l.JobTasks(j, s, func(t ledger.TaskID) bool {
		ok = f(t)
		return ok
	})
	return ok
}
