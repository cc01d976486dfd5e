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
	judged   policy.Judgment
	from, to int // its tasks in dryRun.slab
	gone     int // how many of its tasks are evicted in the current dry run
}

// gather finds the units with a task on a node, in the order in which they are evicted: the least
// important first, of equally important ones the one that started last, as costs compare (decision 17),
// then in the order of BuildVictimsPriorityQueue (seed 002 §4.4). With wholeGangs, whole gangs are
// units, too. Where all tasks of a job on the node are surplus, they are units enough, unless units of several
// nodes are gathered (spread): over all of them it may be more than the job can spare.
func (dr *dryRun) gather(n ledger.NodeID, wholeGangs, spread bool) {
	dr.at = n
	dr.here, dr.units, dr.slab = dr.here[:0], dr.units[:0], dr.slab[:0]
	dr.p.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
		if evictableState(dr.p.l, t) {
			if why := dr.p.outside(t); why == trace.None {
				dr.here = append(dr.here, t)
			} else {
				dr.noteProtected(t, why, "")
			}
		}
		return true
	})
	slices.SortFunc(dr.here, dr.compareVictims)
	for i := 0; i < len(dr.here); {
		k := i
		for k < len(dr.here) && dr.p.l.Task(dr.here[k]).Job == dr.p.l.Task(dr.here[i]).Job {
			k++
		}
		rest := dr.unitsOf(dr.here[i:k])
		switch {
		case !wholeGangs:
			for _, t := range rest {
				dr.noteProtected(t, trace.VictimGang, "")
			}
		case (len(rest) > 0 || spread) && dr.p.o.Scope != SameJob:
			dr.addWhole(dr.p.l.Task(dr.here[i]).Job, dr.here[i])
		}
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
	x, y := dr.p.l.Task(a), dr.p.l.Task(b)
	if x.Job == y.Job {
		return dr.p.set.CompareTasks(b, a)
	}
	p, q := dr.p.l.Job(x.Job), dr.p.l.Job(y.Job)
	if p.Queue != q.Queue {
		return dr.p.set.Eviction.CompareVictimQueues(p.Queue, q.Queue, dr.p.Queue)
	}
	return dr.p.set.CompareJobs(y.Job, x.Job)
}

// unitsOf makes units of those tasks of one job that are surplus, and returns the rest.
func (dr *dryRun) unitsOf(tasks []ledger.TaskID) []ledger.TaskID {
	j := dr.p.l.Task(tasks[0]).Job
	job := dr.p.l.Job(j)
	dr.countSurplus(job)
	dr.rest = dr.rest[:0]
	for _, t := range tasks {
		if pipelined(dr.p.l, t) && job.Holding() >= job.MinMember || dr.takeSurplus(t) {
			dr.beginUnit(policy.Unit{Job: j})
			dr.include(t)
		} else {
			dr.rest = append(dr.rest, t)
		}
	}
	return dr.rest
}

// countSurplus counts how many of its tasks a job can spare, in all, of each role and of each sub-group.
func (dr *dryRun) countSurplus(job *ledger.Job) {
	dr.jobLeft = surplus(job)
	dr.roleLeft = dr.roleLeft[:0]
	for i := range job.Roles {
		dr.roleLeft = append(dr.roleLeft, roleSurplus(job, &job.Roles[i]))
	}
	dr.subLeft = dr.subLeft[:0]
	for i := range job.Subs {
		dr.subLeft = append(dr.subLeft, subSurplus(job, &job.Subs[i]))
	}
}

// takeSurplus says that the job can spare a task besides those for which it said so since countSurplus.
func (dr *dryRun) takeSurplus(t ledger.TaskID) bool {
	role, sub := dr.p.l.Task(t).Role, dr.p.l.Task(t).Sub
	if pipelined(dr.p.l, t) || dr.jobLeft <= 0 || dr.roleLeft[role] <= 0 || sub >= 0 && dr.subLeft[sub] <= 0 {
		return false
	}
	dr.jobLeft--
	dr.roleLeft[role]--
	if sub >= 0 {
		dr.subLeft[sub]--
	}
	return true
}

// surplusFirst puts those tasks of a job that are surplus before the others, both in their order, and returns how many
// these are.
func (dr *dryRun) surplusFirst(j ledger.JobID, tasks []ledger.TaskID) (spare int) {
	if job := dr.p.l.Job(j); surplus(job) > 0 {
		dr.countSurplus(job)
		dr.later = dr.later[:0]
		for _, t := range tasks {
			if dr.takeSurplus(t) {
				tasks[spare] = t
				spare++
			} else {
				dr.later = append(dr.later, t)
			}
		}
		copy(tasks[spare:], dr.later)
	}
	return spare
}

// beginUnit begins a unit of a job, in the job's queue; include adds a task to it.
func (dr *dryRun) beginUnit(u policy.Unit) {
	u.Queue = dr.p.l.Job(u.Job).Queue
	dr.units = append(dr.units, unit{Unit: u, priority: -1 << 31, start: 1<<63 - 1, from: len(dr.slab), to: len(dr.slab)})
}

func (dr *dryRun) include(t ledger.TaskID) {
	u := &dr.units[len(dr.units)-1]
	dr.slab = append(dr.slab, t)
	u.to = len(dr.slab)
	u.priority = max(u.priority, dr.p.priorityOf(t))
	u.start = min(u.start, dr.p.l.Task(t).Pod.Began())
}

// addWhole adds all that a job holds as one unit. For a job that waits with nominations, these are its
// nominations, since the job cannot start without them. Otherwise these are all members that hold
// room; when one of them may not be evicted, nothing is added.
func (dr *dryRun) addWhole(j ledger.JobID, t ledger.TaskID) {
	job := dr.p.l.Job(j)
	if pipelined(dr.p.l, t) {
		dr.beginUnit(policy.Unit{Job: j, Whole: true})
		dr.p.l.Jobs.Tasks(j, model.Pipelined, func(t ledger.TaskID) bool {
			if evictableState(dr.p.l, t) {
				dr.include(t)
			}
			return true
		})
		return
	}
	if job.By[model.Allocated] > 0 || job.By[model.Binding] > 0 {
		dr.noteProtected(t, trace.VictimBusy, "")
		return
	}
	dr.beginUnit(policy.Unit{Job: j, Whole: true})
	u, all := &dr.units[len(dr.units)-1], true
	for _, status := range [...]model.Status{model.Running, model.Bound} {
		dr.p.l.Jobs.Tasks(j, status, func(t ledger.TaskID) bool {
			if all = all && evictableState(dr.p.l, t) && dr.p.outside(t) == trace.None; all {
				dr.include(t)
			}
			return all
		})
	}
	if !all {
		dr.slab = dr.slab[:u.from]
		dr.units = dr.units[:len(dr.units)-1]
		dr.noteProtected(t, trace.VictimBusy, "")
		return
	}
	slices.SortFunc(dr.slab[u.from:u.to], dr.compareVictims)
}
