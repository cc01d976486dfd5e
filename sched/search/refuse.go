package search

import (
	"strings"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/topology"
	"ashlar.sh/sched/trace"
)

// alike are tasks of a job of which all find a place or none does: they are of one class, and run equally long. Nodes
// that are booked take a task that ends before.
type alike struct {
	class                            ledger.ClassID
	lasts, limit, jobLimit, jobSince int64
}

func (t *attempt) alike(task ledger.TaskID) alike {
	row := t.s.L.Task(task)
	times := row.Pod.Rare()
	return alike{row.Class, times.Lasts, times.Limit, times.JobLimit, times.JobSince}
}

// refuse notes that tasks found no place. A fault of a task's resource claims concerns that task
// alone: others have claims of their own, made from the same template.
func (t *attempt) refuse(task ledger.TaskID, r trace.Reason) {
	if !r.Code.OfClaims() && r.Code != trace.QueueDevices {
		t.refused = append(t.refused, t.alike(task))
	}
	t.stopped(task, r)
}

// stopped notes why a task was not placed. It does not refuse the task's class: that a task waits for
// the room that it is nominated to says nothing about other tasks of the class.
func (t *attempt) stopped(task ledger.TaskID, r trace.Reason) {
	r.Task = t.s.L.Task(task).Key.String()
	if r.Queue == "" && (r.Code == trace.QueueDeserved || r.Code == trace.QueueCapability) {
		r.Queue = t.s.L.Queue(t.job.Queue).Name
	}
	if !t.why.Is() {
		t.why = r
	}
	kind := trace.PredicatesFailed
	switch r.Code {
	case trace.QueueDeserved, trace.QueueCapability:
		kind = trace.NotAllocatable
	case trace.PrePredicateFailed, trace.ClaimNotFound, trace.ClaimUnusable, trace.ClaimCompiling, trace.ClaimBudgetSpent,
		trace.DeviceClassNotFound, trace.ResourceOfClass:
		kind = trace.PrePredicateEvent
	}
	t.note(kind, task, r)
}

func (t *attempt) note(kind trace.EventKind, task ledger.TaskID, r trace.Reason) {
	if !t.s.Trace.On(kind) {
		return
	}
	e := trace.Event{Kind: kind, Queue: t.s.L.Queue(t.job.Queue).Name, Job: t.s.L.Jobs.Called(t.w.Job),
		Task: t.s.L.Task(task).Key.String(), Reason: r}
	if kind == trace.NotAllocatable {
		e.Amounts = quotas(t.s, t.job.Queue, task)
	}
	t.s.Trace.Add(e)
	switch {
	case kind == trace.PredicatesFailed && t.s.Trace.On(trace.FitErrorsEvent):
		traceRefusal(t.s, task, r)
	case r.Code == trace.QueueCapability && t.s.Trace.On(trace.LevelNotAllocatable):
		traceLevels(t.s, t.job.Queue, task, r)
	}
}

// beforeNodes is the reason for a verdict that is the same for all nodes.
func beforeNodes(v policy.Verdict) trace.Reason {
	switch {
	case v.Code == trace.QueueDevices:
		name, kept, _ := strings.Cut(v.Text, " ")
		return trace.Reason{Code: v.Code, Queue: name, Text: kept,
			Shorts: []trace.Short{{Dim: v.Domain.Key, Need: v.Domain.Least, Have: v.Domain.Most}}}
	case v.Code == trace.ResourceOfClass:
		return trace.Reason{Code: v.Code, Text: v.Text, Shorts: []trace.Short{{Dim: v.Domain.Key, Need: v.Domain.Least}}}
	case v.Code.OfClaims():
		return trace.Reason{Code: v.Code, Text: v.Text}
	}
	return trace.Reason{Code: trace.PrePredicateFailed, Text: v.Text}
}

// refuseAfter notes why the task after the first fit tasks is refused. For that, the first fit tasks
// are placed in a try that is taken back.
func (t *attempt) refuseAfter(fit int64, why func(ledger.TaskID) trace.Reason) {
	next := t.w.Tasks[t.w.next+int(fit)]
	t.placed = int32(fit)
	if !t.detail {
		t.refuse(next, why(next))
		return
	}
	var r trace.Reason
	t.s.Policy.Explain(true)
	defer t.s.Policy.Explain(false)
	t.s.L.Try(func(tx *ledger.Tx) bool {
		for _, task := range t.w.Tasks[t.w.next : t.w.next+int(fit)] {
			if t.apart {
				tx.Suppose(task) // its domains decide on which node it would be placed
			} else if best := t.s.NodeIndex.Best(class.Query{Task: task}); best.Node != ledger.NoNode {
				tx.Allocate(task, best.Node)
			}
		}
		if r = why(next); !t.apart {
			t.remember()
		}
		return false
	})
	t.refuse(next, r)
}

// remember notes on which nodes the members were placed of which the place is about to be taken back (seed
// 003 §6.4), so that the reason can name where a pod could have been placed. Only a reason that is
// asked for needs it; the tasks keep nothing of it.
func (t *attempt) remember() {
	if !t.detail {
		return
	}
	for _, id := range t.w.Tasks {
		task := t.s.L.Task(id)
		if placed := task.Status == model.Allocated || task.Status == model.Pipelined; placed &&
			len(t.tried) < trace.MostTried {
			t.tried = append(t.tried, trace.Placement{Task: task.Key.String(), Node: t.s.L.Node(task.Node).Name})
		}
	}
}

// nodes is why no node takes a task. Counts of nodes by reason are added only where explain wants them,
// since that needs every node.
func (t *attempt) nodes(task ledger.TaskID) trace.Reason {
	if t.apart && t.home != topology.None {
		return trace.Reason{Code: trace.NodesRefuse} // the final reason is about domains
	}
	if t.detail {
		return t.s.NodeIndex.Why(task)
	}
	for range t.s.L.Nodes.Present {
		return trace.Reason{Code: trace.NodesRefuse}
	}
	return trace.Reason{Code: trace.NoNodes}
}
