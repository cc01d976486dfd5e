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
// gang where all of it is picked. No task is evicted that a guard protects, and none of a queue of which it is not
// known whether another of its pods leaves (Protect).
func (e *Evictor) EvictPicked(action string) {
	var all []picked
	e.s.Policy.Eviction.Deschedule(func(t ledger.TaskID, why string) bool {
		if e.running(t) {
			all = append(all, picked{t, why})
		}
		return true
	})
	judged := map[ledger.JobID]bool{} // as a whole
	for i, p := range all {
		j := e.s.L.Task(p.task).Job
		switch {
		case !e.running(p.task) || judged[j]: // it was evicted with its gang, or stays with it
		case isSurplus(e.s.L, p.task):
			e.evictPicked(action, policy.Unit{Job: j}, all[i:i+1])
		default:
			judged[j] = true
			if gang := e.gang(all, j); len(gang) == int(e.s.L.Job(j).Holding()) {
				e.evictPicked(action, policy.Unit{Job: j, Whole: true}, gang)
			}
		}
	}
}

// running says that a task runs and could be evicted, judged by the task alone.
func (e *Evictor) running(t ledger.TaskID) bool { return evictable(e.s.L, t) && !pipelined(e.s.L, t) }

// gang lists the picked members of a job that are not evicted yet.
func (e *Evictor) gang(all []picked, j ledger.JobID) (out []picked) {
	for _, p := range all {
		if e.s.L.Task(p.task).Job == j && e.running(p.task) {
			out = append(out, p)
		}
	}
	return out
}

// evictPicked evicts tasks of one job as a unit, unless they are protected.
func (e *Evictor) evictPicked(action string, u policy.Unit, unit []picked) {
	u.Queue = e.s.L.Job(u.Job).Queue
	for _, p := range unit {
		u.Tasks = append(u.Tasks, p.task)
	}
	r := e.s.Policy.Eviction.GuardRefusal(u)
	if e.search.p.protects(u.Queue) {
		r = trace.Reason{Code: trace.VictimInDoubt}
	}
	if r.Is() {
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
		r.Purpose, r.Whole, e.records[p.task] = p.why, u.Whole, r
	}
}
