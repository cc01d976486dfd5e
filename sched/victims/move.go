package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Evictable says that a task runs and could be evicted, by what it is alone.
func (h *Hunt) Evictable(t ledger.TaskID) bool { return evictable(h.l, t) && !reserved(h.l, t) }

// Spare says that a task's job, and its role, keep their minimum without it.
func (h *Hunt) Spare(t ledger.TaskID) bool {
	job := h.l.Job(h.l.Task(t).Job)
	return spare(job) > 0 && roleSpare(&job.Roles[h.l.Task(t).Role]) > 0
}

// Holding is the number of members of a job that hold room.
func (h *Hunt) Holding(j ledger.JobID) int32 { return h.l.Job(j).Holding() }

// Guarded is why tasks of one job must not be evicted, whoever it is for; none when
// nothing protects them.
func (h *Hunt) Guarded(tasks []ledger.TaskID, whole bool) trace.Reason {
	j := h.l.Task(tasks[0]).Job
	return h.set.Guarded(policy.Unit{Queue: h.l.Job(j).Queue, Job: j, Whole: whole, Tasks: tasks})
}

// Moved is the record of an eviction for nobody's sake: why says what for, now is in
// nanoseconds since the epoch.
func (h *Hunt) Moved(action string, t ledger.TaskID, why string, now int64) *trace.Eviction {
	task := h.l.Task(t)
	r := &trace.Eviction{Action: action, Task: task.Key.String(), Job: h.l.Called(task.Job), Queue: h.l.QueueName(task.Job),
		Node: h.l.Node(task.Node).Name, Priority: h.l.Job(task.Job).Priority, Why: why,
		Lost: h.l.Dims.List(h.l.Class(task.Class).Request)}
	if since := started(task); since > 0 && since < now {
		r.Ran = model.Between(since, now)
	}
	return r
}
