package capacity

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// Devices tells what queues hold of devices: amounts that no node offers and no pod's request names, under names
// that queues' specs use as dimensions. They count in shares, guarantees and what is reclaimed like any other
// dimension. All amounts are thousandths. A claim that several pods use counts once.
type Devices interface {
	// Counts says that a dimension is of devices.
	Counts(d resource.Dim) bool
	// Total is how many there are.
	Total(d resource.Dim) int64
	// Held is what a queue holds with those below it, for pods that stay.
	Held(q ledger.QueueID, d resource.Dim) int64
	// Asked is what a queue holds and what its waiting pods ask for.
	Asked(q ledger.QueueID, d resource.Dim) int64
	// Wants is what a task asks for that its queue does not hold yet.
	Wants(t ledger.TaskID) resource.Vec
	// Rest is at most what the tasks ask for that a job lacks for its minimum.
	Rest(j ledger.JobID) resource.Vec
	// Frees is what a queue holds less once tasks of it are gone.
	Frees(tasks []ledger.TaskID) resource.Vec
	// Returns is what a task asks for again once it is gone.
	Returns(t ledger.TaskID, d resource.Dim) int64
	// Moved changes with Held, Stock with Total.
	Moved() uint64
	Stock() uint64
}

// Queues answers for what Devices count, as the plugin's rules have it.
type Queues interface {
	// Admits is the most that a queue may be let in for.
	Admits(q ledger.QueueID, d resource.Dim) (most int64, bounded bool)
	// BeyondGuarantees says why a queue may not take so much: it would take what others are guaranteed. The zero
	// Reason: it may.
	BeyondGuarantees(q ledger.QueueID, want resource.Vec) trace.Reason
}

// With returns the plugin with devices counted.
func With(a Arguments, l *ledger.Ledger, devices Devices) (any, Queues) {
	p := build(a, l)
	p.devices = devices
	return p, queues{p}
}

// queues are the plugin's rules.
type queues struct{ *plugin }

// Admits implements Queues.
func (p queues) Admits(q ledger.QueueID, d resource.Dim) (most int64, bounded bool) {
	p.refresh()
	limit := p.bounds.admit(q, d)
	return limit.Value, limit.Bounded
}

// BeyondGuarantees implements Queues.
func (p queues) BeyondGuarantees(q ledger.QueueID, want resource.Vec) trace.Reason {
	p.refresh()
	if !p.bounds.known(q) {
		return trace.Reason{}
	}
	return p.guarantees.refusal(q, want)
}

// counted says that a dimension is of devices.
func (p *plugin) counted(d resource.Dim) bool { return p.devices != nil && p.devices.Counts(d) }

// total is how much there is of a dimension.
func (p *plugin) total(d resource.Dim) int64 {
	if p.counted(d) {
		return p.devices.Total(d)
	}
	return p.l.Nodes.Total(d)
}

// holds is what a queue holds of a dimension, with all queues below it.
func (p *plugin) holds(q ledger.QueueID, d resource.Dim) int64 {
	if p.counted(d) {
		return p.devices.Held(q, d)
	}
	return p.l.Queue(q).Allocated.Get(d)
}

// taken is what counts against a queue's limits.
func (p *plugin) taken(q ledger.QueueID, d resource.Dim) int64 {
	if p.counted(d) {
		return p.devices.Held(q, d)
	}
	return p.l.Queue(q).Taken(d)
}

// asked is what a queue holds and asks for, what evicted pods would ask for again included.
func (p *plugin) asked(q ledger.QueueID, d resource.Dim, again int64) int64 {
	if p.counted(d) {
		return p.devices.Asked(q, d)
	}
	return sum(p.l.Queue(q).Request.Get(d), again)
}

// claims is a preemptor with the devices that it asks for.
func (p *plugin) claims(c policy.Preemptor) policy.Preemptor {
	if p.devices == nil || len(p.l.Task(c.Task).Pod.Spec.Devices) == 0 {
		return c
	}
	c.Want = p.and(c.Want, p.devices.Wants(c.Task))
	if len(c.Rest) > 0 {
		c.Rest = p.and(c.Rest, p.devices.Rest(c.Job))
	}
	return c
}

// and is an amount with one of devices.
func (p *plugin) and(v, devices resource.Vec) resource.Vec {
	return resource.Vec{}.Add(v).Add(devices)
}

func (p *plugin) moved() uint64 {
	if p.devices == nil {
		return 0
	}
	return p.devices.Moved()
}

func (p *plugin) stock() uint64 {
	if p.devices == nil {
		return 0
	}
	return p.devices.Stock()
}
