package search

import (
	"slices"

	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// tracePlacement records a placement with the node's amounts after it (seed 003 §5.5, §6.6).
func tracePlacement(s *session.Session, t ledger.TaskID, p place) {
	task, node := s.L.Task(t), s.L.Node(p.node)
	kind, after := trace.BindingTask, trace.AfterAllocated
	if p.in.Future() {
		kind, after = trace.PipeliningTask, trace.AfterPipelined
	}
	e := trace.Event{Kind: kind, Job: s.L.Jobs.Called(task.Job), Task: task.Key.String(), Node: node.Name, Score: p.score}
	scored := e
	scored.Kind = trace.NodeScores
	s.Trace.Add(scored)
	s.Trace.Add(e)
	e.Kind = after
	e.Amounts = room(s, p.node)
	s.Trace.Add(e)
}

// traceScores records the scores of the best nodes for a task that is about to be placed (seed 003
// §7.3).
func traceScores(s *session.Session, t ledger.TaskID, p place) {
	s.Policy.Explain(true)
	defer s.Policy.Explain(false)
	e := trace.Event{Kind: trace.BatchNodeOrderEvent, Task: s.L.Task(t).Key.String()}
	if e.Scores, e.Count = s.NodeIndex.Scores(t, class.When(p.in.Future())); e.Count > 0 {
		s.Trace.Add(e)
	}
}

// traceRefusal records how many nodes refused a task for which reason, and the room on the example node
// of each reason (seed 003 §7.2).
func traceRefusal(s *session.Session, t ledger.TaskID, r trace.Reason) {
	s.Trace.Add(trace.Event{Kind: trace.FitErrorsEvent, Task: s.L.Task(t).Key.String(), Reason: r})
	var told []string
	for _, c := range r.Nodes {
		n, ok := s.L.Nodes.Find(c.Example)
		if !ok || slices.Contains(told, c.Example) {
			continue
		}
		told = append(told, c.Example)
		s.Trace.Add(trace.Event{Kind: trace.NodeRoomEvent, Node: c.Example, Amounts: room(s, n)})
	}
}

// traceLevels records the ancestors of the queue that refused a task, with what they may hold and what
// they hold (seed 000 §10.2).
func traceLevels(s *session.Session, q ledger.QueueID, t ledger.TaskID, r trace.Reason) {
	arithmetic, _ := s.Policy.QueueArithmetic(q)
	above := []string{}
	for at := q; at != ledger.NoQueue; at = s.L.Queues.Parent(at) {
		above = append(above, s.L.Queue(at).Name)
	}
	above = above[slices.Index(above, r.Queue)+1:]
	for _, name := range above {
		at, _ := s.L.Queues.Find(name)
		var real resource.List
		for _, a := range arithmetic {
			for _, l := range a.Levels {
				if l.Queue == name {
					real = append(real, resource.Amount{Name: a.Dim, Value: l.Real})
				}
			}
		}
		s.Trace.Add(trace.Event{Kind: trace.LevelNotAllocatable, Queue: name, Task: s.L.Task(t).Key.String(),
			Amounts: []trace.Labelled{
				{Label: "realCapability", List: real},
				{Label: "allocated", List: s.L.Dims.List(s.L.Queue(at).Allocated.Vec(nil))},
				{Label: "request", List: s.L.Dims.List(asked(s, t))},
			}})
	}
}

// room is the idle, used and releasing amounts of a node.
func room(s *session.Session, n ledger.NodeID) []trace.Labelled {
	return []trace.Labelled{
		{Label: "idle", List: column(s, s.L.Nodes.Idle, n)},
		{Label: "used", List: used(s, n)},
		{Label: "releasing", List: column(s, s.L.Nodes.Releasing, n)},
	}
}

// asked is what a task asks of its queue, without the number of pods (decision 24).
func asked(s *session.Session, t ledger.TaskID) resource.Vec {
	request := s.L.Request(t).Clone()
	if len(request) > int(resource.Pods) {
		request[resource.Pods] = 0
	}
	return request
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
		v = append(v, s.L.Nodes.Used(resource.Dim(d), n))
	}
	return s.L.Dims.List(v)
}

// quotas are the amounts of a refusal by the queue: what it deserves, what it holds, and what the task
// asks for (seed 000 §7).
func quotas(s *session.Session, q ledger.QueueID, t ledger.TaskID) []trace.Labelled {
	figures, _ := s.Policy.QueueFigures(q)
	return []trace.Labelled{
		{Label: "deserved", List: s.L.Dims.List(figures.Deserved)},
		{Label: "allocated", List: s.L.Dims.List(s.L.Queue(q).Allocated.Vec(nil))},
		{Label: "request", List: s.L.Dims.List(asked(s, t))},
	}
}
