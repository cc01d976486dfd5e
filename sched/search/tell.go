package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// tell records a placement with the node's amounts after it (seed 003 §5.5, §6.6).
func tell(s *session.Session, t ledger.TaskID, p place) {
	task, node := s.L.Task(t), s.L.Node(p.node)
	kind, after := trace.BindingTask, trace.AfterAllocated
	if p.in.Future() {
		kind, after = trace.PipeliningTask, trace.AfterPipelined
	}
	e := trace.Event{Kind: kind, Job: s.L.Job(task.Job).Key.String(), Task: task.Key.String(), Node: node.Name, Score: p.score}
	scored := e
	scored.Kind = trace.NodeScores
	s.Trace.Add(scored)
	s.Trace.Add(e)
	e.Kind = after
	e.Amounts = []trace.Labelled{
		{Label: "idle", List: column(s, s.L.Idle, p.node)},
		{Label: "used", List: used(s, p.node)},
		{Label: "releasing", List: column(s, s.L.Releasing, p.node)},
	}
	s.Trace.Add(e)
}

func column(s *session.Session, of func(resource.Dim) []int64, n ledger.NodeID) resource.List {
	var v resource.Vec
	for d := range s.L.Dims.Len() {
		v = append(v, of(resource.Dim(d))[n])
	}
	return s.L.Dims.List(v)
}

func used(s *session.Session, n ledger.NodeID) resource.List {
	var v resource.Vec
	for d := range s.L.Dims.Len() {
		v = append(v, s.L.Used(resource.Dim(d), n))
	}
	return s.L.Dims.List(v)
}

// quotas are the amounts of a refusal by the queue: what it deserves, what it holds, and
// what the task asks for (seed 000 §7).
func quotas(s *session.Session, q ledger.QueueID, t ledger.TaskID) []trace.Labelled {
	figures, _ := s.Policy.QueueFigures(q)
	request := s.L.Class(s.L.Task(t).Class).Request.Clone()
	if len(request) > int(resource.Pods) {
		request[resource.Pods] = 0
	}
	return []trace.Labelled{
		{Label: "deserved", List: s.L.Dims.List(figures.Deserved)},
		{Label: "allocated", List: s.L.Dims.List(s.L.Queue(q).Allocated.Vec(nil))},
		{Label: "request", List: s.L.Dims.List(request)},
	}
}
