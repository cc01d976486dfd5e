package evict

import "ashlar.sh/sched/ledger"

// Signature is what Take's answer for a job depends on, besides the state of the cluster: jobs with equal
// signatures get the same answer.
type Signature struct {
	Action          string
	Scope           Scope
	Class           ledger.ClassID // of its first task
	Queue           ledger.QueueID
	Priority, Lacks int32
	Tasks           int
	Never           bool         // its tasks may not preempt
	Preemptable     bool         // the job's own preemptable mark
	Own             ledger.JobID // the job, if the answer is its own; NoJob otherwise
}

// Shared says that every job with this signature gets the same answer.
func (g *Signature) Shared() bool { return g.Own == ledger.NoJob }

// SignatureOf is a job's signature. The answer is the job's own where it holds something already, has several
// classes or roles, or where the answer depends on the job in another way.
func (vs *Search) SignatureOf(rule Options, j ledger.JobID, tasks []ledger.TaskID) Signature {
	job := vs.l.Job(j)
	g := Signature{rule.Action, rule.Scope, vs.l.Task(tasks[0]).Class, job.Queue, job.Priority, job.MinMember - job.Placed(), len(tasks),
		vs.l.Priorities.PreemptsNever(tasks[0]), job.Group != nil && job.Group.Preemptable, ledger.NoJob}
	if vs.set.Eviction.JudgesByPreemptor() || job.Placed()+job.Waiting() > 0 || job.NumRoles() > 1 || rule.Sample.On || rule.Home != nil || vs.nodes.AsksTasks(g.Class) {
		g.Own = j
		return g
	}
	for _, t := range tasks {
		if vs.l.Task(t).Class != g.Class || vs.l.Priorities.PreemptsNever(t) != g.Never {
			g.Own = j
		}
	}
	return g
}
