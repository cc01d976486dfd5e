// Package booking keeps pods off nodes that are booked in advance (model.Booking), so that they are free in time.
//
// A pod may be placed on a booked node before a window, if it has ended by its enforced limit when the window begins.
// Pods of the owner may be placed there in the window too, if they have ended when it does, or whenever they end if the
// booking is flexible. No pod is ever evicted: what still runs when a window begins is a conflict, to be told.
//
// A pod without a limit might run for ever. It is not started on a booked node once the window begins within
// DrainBefore: from the first day of a booking far ahead would leave the node to pods with limits alone for all that
// time.
//
// The plugin is part of every profile, whatever the configuration names. Without bookings it answers nothing. What it
// answers follows from facts and the time alone, so that an engine that is made anew answers the same. It keeps which
// nodes each booking holds, until a fact of a node or of a booking, or the end of a window, changes that: see place.
package booking

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Name is the plugin's.
const Name = "booking"

// Definition is the plugin "booking".
func Definition() policy.Definition {
	return policy.Define(Name, "nodes that are booked in advance",
		func(_ policy.NoArguments, l *ledger.Ledger) (*plugin, error) { return &plugin{l: l}, nil })
}

type plugin struct {
	l      *ledger.Ledger
	now    int64
	starts int64 // when the tasks start that are asked about

	held        []held // the oldest booking first, then by name
	epoch       uint64 // of the bookings, as held has them
	facts       ledger.Cursor
	from, until int64 // before and from then on other windows are the next ones
	purges      []purge
	placed      uint64 // counts how often nodes were found
	begins      bool   // a cycle does: a window may have been ended early
	idlers      idlers
	charged     charged
	waiting     *limits // of pods; nil before the first booking
	refuse      []uint64
}

// held is a booking, and the nodes that it holds in its next window.
type held struct {
	*model.Booking
	window model.Window
	nodes  []uint64 // bit n%64 of word n/64 is node n's
	on     int32    // how many nodes these are
	taken  int32    // how many more it would hold, if other bookings did not
	by     []string // the names of these
	all    int32    // how many nodes it selects
	out    int32    // of these, those that are passed over since they take no pods
}

func (h *held) has(n ledger.NodeID) bool {
	return int(n)/64 < len(h.nodes) && h.nodes[n/64]&(1<<(n%64)) != 0
}

func (h *held) put(n ledger.NodeID) {
	for int(n)/64 >= len(h.nodes) {
		h.nodes = append(h.nodes, 0)
	}
	h.nodes[n/64] |= 1 << (n % 64)
	h.on++
}

// At takes the time of the cycle. It returns when the next window begins or ends, or a pod that waits would begin to
// run into one: then jobs that wait may find room or lose it, and what is remembered of usage changes. Where neither is
// so, nothing is to be done then.
func (p *plugin) At(now int64) (next int64) {
	p.now, p.starts, p.begins = now, now, true
	p.place()
	if p.waiting == nil && p.l.Bookings.Any() {
		p.waiting = newLimits(p.l)
		p.l.PluginStates.Add(p.waiting)
	}
	if p.sleeps() {
		return 0
	}
	for i := range p.held {
		at := p.held[i].window.To
		if from := p.held[i].window.From; from > now {
			at = from
		}
		next = model.Earlier(model.Earlier(next, at), p.waiting.next(&p.held[i], now))
	}
	return next
}

// Later notes which bookings are idle, as the cycle leaves them, and has that counted as usage of their owners. It
// returns when the next window is to end for being idle.
func (p *plugin) Later() (next int64) {
	next = p.watchIdle()
	if p.charge(); p.sleeps() {
		return 0
	}
	return next
}

// sleeps says that time alone changes nothing: no job waits, and nothing is remembered of what is booked and idle.
func (p *plugin) sleeps() bool { return len(p.l.Jobs.Active()) == 0 && !p.charges() }

// StartAt has tasks asked about that start at a later time. It returns when the next window ends: a node is free then.
func (p *plugin) StartAt(at int64) (next int64) {
	p.starts = at
	for i := range p.held {
		if w, ok := p.window(p.held[i].Booking, at); ok && (next == 0 || w.To < next) {
			next = w.To
		}
	}
	return next
}

// Concerns says that there are bookings: any pod may be kept off a booked node.
func (p *plugin) Concerns(*model.Spec) bool { return p.l.Bookings.Any() }

// FilterTask keeps a task off a node that is booked for others before the task has ended.
func (p *plugin) FilterTask(t ledger.TaskID, n ledger.NodeID, _ bool) policy.Verdict {
	p.place()
	for i := range p.held {
		if !p.held[i].has(n) {
			continue
		}
		if v := p.judge(&p.held[i], t); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

// Refusing is the nodes of the bookings that keep a task off.
func (p *plugin) Refusing(t ledger.TaskID) []uint64 {
	p.place()
	clear(p.refuse)
	for i := range p.held {
		h := &p.held[i]
		if p.judge(h, t).Admits() {
			continue
		}
		for len(p.refuse) < len(h.nodes) {
			p.refuse = append(p.refuse, 0)
		}
		for w, nodes := range h.nodes {
			p.refuse[w] |= nodes
		}
	}
	return p.refuse
}

// judge is what a booking says of a task that would start on one of its nodes.
func (p *plugin) judge(h *held, t ledger.TaskID) policy.Verdict {
	w, ok := p.window(h.Booking, p.starts)
	if !ok {
		return policy.Verdict{}
	}
	task := p.l.Task(t)
	limit := limit(task.Pod)
	if limit > 0 && model.After(p.starts, limit) <= model.After(w.From, h.StartDelay) ||
		limit == 0 && p.starts < model.After(w.From, -h.DrainBefore) {
		return policy.Verdict{}
	}
	d := trace.Domain{Key: h.Name, Least: w.From, Most: w.To, Have: limit}
	switch {
	case h.Maintenance:
		d.Value = trace.Maintenance
	case p.owns(h, task) && (h.Flex || limit > 0 && model.After(p.starts, limit) <= w.To):
		return policy.Verdict{}
	case p.owns(h, task):
		d.Value = trace.Owned
	}
	return policy.Verdict{Code: trace.NodeBooked, Domain: d}
}

// owns says that a task's job is one of those that a booking is for.
func (p *plugin) owns(h *held, task *ledger.Task) bool {
	if task.Job == ledger.NoJob {
		return false
	}
	job, o := p.l.Job(task.Job), h.Owner
	if o.Namespace != "" && o.Namespace != job.Key.Namespace || o.Group != "" &&
		(job.Key.Adopted || o.Group != job.Key.Name) {
		return false
	}
	if o.User != "" && o.User != p.l.Jobs.Label(task.Job, model.UserLabel) {
		return false
	}
	return o.Queue == "" || p.within(job.Queue, o.Queue)
}

// within says that a queue is another one, or below it.
func (p *plugin) within(q ledger.QueueID, name string) bool {
	for ; q != ledger.NoQueue; q = p.l.Queues.Parent(q) {
		if p.l.Queue(q).Name == name {
			return true
		}
	}
	return false
}
