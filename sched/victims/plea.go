package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Plea is what Take's answer to a job depends on, besides how things stand: jobs that ask
// for the same get the same.
type Plea struct {
	Action          string
	Scope           Scope
	Class           ledger.ClassID // of its first task
	Queue           ledger.QueueID
	Priority, Lacks int32
	Tasks           int
	Never           bool // nobody may be evicted for them
	Preemptable     bool // the job's own mark
}

// PleaOf is a job's plea; alike is false for a job that is like no other all the same: that
// holds something already, is of several classes or roles, or is asked about in its own way.
func (h *Hunt) PleaOf(rule Rule, j ledger.JobID, tasks []ledger.TaskID) (p Plea, alike bool) {
	job := h.l.Job(j)
	p = Plea{rule.Action, rule.Scope, h.l.Task(tasks[0]).Class, job.Queue, job.Priority, job.MinMember - job.Placed(), len(tasks),
		h.l.PreemptsNever(tasks[0]), job.Group != nil && job.Group.Preemptable}
	if h.set.JudgesByClaim() || job.Placed()+job.Waiting() > 0 || len(job.Roles) > 1 || rule.Sample.On || rule.Within != nil || rule.Each != nil || h.nodes.AsksTasks(p.Class) {
		return p, false
	}
	for _, t := range tasks {
		if h.l.Task(t).Class != p.Class || h.l.PreemptsNever(t) != p.Never {
			return p, false
		}
	}
	return p, true
}

// state is how things stand: the cycle, and the statements that held so far.
type state struct{ cycle, world, statements uint64 }

func (h *Hunt) state() state { return state{h.cycle, h.l.World(), h.l.Statements()} }

// refusePlea remembers that a plea was of no use as things stand.
func (h *Hunt) refusePlea(p Plea) {
	if at := h.state(); h.pleasAt != at || h.pleas == nil {
		h.pleasAt, h.pleas = at, map[Plea]trace.Reason{}
	}
	h.pleas[p] = h.untitled
}
