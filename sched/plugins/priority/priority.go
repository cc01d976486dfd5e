// Package priority serves the more important first: jobs of a queue by the value of their PodGroup's
// priority class, tasks of a job by their pods' priority or by their annotation.
//
// The annotation volcano.sh/task-priority can be written by any user that may create pods. So it only
// orders the tasks and the sub-groups of its own job, and lets a task take room from tasks of that job
// alone: it does not change a job's priority (decision 42).
//
// The plugin does not order queues (a queue has a priority of its own). Equal priorities are left to
// the plugins after it, and finally to age and name (policy.Set). Within a queue, it permits that less
// important units are evicted for more important jobs, and guards all others, in every tier (decision
// 11). Between jobs of equal priority another plugin may permit it, such as drf.
//
// Source: semantics of Volcano's plugin of this name; seed 002 §3.1 (starving); seed 003 §9.2.
// The ledger resolves the values: spec.priority as it is, otherwise the named class, otherwise the
// cluster's default class, otherwise 0.
package priority

import (
	"cmp"
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// Definition is the plugin "priority". It takes no arguments.
func Definition() policy.Definition {
	return policy.Define("priority", "jobs and tasks of higher priority first",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) {
			return &plugin{l}, nil
		})
}

type plugin struct{ l *ledger.Ledger }

// CompareJobs puts the job of higher priority first.
func (p *plugin) CompareJobs(a, b ledger.JobID) int {
	return cmp.Compare(p.l.Job(b).Priority, p.l.Job(a).Priority)
}

// CompareTasks puts the task of higher priority first.
func (p *plugin) CompareTasks(a, b ledger.TaskID) int {
	return cmp.Compare(p.l.Task(b).Order, p.l.Task(a).Order)
}

// CompareSubJobs puts the sub-group first that has the more important task waiting.
func (p *plugin) CompareSubJobs(j ledger.JobID, a, b int32) int {
	return cmp.Compare(p.waiting(j, b), p.waiting(j, a))
}

// waiting is the priority of the most important waiting task of a sub-group.
func (p *plugin) waiting(j ledger.JobID, sub int32) int32 {
	most := int32(math.MinInt32)
	p.l.Jobs.SubTasks(j, sub, func(t ledger.TaskID) bool {
		if task := p.l.Task(t); task.Status == model.Pending {
			most = max(most, task.Order)
		}
		return true
	})
	return most
}
