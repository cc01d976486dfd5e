package victims

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// deed is what was found out for one task of the beneficiary.
type deed struct {
	task                       ledger.TaskID
	considered, bounded, steps int
	exhausted                  bool
	from, to                   int // in Hunt.lost
	claim                      int32
}

// note keeps what the record of a plan's victims will say.
func (h *Hunt) note(p *plan) {
	from := len(h.lost)
	h.lost = append(h.lost, h.losers...)
	h.deeds = append(h.deeds, deed{h.claim.Task, h.considered, h.bounded, h.steps, h.exhausted, from, len(h.lost), h.ownPriority()})
	for _, v := range p.victims {
		v.deed = len(h.deeds) - 1
		h.gone = append(h.gone, v)
	}
}

// ownPriority is the claim's importance, measured as that of victims is.
func (h *Hunt) ownPriority() int32 { return h.priorityOf(h.claim.Task) }

// Records calls f for everybody whom the last Take evicted, at a time in nanoseconds since
// the epoch. A reservation that was taken over is no eviction.
func (h *Hunt) Records(now int64, f func(ledger.TaskID, *trace.Eviction)) {
	nodes := h.present()
	for _, v := range h.gone {
		task := h.l.Task(v.task)
		if task.Node == ledger.NoNode {
			continue
		}
		d := &h.deeds[v.deed]
		r := &trace.Eviction{
			Action: h.rule.Action, Task: task.Key.String(), Job: h.l.Called(task.Job), Queue: h.l.QueueName(task.Job),
			For: h.l.Task(d.task).Key.String(), ForJob: h.l.Called(h.claim.Job), ForQueue: h.l.QueueName(h.claim.Job),
			Node: h.l.Node(h.l.Task(d.task).Node).Name, Priority: h.priorityOf(v.task), ForPriority: d.claim,
			Whole: v.whole, Tier: v.tier + 1, Lost: h.l.Dims.List(h.l.Class(task.Class).Request),
			Considered: d.considered, Hopeless: nodes - d.bounded, Steps: d.steps, Exhausted: d.exhausted,
			Alternatives: append([]trace.Alternative(nil), h.lost[d.from:d.to]...),
		}
		if since := started(task); since > 0 && since < now {
			r.Ran = model.Between(since, now)
		}
		r.Rules = h.set.Voters(h.rule.Scope == OtherQueues, v.tier)
		f(v.task, r)
	}
}

// VictimsOf calls f for everybody who left, in the last Take, for one task.
func (h *Hunt) VictimsOf(t ledger.TaskID, f func(ledger.TaskID)) {
	for _, v := range h.gone {
		if h.deeds[v.deed].task == t {
			f(v.task)
		}
	}
}

// Placed lists the tasks that the last Take gave a place, in order.
func (h *Hunt) Placed() []ledger.TaskID { return h.placed }
