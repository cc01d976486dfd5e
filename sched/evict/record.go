package evict

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Result is what a search decided for the tasks of one job, one after the other, and why it stopped.
type Result struct {
	placed       []ledger.TaskID     // the tasks that have a place, in order
	gone         []victim            // of all of them, one after the other
	served       []served            // the tasks that victims are evicted for
	alternatives []trace.Alternative // of all of these

	refused       []ledger.ClassID // classes that found no place
	nonPreempting ledger.TaskID    // the first task without room of which the policy is to evict no pod
	notPreemptive trace.Reason     // why the queue may not reclaim, for the first task that was refused
	// The answer says nothing about other jobs like this one: PrePredicate refused a task, or there is none to place.
	forThisJobOnly bool
}

// served is what was found for one task of the job that room was made for.
type served struct {
	task                       ledger.TaskID
	priority                   int32
	considered, bounded, steps int
	exhausted                  bool
	from, to                   int // the range of its alternatives in Result.alternatives
}

func (re *Result) begin() {
	*re = Result{placed: re.placed[:0], gone: re.gone[:0], served: re.served[:0], alternatives: re.alternatives[:0],
		refused: re.refused[:0], nonPreempting: ledger.NoTask}
}

// serve notes the task for which the next victims are evicted, and how they were found.
func (re *Result) serve(p *preemptor) {
	from := len(re.alternatives)
	re.alternatives = append(re.alternatives, p.alternatives...)
	re.served = append(re.served, served{p.Task, p.priorityOf(p.Task), p.considered, p.bounded, p.steps, p.exhausted,
		from, len(re.alternatives)})
}

// cost is what the victims cost that the last Take evicted.
func (vs *Search) cost() Cost {
	c := nothing
	for _, v := range vs.result.gone {
		c = vs.p.costOf(c, v.task)
	}
	return c
}

// Records calls f for every task that the last Take evicted, with the record of its eviction. A nomination that
// was given up is no eviction and has no record.
func (vs *Search) Records(f func(ledger.TaskID, *trace.Eviction)) {
	l, nodes, held := vs.s.L, 0, heldBefore{vs: vs}
	l.Nodes.Present(func(ledger.NodeID) bool { nodes++; return true })
	for _, v := range vs.result.gone {
		if l.Task(v.task).Node == ledger.NoNode {
			continue
		}
		d := &vs.result.served[v.served]
		r := recordOf(vs.s, v.task, vs.p.o.Action)
		r.Preemptor, r.PreemptorJob = l.Task(d.task).Key.String(), l.Jobs.Called(vs.p.Job)
		r.PreemptorQueue = l.Jobs.QueueName(vs.p.Job)
		r.Node, r.Priority, r.PreemptorPriority = l.Node(l.Task(d.task).Node).Name, vs.p.priorityOf(v.task), d.priority
		r.Whole, r.Tier = v.whole, v.judged.Tier+1
		r.PermittedBy, r.Others = vs.s.Policy.Eviction.Permitting(vs.p.o.Scope == OtherQueues, v.judged)
		if vs.p.o.Scope == OtherQueues {
			lost, asked := l.Request(v.task), l.Request(d.task)
			r.QueueHeld = held.amounts(l.Job(l.Task(v.task).Job).Queue, lost, asked)
			r.PreemptorQueueHeld = held.amounts(vs.p.Queue, lost, asked)
		}
		r.NodesTried, r.NodesRuledOut, r.Steps, r.Exhausted = d.considered, nodes-d.bounded, d.steps, d.exhausted
		r.Alternatives = append([]trace.Alternative(nil), vs.result.alternatives[d.from:d.to]...)
		f(v.task, r)
	}
}

// heldBefore is what queues held before the last Take, and deserve.
type heldBefore struct {
	vs     *Search
	queues map[ledger.QueueID]policy.QueueFigures
}

// of is what a queue held, and deserves; false where no plugin says that.
func (hb *heldBefore) of(q ledger.QueueID) (policy.QueueFigures, bool) {
	if f, known := hb.queues[q]; known {
		return f, true
	}
	l := hb.vs.s.L
	f, known := hb.vs.s.Policy.QueueFigures(q)
	if !known {
		return f, false
	}
	request := func(t ledger.TaskID) resource.Vec { return l.Request(t) }
	f.Held = l.Queue(q).Allocated.Vec(nil)
	for _, v := range hb.vs.result.gone {
		if l.Job(l.Task(v.task).Job).Queue == q {
			f.Held = f.Held.Add(request(v.task))
		}
	}
	for _, t := range hb.vs.result.placed {
		if q == hb.vs.p.Queue {
			f.Held = f.Held.Sub(request(t))
		}
	}
	if hb.queues == nil {
		hb.queues = map[ledger.QueueID]policy.QueueFigures{}
	}
	hb.queues[q] = f
	return f, true
}

// amounts is what a queue held and deserves of what a victim held that was asked for.
func (hb *heldBefore) amounts(q ledger.QueueID, lost, asked resource.Vec) (out []trace.QueueHeld) {
	f, known := hb.of(q)
	if !known {
		return nil
	}
	dims := hb.vs.s.L.Dims
	for _, d := range dims.Sorted(func(d resource.Dim) bool {
		return d != resource.Pods && lost.Get(d) > 0 && asked.Get(d) > 0
	}) {
		out = append(out, trace.QueueHeld{Dim: dims.Name(d), Deserved: f.Deserved.Get(d), Held: f.Held.Get(d)})
	}
	return out
}

// recordOf begins the record of an eviction: what is said of every victim.
func recordOf(s *session.Session, t ledger.TaskID, action string) *trace.Eviction {
	task := s.L.Task(t)
	r := &trace.Eviction{Action: action, Task: task.Key.String(), Node: s.L.Node(task.Node).Name,
		Job: s.L.Jobs.Called(task.Job), Queue: s.L.Jobs.QueueName(task.Job), Priority: s.L.Job(task.Job).Priority,
		Lost: s.L.Dims.List(s.L.Class(task.Class).Request)}
	if since := task.Pod.Began(); since > 0 && since < s.Now {
		r.Ran = model.Between(since, s.Now)
	}
	return r
}
