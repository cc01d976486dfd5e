package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/trace"
)

// Signature is what Take's answer for a job depends on, besides the state of the cluster: jobs that ask
// for the same get the same answer.
type Signature struct {
	Action          string
	Scope           Scope
	Class           ledger.ClassID // of its first task
	Queue           ledger.QueueID
	Priority, Lacks int32
	Tasks           int
	Never           bool // its tasks may not preempt
	Preemptable     bool // the job's own preemptable mark
}

// SignatureOf is a job's signature. alike is false for a job for which an equal signature proves
// nothing: it holds something already, has several classes or roles, or the answer depends on the job
// in another way.
func (vs *Search) SignatureOf(rule Options, j ledger.JobID, tasks []ledger.TaskID) (p Signature, alike bool) {
	job := vs.l.Job(j)
	p = Signature{rule.Action, rule.Scope, vs.l.Task(tasks[0]).Class, job.Queue, job.Priority, job.MinMember - job.Placed(), len(tasks),
		vs.l.Priorities.PreemptsNever(tasks[0]), job.Group != nil && job.Group.Preemptable}
	if vs.set.Eviction.JudgesByPreemptor() || job.Placed()+job.Waiting() > 0 || job.NumRoles() > 1 || rule.Sample.On || rule.Home != nil || vs.nodes.AsksTasks(p.Class) {
		return p, false
	}
	for _, t := range tasks {
		if vs.l.Task(t).Class != p.Class || vs.l.Priorities.PreemptsNever(t) != p.Never {
			return p, false
		}
	}
	return p, true
}

// state is the state of the cluster: the cycle, the ledger's epoch, and the number of statements that
// held so far.
type state struct{ cycle, world, statements uint64 }

func (vs *Search) state() state {
	return state{vs.cycle, vs.l.Changes.StateEpoch(), vs.l.Statements.Count()}
}

// rememberFruitless remembers that no victims were found for a signature in the current state.
func (vs *Search) rememberFruitless(p Signature) {
	if at := vs.state(); vs.fruitlessAt != at || vs.fruitless == nil {
		vs.fruitlessAt, vs.fruitless = at, map[Signature]trace.Reason{}
	}
	vs.fruitless[p] = vs.Result.notPreemptive
}
