package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Evictable says that a task runs and could be evicted, judged by the task alone.
func (vs *Search) Evictable(t ledger.TaskID) bool { return evictable(vs.l, t) && !reserved(vs.l, t) }

// Spare says that a task's job, and its role, keep their minimum without it.
func (vs *Search) Spare(t ledger.TaskID) bool {
	job := vs.l.Job(vs.l.Task(t).Job)
	return spare(job) > 0 && roleSpare(&job.Roles[vs.l.Task(t).Role]) > 0
}

// Holding is the number of members of a job that hold room.
func (vs *Search) Holding(j ledger.JobID) int32 { return vs.l.Job(j).Holding() }

// Guarded is why tasks of one job must not be evicted, whichever task it is for; the zero Reason when
// nothing protects them.
func (vs *Search) Guarded(tasks []ledger.TaskID, whole bool) trace.Reason {
	j := vs.l.Task(tasks[0]).Job
	return vs.set.Eviction.Guarded(policy.Unit{Queue: vs.l.Job(j).Queue, Job: j, Whole: whole, Tasks: tasks})
}

// Moved is the record of an eviction that makes room for no particular task; why says what it is for,
// now is in nanoseconds since the epoch.
func (vs *Search) Moved(action string, t ledger.TaskID, why string, now int64) *trace.Eviction {
	task := vs.l.Task(t)
	r := &trace.Eviction{Action: action, Task: task.Key.String(), Job: vs.l.Jobs.Called(task.Job), Queue: vs.l.Jobs.QueueName(task.Job),
		Node: vs.l.Node(task.Node).Name, Priority: vs.l.Job(task.Job).Priority, Why: why,
		Lost: vs.l.Dims.List(vs.l.Class(task.Class).Request)}
	if since := started(task); since > 0 && since < now {
		r.Ran = model.Between(since, now)
	}
	return r
}
