// Package priority serves the more important first: jobs of a queue by the value of
// their PodGroup's priority class, tasks of a job by their pods' priority or by their annotation.
//
// Annotation volcano.sh/task-priority, which whoever makes pods may write, orders the tasks of
// a job and the job's sub-groups, and takes room of its own job's tasks alone: no job is worth
// more for it (decision 42).
//
// It is no plugin of queues (a queue has a priority of its own). Equal priorities are
// left to the plugins after it, in the end to age and name (policy.Set). Within a queue
// it lets the more important have the room of the less important, and guards whoever is
// not less important, in every tier (decision 11); among jobs that are equal another
// plugin may permit it, such as drf.
//
// Source: semantics of Volcano's plugin of this name; seed 002 §3.1 (starving); seed 003,
// appendix 9.2. The
// values are resolved by the ledger: a spec.priority as it stands, otherwise the named
// class, otherwise the cluster's default class, otherwise 0.
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
	return policy.Definition{Name: "priority", New: func(_ policy.Choice, l *ledger.Ledger) (any, error) {
		return &plugin{l}, nil
	}}
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

// waiting is how important the most important task of a sub-group is that waits.
func (p *plugin) waiting(j ledger.JobID, sub int32) int32 {
	most := int32(math.MinInt32)
	p.l.SubTasks(j, sub, func(t ledger.TaskID) bool {
		if task := p.l.Task(t); task.Status == model.Pending {
			most = max(most, task.Order)
		}
		return true
	})
	return most
}
