package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Starving lists the jobs for which pods may have to be evicted, in no order that may decide anything
// (seed 002 §2.1): admitted, sound, valid, and starving by the plugins of JobStarving. Jobs that were
// refused already are left out while nothing has changed since. action is the one that asks.
func Starving(s *session.Session, action string) []ledger.JobID {
	admitted := func(j ledger.JobID) bool {
		job := s.L.Job(j)
		return job.Admitted() && job.By[model.Pending] > 0 && !s.HasNoVictims(j, action)
	}
	return s.Candidates(admitted, func(j ledger.JobID) bool {
		if s.Gate(j).Is() {
			return false
		}
		if r := s.Policy.ValidateJob(j); r.Is() {
			if s.Trace.On(trace.SkipPreemption) {
				s.Trace.Add(trace.Event{Kind: trace.SkipPreemption, Action: action, Job: s.L.Jobs.Called(j),
					Queue: s.L.Jobs.QueueName(j), Reason: r})
			}
			return false
		}
		return s.Policy.Eviction.Starving(j)
	})
}

// Claimants lists the members of a job for which pods may have to be evicted: first those that wait for
// room and have no reservation, in the order to place them, then those that ask for nothing.
func Claimants(s *session.Session, j ledger.JobID) []ledger.TaskID {
	tasks := slices.DeleteFunc(PendingTasksOf(s, j).Tasks, func(t ledger.TaskID) bool {
		return s.L.Task(t).Status != model.Pending
	})
	if len(s.L.Job(j).Subs) > 0 {
		return bySubGroup(s, j, tasks)
	}
	return append(tasks, BestEffort(s, j)...)
}

// Take makes room for a job by a rule: for the rest of its minimum, or for one task where it has its
// minimum. It returns whether it did; then the job waits with reservations, and every eviction has its
// record.
func Take(s *session.Session, rule victims.Rule, j ledger.JobID) bool {
	tasks := Claimants(s, j)
	if len(tasks) == 0 {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptorTask, Action: rule.Action, Job: s.L.Jobs.Called(j)})
		return false
	}
	if rule.Domains == 0 && Near(s, j) { // decision 16
		s.RememberNoVictims(j, rule.Action)
		s.Trace.Add(trace.Event{Kind: trace.SkipPreemption, Action: rule.Action, Job: s.L.Jobs.Called(j), Queue: s.L.Jobs.QueueName(j),
			Reason: trace.Reason{Code: trace.TopologyByGang, Text: rule.Action}})
		return false
	}
	rule.Trace = s.Trace
	reclaims, tells := rule.Scope == victims.OtherQueues, s.Trace.On(trace.VictimsOfPlugins)
	if s.Trace.On(trace.AllocatingOperations) {
		s.Trace.Add(trace.Event{Kind: trace.AllocatingOperations, Job: s.L.Jobs.Called(j)})
	}
	if !takeIn(s, rule, j, tasks) {
		s.RememberNoVictims(j, rule.Action)
		if tells {
			tellVictims(s, rule, s.Policy.Eviction.AllVoters(reclaims), nil)
		}
		if r := s.Victims.Result.NotPreemptive(); r.Is() {
			s.Trace.Add(trace.Event{Kind: trace.CannotReclaim, Action: rule.Action, Queue: s.L.Jobs.QueueName(j), Job: s.L.Jobs.Called(j),
				Task: s.L.Task(tasks[0]).Key.String(), Reason: r})
		}
		s.Trace.Add(trace.Event{Kind: trace.FailedPreempt, Action: rule.Action, Job: s.L.Jobs.Called(j), Task: s.L.Task(tasks[0]).Key.String()})
		s.Trace.Add(trace.Event{Kind: trace.Discarding, Job: s.L.Jobs.Called(j)})
		return false
	}
	var by, gone []string
	if tells {
		by = s.Policy.Eviction.QueueFilters(reclaims)
	}
	s.Victims.Result.Records(s.Now, func(t ledger.TaskID, r *trace.Eviction) {
		s.Evictions[t] = r
		if tells {
			gone, by = append(gone, r.Task), union(by, r.Rules)
		}
		if s.Trace.On(trace.TryPreempt) {
			s.Trace.Add(trace.Event{Kind: trace.TryPreempt, Action: rule.Action, Job: r.ForJob, Task: r.For, Victim: r.Task, Node: s.L.Node(s.L.Task(t).Node).Name})
		}
	})
	if tells {
		tellVictims(s, rule, by, gone)
	}
	for _, t := range s.Victims.Result.Placed() {
		if s.Trace.On(trace.Preempted) {
			preempted(s, rule, t)
		}
	}
	s.Trace.Add(trace.Event{Kind: trace.JobPipelinedEvent, Job: s.L.Jobs.Called(j), Count: len(s.Victims.Result.Placed())})
	s.Trace.Add(trace.Event{Kind: trace.Committing, Job: s.L.Jobs.Called(j)})
	s.Waits(j, trace.Reason{Code: trace.Reserved, Task: s.L.Task(s.Victims.Result.Placed()[0]).Key.String(),
		Text: s.L.Node(s.L.Task(s.Victims.Result.Placed()[0]).Node).Name})
	return true
}

// tellVictims records for every plugin that judged victims which of them it permitted, even if none
// (seed 000 §8.3). It is called only when the trace wants it.
func tellVictims(s *session.Session, rule victims.Rule, by, gone []string) {
	for _, name := range by {
		s.Trace.Add(trace.Event{Kind: trace.VictimsOfPlugins, Action: rule.Action, Plugin: name, Victims: gone})
	}
}

// union appends the names that a list does not have yet.
func union(list, more []string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// preempted records what was freed for a task, and what the task asked for (seed 002 §8.2).
func preempted(s *session.Session, rule victims.Rule, t ledger.TaskID) {
	task := s.L.Task(t)
	var sum resource.Vec
	s.Victims.Result.VictimsOf(t, func(v ledger.TaskID) { sum = sum.Add(s.L.Class(s.L.Task(v).Class).Request) })
	s.Trace.Add(trace.Event{Kind: trace.Preempted, Action: rule.Action, Task: task.Key.String(), Node: s.L.Node(task.Node).Name,
		Amounts: []trace.Labelled{{Label: "preempted", List: s.L.Dims.List(sum)},
			{Label: "requested", List: s.L.Dims.List(s.L.Class(task.Class).Request)}}})
}
