package evict

import (
	"math"
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// preemptor is what asks: a job with an action's options, and the task of it that a place is looked for now. It
// also counts what was looked at for that task. It knows nothing of candidates, dry runs and results, which are
// found for it.
type preemptor struct {
	policy.Preemptor
	l         *ledger.Ledger
	nodeIndex *class.Index
	set       *policy.Set

	o          Options
	levels     levels
	inDoubt    []ledger.QueueID // see Evictor.Protect
	class      ledger.ClassID
	bestEffort bool // the task asks for nothing
	budget     int  // how many steps may be used for one task

	steps        int
	exhausted    bool // more steps were needed than the budget has
	bounded      int  // nodes that amounts alone do not rule out
	considered   int  // nodes on which victims were tried
	tried        marks
	alternatives []trace.Alternative // candidates that would have worked, but cost more
	trace        *trace.Recorder     // of the nodes that are tried; nil: nothing is recorded
}

// begin makes a job the one that asks.
func (p *preemptor) begin(o Options, j ledger.JobID, rec *trace.Recorder) {
	p.o, p.trace = o, rec
	p.Preemptor = policy.Preemptor{Job: j, Queue: p.l.Job(j).Queue,
		ShortOnAll: p.ShortOnAll[:0], ShortOnNode: p.ShortOnNode[:0], Rest: p.Rest[:0]}
	if o.Scope == OtherQueues {
		p.levels.find(p)
	}
}

// ask makes a task of the job the one that a place is looked for.
func (p *preemptor) ask(t ledger.TaskID) {
	p.become(t)
	p.bestEffort = p.l.Class(p.class).BestEffort
	p.tried.begin(p.l.Nodes.Len())
	p.steps, p.considered, p.bounded, p.exhausted = 0, 0, 0, false
	p.alternatives, p.ShortOnAll, p.ShortOnNode = p.alternatives[:0], p.ShortOnAll[:0], p.ShortOnNode[:0]
	if p.o.Scope == OtherQueues {
		p.findShortOnAll()
	}
}

// become makes a task the current one, of a class that was asked for already.
func (p *preemptor) become(t ledger.TaskID) {
	p.Task, p.class = t, p.l.Task(t).Class
	p.Want = p.l.Class(p.class).Request
}

// findShortOnAll notes the dimensions in which no node that may take the class has enough
// FutureIdle (decision 15).
func (p *preemptor) findShortOnAll() {
	admits := p.nodeIndex.Admitted(p.class)
	for _, need := range p.l.Class(p.class).Need {
		enough := need.Dim == resource.Pods // queues do not share numbers of pods (decision 24)
		for n := range admits {
			if enough || admits[n] && lacks(p.l, ledger.NodeID(n), need.Dim, need.Amount) <= 0 {
				enough = true
				break
			}
		}
		if !enough {
			p.ShortOnAll = append(p.ShortOnAll, need.Dim)
		}
	}
}

// findShortOnNode notes the dimensions in which a node has too little FutureIdle for count tasks of the
// class.
func (p *preemptor) findShortOnNode(n ledger.NodeID, count int64) {
	if p.o.Scope != OtherQueues {
		return
	}
	for _, need := range p.l.Class(p.class).Need {
		if need.Dim != resource.Pods && p.l.Nodes.FutureIdle(need.Dim, n) < times(need.Amount, count) {
			p.lacks(need.Dim)
		}
	}
	for _, f := range p.set.Lackers {
		for _, d := range f.Lacking(p.Task, n) {
			p.lacks(d)
		}
	}
}

func (p *preemptor) lacks(d resource.Dim) {
	if !slices.Contains(p.ShortOnNode, d) {
		p.ShortOnNode = append(p.ShortOnNode, d)
	}
}

// times is a × b, at most math.MaxInt64; neither is negative.
func times(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// rests notes what the tasks ask for that the job still needs for its minimum; tasks are those that are
// left to place.
func (p *preemptor) rests(tasks []ledger.TaskID) {
	p.Rest = p.Rest[:0]
	if p.o.Scope != OtherQueues || p.Extra {
		return
	}
	for _, t := range tasks[:min(max(1, p.missing()), len(tasks))] {
		p.Rest = p.Rest.Add(p.l.Request(t))
	}
}

// missing is how many members the job still needs for its minimum.
func (p *preemptor) missing() int {
	job := p.l.Job(p.Job)
	return int(job.MinMember - job.PlacedOrPipelined())
}

// within are the nodes of the domain that the task has to stay in; nil: all nodes.
func (p *preemptor) within() class.Scope {
	h := p.o.Home
	if h == nil {
		return class.AllNodes
	}
	if nodes, own := h.Subs[p.l.Task(p.Task).Sub]; own {
		return class.Among(nodes)
	}
	return h.Nodes
}

// ceiling is the highest priority that a victim's job may have.
func (p *preemptor) ceiling() int32 {
	if p.o.Scope != SameQueue {
		return math.MaxInt32
	}
	return p.set.Eviction.Ceiling(p.Preemptor)
}

// allocatable says that the queue may hold the task as things stand, and, for reclaim, that it may take
// from other queues.
func (p *preemptor) allocatable() bool {
	if p.set.Allocatable(p.Queue, p.class, 1) < 1 {
		return false
	}
	if p.o.Scope != OtherQueues {
		return true
	}
	_, ok := p.set.Eviction.Preemptive(p.Preemptor)
	return ok
}

// priorityOf is the priority by which the importance of a victim, or of the task itself, is measured: its
// job's, or, between tasks of one job, the task's.
func (p *preemptor) priorityOf(t ledger.TaskID) int32 {
	task := p.l.Task(t)
	if p.o.Scope == SameJob {
		return task.Order
	}
	return p.l.Job(task.Job).Priority
}

// costOf is a cost with one more victim.
func (p *preemptor) costOf(c Cost, t ledger.TaskID) Cost {
	return c.with(p.priorityOf(t), p.l.Task(t).Pod.Began())
}

// consider counts a node as tried, once for each task.
func (p *preemptor) consider(n ledger.NodeID) {
	p.steps++
	if !p.tried.first(n) {
		return
	}
	p.considered++
	if p.trace != nil && p.trace.On(trace.ConsideringNode) {
		p.trace.Add(trace.Event{Kind: trace.ConsideringNode, Action: p.o.Action,
			Task: p.l.Task(p.Task).Key.String(), Node: p.l.Node(n).Name})
	}
}

// spent says that the budget is used up.
func (p *preemptor) spent() bool {
	p.exhausted = p.exhausted || p.steps > p.budget
	return p.steps > p.budget
}
