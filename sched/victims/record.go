package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// served is what was found for one task of the job that room was made for.
type served struct {
	task                       ledger.TaskID
	considered, bounded, steps int
	exhausted                  bool
	from, to                   int // the range of its alternatives in Search.lost
	preemptor                  int32
}

// note keeps what the records of a plan's victims need.
func (vs *Search) note(p *plan) {
	from := len(vs.lost)
	vs.lost = append(vs.lost, vs.losers...)
	vs.served = append(vs.served, served{vs.preemptor.Task, vs.considered, vs.bounded, vs.steps, vs.exhausted, from, len(vs.lost), vs.ownPriority()})
	for _, v := range p.victims {
		v.served = len(vs.served) - 1
		vs.gone = append(vs.gone, v)
	}
}

// ownPriority is the preemptor's priority, measured as that of victims is.
func (vs *Search) ownPriority() int32 { return vs.priorityOf(vs.preemptor.Task) }

// Records calls f for every task that the last Take evicted, with the record of its eviction; now is in
// nanoseconds since the epoch. A reservation that was given up is no eviction and has no record.
func (vs *Search) Records(now int64, f func(ledger.TaskID, *trace.Eviction)) {
	nodes := vs.present()
	for _, v := range vs.gone {
		task := vs.l.Task(v.task)
		if task.Node == ledger.NoNode {
			continue
		}
		d := &vs.served[v.served]
		r := &trace.Eviction{
			Action: vs.rule.Action, Task: task.Key.String(), Job: vs.l.Called(task.Job), Queue: vs.l.QueueName(task.Job),
			For: vs.l.Task(d.task).Key.String(), ForJob: vs.l.Called(vs.preemptor.Job), ForQueue: vs.l.QueueName(vs.preemptor.Job),
			Node: vs.l.Node(vs.l.Task(d.task).Node).Name, Priority: vs.priorityOf(v.task), ForPriority: d.preemptor,
			Whole: v.whole, Tier: v.tier + 1, Lost: vs.l.Dims.List(vs.l.Class(task.Class).Request),
			Considered: d.considered, Hopeless: nodes - d.bounded, Steps: d.steps, Exhausted: d.exhausted,
			Alternatives: append([]trace.Alternative(nil), vs.lost[d.from:d.to]...),
		}
		if since := started(task); since > 0 && since < now {
			r.Ran = model.Between(since, now)
		}
		r.Rules = vs.set.Voters(vs.rule.Scope == OtherQueues, v.tier)
		f(v.task, r)
	}
}

// VictimsOf calls f for every victim of the last Take that made room for one task.
func (vs *Search) VictimsOf(t ledger.TaskID, f func(ledger.TaskID)) {
	for _, v := range vs.gone {
		if vs.served[v.served].task == t {
			f(v.task)
		}
	}
}

// Placed lists the tasks that the last Take gave a place, in order.
func (vs *Search) Placed() []ledger.TaskID { return vs.placed }
