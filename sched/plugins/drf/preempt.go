package drf

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// tolerance is the millionths by which shares may differ and still count as equal
// (seed 002 §4.3, shareDelta).
const tolerance = 1

// Permits says that a task may have the room of another: its job's share with it is at
// most that of the victim's job without the victim. It judges one victim at the ledger's
// present state, so that those chosen before it, and only those, count as gone.
func (p *plugin) Permits(claimant, victim ledger.TaskID) bool {
	c, v := p.l.Task(claimant), p.l.Task(victim)
	with := dominant(p.l, p.l.Job(c.Job).Allocated, p.l.Class(c.Class).Request)
	var loss resource.Vec
	for d, x := range p.l.Class(v.Class).Request {
		loss = loss.Set(resource.Dim(d), -x)
	}
	return with.Within(dominant(p.l, p.l.Job(v.Job).Allocated, loss), tolerance)
}
