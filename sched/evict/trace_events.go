package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/trace"
)

// traceIdleQueues records the queues in which no job starves.
func (e *Evictor) traceIdleQueues(action string) {
	s := e.s
	if !s.Trace.On(trace.NoPreemptors) {
		return
	}
	var quiet []string
	s.L.Queues.Each(func(q ledger.QueueID) bool {
		if row := s.L.Queue(q); row.Fact != nil && row.Leaf() {
			quiet = append(quiet, row.Name)
		}
		return true
	})
	for _, j := range s.L.Jobs.Active() {
		if s.L.Job(j).Admitted() && s.L.Job(j).Exists() && s.Policy.Eviction.Starving(j) {
			quiet = slices.DeleteFunc(quiet, func(name string) bool { return name == s.L.Jobs.QueueName(j) })
		}
	}
	e.traceHeldBack(action)
	slices.Sort(quiet)
	for _, name := range quiet {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptors, Action: action, Queue: name})
	}
}

// traceHeldBack records the jobs that starve, but of which all pending members are held back by
// scheduling gates.
func (e *Evictor) traceHeldBack(action string) {
	s := e.s
	var held []ledger.JobID
	s.L.Jobs.Each(func(j ledger.JobID) bool {
		job := s.L.Job(j)
		if job.Gated > 0 && job.Admitted() && !s.Blocked(j).Is() && s.Policy.Eviction.Starving(j) &&
			len(preemptorTasks(s, j)) == 0 {
			held = append(held, j)
		}
		return true
	})
	ledger.SortByName(s.L, held)
	for _, j := range held {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptorTask, Action: action, Job: s.L.Jobs.Called(j)})
	}
}

// traceVictims records for every plugin that judges victims which of them it permitted, even if none
// (seed 000 §8.3). A plugin that says which queues may lose tasks permitted all of them. It is called only when the
// trace wants it.
func (e *Evictor) traceVictims(o Options, victims []*trace.Eviction) {
	reclaim, ev := o.Scope == OtherQueues, &e.s.Policy.Eviction
	var filters []string
	if reclaim {
		filters = ev.QueueFilters()
	}
	for _, name := range ev.Judges(reclaim) {
		var permitted []string
		for _, r := range victims {
			names := func(p trace.Permission) bool { return slices.Contains(p.Plugins, name) }
			if slices.ContainsFunc(r.Permissions(), names) || slices.Contains(filters, name) {
				permitted = append(permitted, r.Task)
			}
		}
		e.s.Trace.Add(trace.Event{Kind: trace.VictimsOfPlugins, Action: o.Action, Plugin: name, Victims: permitted})
	}
}

// tracePreempted records what was freed for a task, and what the task asked for (seed 002 §8.2).
func (e *Evictor) tracePreempted(o Options, t ledger.TaskID) {
	s := e.s
	task := s.L.Task(t)
	var sum resource.Vec
	for _, v := range e.search.result.gone {
		if e.search.result.served[v.served].task == t {
			sum = sum.Add(s.L.Request(v.task))
		}
	}
	s.Trace.Add(trace.Event{Kind: trace.Preempted, Action: o.Action, Task: task.Key.String(),
		Node: s.L.Node(task.Node).Name, Amounts: []trace.Labelled{{Label: "preempted", List: s.L.Dims.List(sum)},
			{Label: "requested", List: s.L.Dims.List(s.L.Class(task.Class).Request)}}})
}
