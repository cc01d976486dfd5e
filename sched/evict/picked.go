package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// picked is a task that a Descheduler picked: it is to leave its node for no particular task.
type picked struct {
	task ledger.TaskID
	why  string
}

// EvictPicked evicts the tasks that plugins pick, each for itself where it is above the minimum of its gang, a whole
// gang where all of it is picked. No task is evicted that a guard protects.
func (e *Evictor) EvictPicked(action string) {
	var all []picked
	perJob := map[ledger.JobID]int32{}
	e.s.Policy.Eviction.Deschedule(func(t ledger.TaskID, why string) bool {
		if e.running(t) {
			all = append(all, picked{t, why})
			perJob[e.s.L.Task(t).Job]++
		}
		return true
	})
	for i, p := range all {
		if !e.running(p.task) {
			continue // it was evicted with its gang
		}
		unit := all[i : i+1]
		if j := e.s.L.Task(p.task).Job; !isSurplus(e.s.L, p.task) {
			if perJob[j] < e.s.L.Job(j).Holding() {
				continue
			}
			unit = e.gang(all[i:], j)
		}
		e.evictPicked(action, unit)
	}
}

// running says that a task runs and could be evicted, judged by the task alone.
func (e *Evictor) running(t ledger.TaskID) bool { return evictable(e.s.L, t) && !reserved(e.s.L, t) }

// gang lists the picked members of a job that are not evicted yet.
func (e *Evictor) gang(all []picked, j ledger.JobID) (out []picked) {
	for _, p := range all {
		if e.s.L.Task(p.task).Job == j && e.running(p.task) {
			out = append(out, p)
		}
	}
	return out
}

// evictPicked evicts tasks of one job, unless a guard protects them.
func (e *Evictor) evictPicked(action string, unit []picked) {
	j := e.s.L.Task(unit[0].task).Job
	u := policy.Unit{Queue: e.s.L.Job(j).Queue, Job: j, Whole: len(unit) > 1}
	for _, p := range unit {
		u.Tasks = append(u.Tasks, p.task)
	}
	if r := e.s.Policy.Eviction.Guarded(u); r.Is() {
		first := e.s.L.Task(u.Tasks[0]).Key.String()
		e.s.Trace.Add(trace.Event{Kind: trace.FailedPreempt, Action: action, Task: first, Reason: r})
		return
	}
	e.s.L.Try(func(tx *ledger.Tx) bool {
		for _, t := range u.Tasks {
			tx.Evict(t, action, ledger.NoTask)
		}
		return true
	})
	for _, p := range unit {
		r := recordOf(e.s, p.task, action)
		r.Why, e.records[p.task] = p.why, r
	}
}
