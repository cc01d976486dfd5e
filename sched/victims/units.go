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
	from, to int // its tasks in Search.slab
	gone     int // how many of its tasks are evicted in the current dry run
}

// gather finds the units with a task on a node, in the order in which they are evicted: the least
// important first, of equally important ones the one that started last, as costs compare (decision 17),
// then in the order of BuildVictimsPriorityQueue (seed 002 §4.4). With wholeGangs, whole gangs are
// units, too.
func (vs *Search) gather(n ledger.NodeID, wholeGangs bool) {
	vs.here, vs.units, vs.slab = vs.here[:0], vs.units[:0], vs.slab[:0]
	vs.l.NodeTasks(n, func(t ledger.TaskID) bool {
		if standing(vs.l, t) {
			if why := vs.outside(t); why == trace.None {
				vs.here = append(vs.here, t)
			} else {
				vs.spared(t, why, "")
			}
		}
		return true
	})
	slices.SortFunc(vs.here, vs.compare)
	for i := 0; i < len(vs.here); {
		k := i
		for k < len(vs.here) && vs.l.Task(vs.here[k]).Job == vs.l.Task(vs.here[i]).Job {
			k++
		}
		vs.unitsOf(vs.here[i:k], wholeGangs)
		i = k
	}
	for i := range vs.units {
		u := &vs.units[i]
		u.Tasks = vs.slab[u.from:u.to]
	}
	slices.SortStableFunc(vs.units, byCost)
}

// byCost orders units by what they cost. Units of equal cost stay in the order of compareVictims.
func byCost(a, b unit) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(b.start, a.start))
}

// compareVictims is the order in which victims are evicted: queues in VictimQueueOrder, jobs of a queue
// in reverse JobOrder, tasks of a job in reverse TaskOrder.
func (vs *Search) compareVictims(a, b ledger.TaskID) int {
	x, y := vs.l.Task(a), vs.l.Task(b)
	if x.Job == y.Job {
		return vs.set.CompareTasks(b, a)
	}
	p, q := vs.l.Job(x.Job), vs.l.Job(y.Job)
	if p.Queue != q.Queue {
		return vs.set.CompareVictimQueues(p.Queue, q.Queue, vs.preemptor.Queue)
	}
	return vs.set.CompareJobs(y.Job, x.Job)
}

// unitsOf makes the units of one job that has tasks on the node.
func (vs *Search) unitsOf(tasks []ledger.TaskID, wholeGangs bool) {
	j := vs.l.Task(tasks[0]).Job
	job := vs.l.Job(j)
	left := spare(job)
	vs.roleLeft = vs.roleLeft[:0]
	for i := range job.Roles {
		vs.roleLeft = append(vs.roleLeft, roleSpare(&job.Roles[i]))
	}
	vs.subLeft = vs.subLeft[:0]
	for i := range job.Subs {
		vs.subLeft = append(vs.subLeft, subSpare(job, &job.Subs[i]))
	}
	rest := 0
	for _, t := range tasks {
		role, sub := vs.l.Task(t).Role, vs.l.Task(t).Sub
		switch {
		case reserved(vs.l, t) && job.Holding() >= job.MinMember:
			vs.add(j, false, t)
		case !reserved(vs.l, t) && left > 0 && vs.roleLeft[role] > 0 && (sub < 0 || vs.subLeft[sub] > 0):
			left--
			vs.roleLeft[role]--
			if sub >= 0 {
				vs.subLeft[sub]--
			}
			vs.add(j, false, t)
		default:
			rest++
			if !wholeGangs {
				vs.spared(t, trace.VictimGang, "")
			}
		}
	}
	// Where all tasks of a job on this node are surplus, the units above are enough; over all nodes it may
	// be more than the job can spare.
	if wholeGangs && (rest > 0 || vs.spread) && vs.rule.Scope != SameJob {
		vs.addWhole(j, tasks[0])
	}
}

func (vs *Search) add(j ledger.JobID, whole bool, tasks ...ledger.TaskID) {
	vs.open(j, whole)
	for _, t := range tasks {
		vs.include(t)
	}
}

func (vs *Search) open(j ledger.JobID, whole bool) {
	vs.units = append(vs.units, unit{Unit: policy.Unit{Queue: vs.l.Job(j).Queue, Job: j, Whole: whole},
		priority: -1 << 31, start: 1<<63 - 1, from: len(vs.slab), to: len(vs.slab)})
}

func (vs *Search) include(t ledger.TaskID) {
	u := &vs.units[len(vs.units)-1]
	vs.slab = append(vs.slab, t)
	u.to = len(vs.slab)
	u.priority = max(u.priority, vs.priorityOf(t))
	u.start = min(u.start, started(vs.l.Task(t)))
}

// priorityOf is the priority by which a victim's importance is measured: its job's, or, between tasks
// of one job, the task's.
func (vs *Search) priorityOf(t ledger.TaskID) int32 {
	task := vs.l.Task(t)
	if vs.rule.Scope == SameJob {
		return task.Order
	}
	return vs.l.Job(task.Job).Priority
}

// addWhole adds all that a job holds as one unit. For a job that waits with reservations, these are its
// reservations, since the job cannot start without them. Otherwise these are all members that hold
// room; when one of them may not be evicted, nothing is added.
func (vs *Search) addWhole(j ledger.JobID, t ledger.TaskID) {
	job := vs.l.Job(j)
	if reserved(vs.l, t) {
		vs.open(j, true)
		vs.members(j, model.Pipelined, func(t ledger.TaskID) bool {
			if standing(vs.l, t) {
				vs.include(t)
			}
			return true
		})
		return
	}
	if job.By[model.Allocated] > 0 || job.By[model.Binding] > 0 {
		vs.spared(t, trace.VictimBusy, "")
		return
	}
	vs.open(j, true)
	for _, status := range [...]model.Status{model.Running, model.Bound} {
		if !vs.members(j, status, func(t ledger.TaskID) bool {
			if !standing(vs.l, t) || vs.outside(t) != trace.None {
				return false
			}
			vs.include(t)
			return true
		}) {
			vs.slab = vs.slab[:vs.units[len(vs.units)-1].from]
			vs.units = vs.units[:len(vs.units)-1]
			vs.spared(t, trace.VictimBusy, "")
			return
		}
	}
	u := &vs.units[len(vs.units)-1]
	slices.SortFunc(vs.slab[u.from:u.to], vs.compare)
}

// members calls f for the members of one status until f returns false; it returns false when f did.
func (vs *Search) members(j ledger.JobID, s model.Status, f func(ledger.TaskID) bool) bool {
	ok := true
	vs.l.JobTasks(j, s, func(t ledger.TaskID) bool {
		ok = f(t)
		return ok
	})
	return ok
}
