package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// evictable says that a task holds room which it could be made to give up, judged by the task alone
// (decision 14): it is Running or Bound, ours, and not protected; or it waits with a nomination, which
// a task that comes before it may take over (decision 13).
func evictable(l *ledger.Ledger, t ledger.TaskID) bool {
	return evictableState(l, t) && mayLeave(l, t)
}

// mayLeave is the rule that holds for every task in every action. The index and the dry run both follow it.
func mayLeave(l *ledger.Ledger, t ledger.TaskID) bool { return l.Tasks.MayBeEvicted(t) }

// evictableState says that a task is in a state from which it can be evicted, or can give up its nomination.
func evictableState(l *ledger.Ledger, t ledger.TaskID) bool {
	task := l.Task(t)
	if task.Job == ledger.NoJob || !task.Charged() && unsure(l, task) {
		return false
	}
	switch task.Status {
	case model.Running, model.Bound:
		return task.Commitment.Kind == ledger.NoCommit
	case model.Pipelined:
		return task.Commitment.Kind == ledger.CommitNominate
	default:
		return false
	}
}

// unsure says that it is unknown in which queue a running task was admitted: its PodGroup is missing,
// or its owner has not been seen yet.
func unsure(l *ledger.Ledger, task *ledger.Task) bool {
	return !l.Job(task.Job).Exists() || task.Pod.Adopt.Open
}

// pipelined says that a task is pipelined: it has a nomination, or a place for this cycle only, and no node yet.
func pipelined(l *ledger.Ledger, t ledger.TaskID) bool { return l.Task(t).Status == model.Pipelined }

// surplus is how many members of a job may be evicted without the job falling below its minimum. It is 0
// for a job of which the PodGroup is gone, since the minimum is gone with it.
func surplus(j *ledger.Job) int32 {
	if !j.Exists() {
		return 0
	}
	return j.Holding() - j.RetainedMin()
}

// roleSurplus is the same of one role.
func roleSurplus(j *ledger.Job, r *ledger.Role) int32 { return r.Holding() - j.RetainedMinOf(r) }

// subSurplus is the same of one sub-group.
func subSurplus(j *ledger.Job, s *ledger.SubJob) int32 { return s.Holding() - j.RetainedMinOfSub(s) }

// isSurplus says that a task's job, its role and its sub-group keep their minimum without it.
func isSurplus(l *ledger.Ledger, t ledger.TaskID) bool {
	task := l.Task(t)
	job := l.Job(task.Job)
	return surplus(job) > 0 && roleSurplus(job, &job.Roles[task.Role]) > 0 &&
		(task.Sub < 0 || subSurplus(job, &job.Subs[task.Sub]) > 0)
}

// outside is why the options do not allow a task as a victim; trace.None when they do.
func (p *preemptor) outside(t ledger.TaskID) trace.Code {
	task := p.l.Task(t)
	queue, other := p.l.Job(task.Job).Queue, p.o.Scope == OtherQueues
	switch {
	case (task.Job == p.Job) != (p.o.Scope == SameJob), (queue == p.Queue) == other:
		return trace.VictimOutside
	case p.protects(queue):
		return trace.VictimInDoubt
	case p.bestEffort && !p.l.Class(task.Class).BestEffort:
		return trace.VictimOfNoUse
	case other && !reclaimable(p.l, queue):
		return trace.VictimUnreclaimed
	case other && !p.levels.has(queue):
		return trace.VictimDeserved
	case !mayLeave(p.l, t):
		return trace.VictimKept
	default:
		return trace.None
	}
}

// protects says that no pod of a queue is evicted at present: see Evictor.Protect.
func (p *preemptor) protects(q ledger.QueueID) bool {
	for at := q; len(p.inDoubt) > 0 && at != ledger.NoQueue; at = p.l.Queues.Parent(at) {
		if slices.Contains(p.inDoubt, at) {
			return true
		}
	}
	return false
}
