package evict

import "ashlar.sh/sched/ledger"

// Signature is what Take's answer for a job depends on, besides the state of the cluster: jobs with equal
// signatures get the same answer.
type Signature struct {
	Action            string
	Scope             Scope
	Class             ledger.ClassID // of its first task
	Queue             ledger.QueueID
	Priority, Missing int32
	Tasks             int
	Never             bool         // its tasks may not preempt
	Preemptable       bool         // the job's own preemptable mark
	NotEvictable      bool         // its tasks may not be evicted
	Own               ledger.JobID // the job, if the answer is its own; NoJob otherwise
}

// Shared says that every job with this signature gets the same answer.
func (g *Signature) Shared() bool { return g.Own == ledger.NoJob }

// SignatureOf is a job's signature. The answer is the job's own where it holds something already, has several
// classes or roles, or where the answer depends on the job in another way.
func (vs *Search) SignatureOf(o Options, j ledger.JobID, tasks []ledger.TaskID) Signature {
	job := vs.s.L.Job(j)
	g := Signature{o.Action, o.Scope, vs.s.L.Task(tasks[0]).Class, job.Queue,
		job.Priority, job.MinMember - job.Placed(), len(tasks),
		vs.s.L.Priorities.PreemptsNever(tasks[0]), job.Group != nil && job.Group.Preemptable,
		!vs.s.L.Tasks.MayBeEvicted(tasks[0]), ledger.NoJob}
	if vs.s.Policy.Eviction.JudgesByPreemptor() || o.Sample.On || o.Home != nil ||
		job.PlacedOrPipelined() > 0 || job.NumRoles() > 1 || vs.s.NodeIndex.AsksTasks(g.Class) {
		g.Own = j
		return g
	}
	for _, t := range tasks {
		if vs.s.L.Task(t).Class != g.Class || vs.s.L.Priorities.PreemptsNever(t) != g.Never ||
			vs.s.L.Tasks.MayBeEvicted(t) == g.NotEvictable {
			g.Own = j
		}
	}
	return g
}
