package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// evictable says that a task holds room which it could be asked to give up, by what it is
// alone (decision 14): Running or Bound, ours, and not marked; or waiting with a
// reservation, which somebody with a better right may take over (decision 13).
func evictable(l *ledger.Ledger, t ledger.TaskID) bool {
	return standing(l, t) && l.MayBeEvicted(t)
}

// standing says that a task is where an eviction could take it from.
func standing(l *ledger.Ledger, t ledger.TaskID) bool {
	task := l.Task(t)
	if task.Job == ledger.NoJob || !task.Charged() && unsure(l, task) {
		return false
	}
	switch task.Status {
	case model.Running, model.Bound:
		return task.Held.Kind == ledger.NoCommit
	case model.Pipelined:
		return task.Held.Kind == ledger.CommitReserve
	default:
		return false
	}
}

// unsure says that nobody knows in which queue a task that runs was let run: its PodGroup is
// missing, or its owner was not heard yet.
func unsure(l *ledger.Ledger, task *ledger.Task) bool {
	return !l.Job(task.Job).Exists() || task.Pod.Adopt.Open
}

// reserved says that a task holds nothing yet but a reservation.
func reserved(l *ledger.Ledger, t ledger.TaskID) bool { return l.Task(t).Status == model.Pipelined }

// spare is how many members of a job may leave without its falling below its minimum: none of
// one whose PodGroup is gone, and its minimum with it.
func spare(j *ledger.Job) int32 {
	if !j.Exists() {
		return 0
	}
	return j.Holding() - j.MinMember
}

// roleSpare is the same of one role.
func roleSpare(r *ledger.Role) int32 { return r.Holding() - r.Min }

// subSpare is the same of one sub-group.
func subSpare(j *ledger.Job, s *ledger.SubJob) int32 { return s.Holding() - j.SubSize(s) }

// outside says why a task is none of the tasks that a rule speaks of; None when it is one
// of them.
func (vs *Search) outside(t ledger.TaskID) trace.Code {
	task := vs.l.Task(t)
	job := vs.l.Job(task.Job)
	own := task.Job == vs.preemptor.Job
	switch {
	case own != (vs.rule.Scope == SameJob):
		return trace.VictimOutside
	case vs.rule.Scope == OtherQueues && job.Queue == vs.preemptor.Queue,
		vs.rule.Scope != OtherQueues && job.Queue != vs.preemptor.Queue:
		return trace.VictimOutside
	case vs.bestEffort && !vs.l.Class(task.Class).BestEffort:
		return trace.VictimOfNoUse
	case vs.rule.Scope == OtherQueues && !vs.reclaimable(job.Queue):
		return trace.VictimUnreclaimed
	case vs.rule.Scope == OtherQueues && !vs.inLevel(job.Queue) && vs.explain == nil:
		return trace.VictimDeserved // asked why, plugins tell it better
	case !vs.l.MayBeEvicted(t):
		return trace.VictimKept
	default:
		return trace.None
	}
}

func (vs *Search) reclaimable(q ledger.QueueID) bool {
	f := vs.l.Queue(q).Fact
	return f == nil || f.Reclaimable
}
