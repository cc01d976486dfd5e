package evict

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
func (dr *dryRun) gather(n ledger.NodeID, wholeGangs bool) {
	dr.here, dr.units, dr.slab = dr.here[:0], dr.units[:0], dr.slab[:0]
	dr.vs.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		if standing(dr.vs.l, t) {
			if why := dr.vs.current.outside(t); why == trace.None {
				dr.here = append(dr.here, t)
			} else {
				dr.vs.current.spared(t, why, "")
			}
		}
		return true
	})
	slices.SortFunc(dr.here, dr.compare)
	for i := 0; i < len(dr.here); {
		k := i
		for k < len(dr.here) && dr.vs.l.Task(dr.here[k]).Job == dr.vs.l.Task(dr.here[i]).Job {
			k++
		}
		dr.unitsOf(dr.here[i:k], wholeGangs)
		i = k
	}
	for i := range dr.units {
		u := &dr.units[i]
		u.Tasks = dr.slab[u.from:u.to]
	}
	slices.SortStableFunc(dr.units, byCost)
}

// byCost orders units by what they cost. Units of equal cost stay in the order of compareVictims.
func byCost(a, b unit) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(b.start, a.start))
}

// compareVictims is the order in which victims are evicted: queues in VictimQueueOrder, jobs of a queue
// in reverse JobOrder, tasks of a job in reverse TaskOrder.
func (dr *dryRun) compareVictims(a, b ledger.TaskID) int {
	x, y := dr.vs.l.Task(a), dr.vs.l.Task(b)
	if x.Job == y.Job {
		return dr.vs.set.CompareTasks(b, a)
	}
	p, q := dr.vs.l.Job(x.Job), dr.vs.l.Job(y.Job)
	if p.Queue != q.Queue {
		return dr.vs.set.Eviction.CompareQueues(p.Queue, q.Queue, dr.vs.current.preemptor.Queue)
	}
	return dr.vs.set.CompareJobs(y.Job, x.Job)
}

// unitsOf makes the units of one job that has tasks on the node.
func (dr *dryRun) unitsOf(tasks []ledger.TaskID, wholeGangs bool) {
	j := dr.vs.l.Task(tasks[0]).Job
	job := dr.vs.l.Job(j)
	left := spare(job)
	dr.roleLeft = dr.roleLeft[:0]
	for i := range job.Roles {
		dr.roleLeft = append(dr.roleLeft, roleSpare(&job.Roles[i]))
	}
	dr.subLeft = dr.subLeft[:0]
	for i := range job.Subs {
		dr.subLeft = append(dr.subLeft, subSpare(job, &job.Subs[i]))
	}
	rest := 0
	for _, t := range tasks {
		role, sub := dr.vs.l.Task(t).Role, dr.vs.l.Task(t).Sub
		switch {
		case reserved(dr.vs.l, t) && job.Holding() >= job.MinMember:
			dr.add(j, false, t)
		case !reserved(dr.vs.l, t) && left > 0 && dr.roleLeft[role] > 0 && (sub < 0 || dr.subLeft[sub] > 0):
			left--
			dr.roleLeft[role]--
			if sub >= 0 {
				dr.subLeft[sub]--
			}
			dr.add(j, false, t)
		default:
			rest++
			if !wholeGangs {
				dr.vs.current.spared(t, trace.VictimGang, "")
			}
		}
	}
	// Where all tasks of a job on this node are surplus, the units above are enough; over all nodes it may
	// be more than the job can spare.
	if wholeGangs && (rest > 0 || dr.spread) && dr.vs.rule.Scope != SameJob {
		dr.addWhole(j, tasks[0])
	}
}

func (dr *dryRun) add(j ledger.JobID, whole bool, tasks ...ledger.TaskID) {
	dr.open(j, whole)
	for _, t := range tasks {
		dr.include(t)
	}
}

func (dr *dryRun) open(j ledger.JobID, whole bool) {
	dr.units = append(dr.units, unit{Unit: policy.Unit{Queue: dr.vs.l.Job(j).Queue, Job: j, Whole: whole},
		priority: -1 << 31, start: 1<<63 - 1, from: len(dr.slab), to: len(dr.slab)})
}

func (dr *dryRun) include(t ledger.TaskID) {
	u := &dr.units[len(dr.units)-1]
	dr.slab = append(dr.slab, t)
	u.to = len(dr.slab)
	u.priority = max(u.priority, dr.priorityOf(t))
	u.start = min(u.start, started(dr.vs.l.Task(t)))
}

// priorityOf is the priority by which a victim's importance is measured: its job's, or, between tasks
// of one job, the task's.
func (dr *dryRun) priorityOf(t ledger.TaskID) int32 {
	task := dr.vs.l.Task(t)
	if dr.vs.rule.Scope == SameJob {
		return task.Order
	}
	return dr.vs.l.Job(task.Job).Priority
}

// addWhole adds all that a job holds as one unit. For a job that waits with reservations, these are its
// reservations, since the job cannot start without them. Otherwise these are all members that hold
// room; when one of them may not be evicted, nothing is added.
func (dr *dryRun) addWhole(j ledger.JobID, t ledger.TaskID) {
	job := dr.vs.l.Job(j)
	if reserved(dr.vs.l, t) {
		dr.open(j, true)
		dr.members(j, model.Pipelined, func(t ledger.TaskID) bool {
			if standing(dr.vs.l, t) {
				dr.include(t)
			}
			return true
		})
		return
	}
	if job.By[model.Allocated] > 0 || job.By[model.Binding] > 0 {
		dr.vs.current.spared(t, trace.VictimBusy, "")
		return
	}
	dr.open(j, true)
	for _, status := range [...]model.Status{model.Running, model.Bound} {
		if !dr.members(j, status, func(t ledger.TaskID) bool {
			if !standing(dr.vs.l, t) || dr.vs.current.outside(t) != trace.None {
				return false
			}
			dr.include(t)
			return true
		}) {
			dr.slab = dr.slab[:dr.units[len(dr.units)-1].from]
			dr.units = dr.units[:len(dr.units)-1]
			dr.vs.current.spared(t, trace.VictimBusy, "")
			return
		}
	}
	u := &dr.units[len(dr.units)-1]
	slices.SortFunc(dr.slab[u.from:u.to], dr.compare)
}

// members calls f for the members of one status until f returns false; it returns false when f did.
func (dr *dryRun) members(j ledger.JobID, s model.Status, f func(ledger.TaskID) bool) bool {
	ok := true
	dr.vs.l.Jobs.Tasks(j, s, func(t ledger.TaskID) bool {
		ok = f(t)
		return ok
	})
	return ok
}
