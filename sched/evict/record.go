package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// Result is what a search decided for the tasks of one job, one after the other, and why it stopped.
type Result struct {
	vs *Search

	// The current series: the tasks of one job.
	placed             []ledger.TaskID
	refused            []ledger.ClassID // classes that found no place
	nonPreempting      ledger.TaskID    // the first task without room of which the policy is to evict no pod
	notPreemptive      trace.Reason     // why the queue may not preempt, for the first task that was refused
	prePredicateFailed bool             // PrePredicate refused a task
	served             []served
	gone               []victim // of all tasks placed, one after the other
	lost               []trace.Alternative
}

// served is what was found for one task of the job that room was made for.
type served struct {
	task                       ledger.TaskID
	considered, bounded, steps int
	exhausted                  bool
	from, to                   int // the range of its alternatives in Search.lost
	preemptor                  int32
}

// note keeps what the records of a plan's victims need.
func (re *Result) note(p *plan) {
	from := len(re.lost)
	re.lost = append(re.lost, re.vs.current.losers...)
	re.served = append(re.served, served{re.vs.current.preemptor.Task, re.vs.current.considered, re.vs.current.bounded, re.vs.current.steps, re.vs.current.exhausted, from, len(re.lost), re.vs.current.ownPriority()})
	for _, v := range p.victims {
		v.served = len(re.served) - 1
		re.gone = append(re.gone, v)
	}
}

// ownPriority is the preemptor's priority, measured as that of victims is.
func (as *currentPreemptor) ownPriority() int32 { return as.vs.dry.priorityOf(as.preemptor.Task) }

// Records calls f for every task that the last Take evicted, with the record of its eviction; now is in
// nanoseconds since the epoch. A reservation that was given up is no eviction and has no record.
func (re *Result) Records(now int64, f func(ledger.TaskID, *trace.Eviction)) {
	nodes := re.vs.choice.present()
	for _, v := range re.gone {
		task := re.vs.l.Task(v.task)
		if task.Node == ledger.NoNode {
			continue
		}
		d := &re.served[v.served]
		r := &trace.Eviction{
			Action: re.vs.rule.Action, Task: task.Key.String(), Job: re.vs.l.Jobs.Called(task.Job), Queue: re.vs.l.Jobs.QueueName(task.Job),
			For: re.vs.l.Task(d.task).Key.String(), ForJob: re.vs.l.Jobs.Called(re.vs.current.preemptor.Job), ForQueue: re.vs.l.Jobs.QueueName(re.vs.current.preemptor.Job),
			Node: re.vs.l.Node(re.vs.l.Task(d.task).Node).Name, Priority: re.vs.dry.priorityOf(v.task), ForPriority: d.preemptor,
			Whole: v.whole, Tier: v.tier + 1, Lost: re.vs.l.Dims.List(re.vs.l.Class(task.Class).Request),
			Considered: d.considered, Hopeless: nodes - d.bounded, Steps: d.steps, Exhausted: d.exhausted,
			Alternatives: append([]trace.Alternative(nil), re.lost[d.from:d.to]...),
		}
		if since := started(task); since > 0 && since < now {
			r.Ran = model.Between(since, now)
		}
		r.Rules = re.vs.set.Eviction.Voters(re.vs.rule.Scope == OtherQueues, v.tier)
		f(v.task, r)
	}
}

// VictimsOf calls f for every victim of the last Take that made room for one task.
func (re *Result) VictimsOf(t ledger.TaskID, f func(ledger.TaskID)) {
	for _, v := range re.gone {
		if re.served[v.served].task == t {
			f(v.task)
		}
	}
}

// Placed lists the tasks that the last Take gave a place, in order.
func (re *Result) Placed() []ledger.TaskID { return re.placed }
