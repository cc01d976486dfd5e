package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// preemptorTasks lists the members of a job for which pods may have to be evicted: first those that wait for
// room and have no nomination, in the order to place them, then those that ask for nothing.
func preemptorTasks(s *session.Session, j ledger.JobID) []ledger.TaskID {
	tasks := slices.DeleteFunc(search.PendingTasksOf(s, j).Tasks, func(t ledger.TaskID) bool {
		return s.L.Task(t).Status != model.Pending
	})
	if s.L.Job(j).HasSubGroups() {
		return search.BySubGroup(s, j, tasks)
	}
	return append(tasks, search.BestEffort(s, j)...)
}

// take makes room for a job: for the rest of its minimum, or for one task where it has its minimum. It
// returns whether it did; then the job waits with nominations, and every eviction has its record.
func (e *Evictor) take(o Options, j ledger.JobID) bool {
	s := e.s
	tasks := preemptorTasks(s, j)
	if len(tasks) == 0 {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptorTask, Action: o.Action, Job: s.L.Jobs.Called(j)})
		return false
	}
	if o.Domains == 0 && search.HardTopology(s, j) { // decision 16
		e.refused.Remember(s.Pending, actionOnJob{j, o.Action}, struct{}{})
		s.Trace.Add(trace.Event{Kind: trace.SkipPreemption, Action: o.Action, Job: s.L.Jobs.Called(j),
			Queue: s.L.Jobs.QueueName(j), Reason: trace.Reason{Code: trace.TopologyByGang, Text: o.Action}})
		return false
	}
	traced := s.Trace.On(trace.VictimsOfPlugins)
	if s.Trace.On(trace.AllocatingOperations) {
		s.Trace.Add(trace.Event{Kind: trace.AllocatingOperations, Job: s.L.Jobs.Called(j)})
	}
	if !e.makeRoom(o, j, tasks) {
		e.refused.Remember(s.Pending, actionOnJob{j, o.Action}, struct{}{})
		if traced {
			e.traceVictims(o, nil)
		}
		if r := e.search.result.notPreemptive; r.Is() {
			s.Trace.Add(trace.Event{Kind: trace.CannotReclaim, Action: o.Action, Queue: s.L.Jobs.QueueName(j),
				Job: s.L.Jobs.Called(j), Task: s.L.Task(tasks[0]).Key.String(), Reason: r})
		}
		s.Trace.Add(trace.Event{Kind: trace.FailedPreempt, Action: o.Action, Job: s.L.Jobs.Called(j),
			Task: s.L.Task(tasks[0]).Key.String()})
		s.Trace.Add(trace.Event{Kind: trace.Discarding, Job: s.L.Jobs.Called(j)})
		return false
	}
	var records []*trace.Eviction
	e.search.Records(func(t ledger.TaskID, r *trace.Eviction) {
		e.records[t] = r
		records = append(records, r)
		if s.Trace.On(trace.TryPreempt) {
			s.Trace.Add(trace.Event{Kind: trace.TryPreempt, Action: o.Action, Job: r.PreemptorJob, Task: r.Preemptor,
				Victim: r.Task, Node: s.L.Node(s.L.Task(t).Node).Name})
		}
	})
	if traced {
		e.traceVictims(o, records)
	}
	placed := e.search.result.placed
	for _, t := range placed {
		if s.Trace.On(trace.Preempted) {
			e.tracePreempted(o, t)
		}
	}
	s.Trace.Add(trace.Event{Kind: trace.JobPipelinedEvent, Job: s.L.Jobs.Called(j), Count: len(placed)})
	s.Trace.Add(trace.Event{Kind: trace.Committing, Job: s.L.Jobs.Called(j)})
	first := s.L.Task(placed[0])
	s.Pending.Wait(j, trace.Reason{Code: trace.Reserved, Task: first.Key.String(), Text: s.L.Node(first.Node).Name})
	return true
}

// makeRoom makes room for a job: anywhere, if it has no limit in the network; otherwise in one of the
// domains that it may be placed in: of the lowest tier in which room can be made, the one where it
// costs least (decision 17). Whole gangs are evicted only where surplus alone is not enough in any of
// them (decision 12).
func (e *Evictor) makeRoom(o Options, j ledger.JobID, tasks []ledger.TaskID) bool {
	return e.inKeptRoom(o, j, search.Place, func() bool {
		if !search.HardTopology(e.s, j) {
			return e.search.Take(o, j, tasks)
		}
		for _, wholeGangs := range o.kinds() {
			tried := o
			tried.WholeGangs = wholeGangs
			if home := e.cheapestHome(tried, j, tasks); home != nil {
				tried.Home = home
				return e.search.Take(tried, j, tasks)
			}
		}
		return false
	})
}

// inKeptRoom runs find beside the room of lost members, as if no room were kept for jobs that the job comes
// before. The mode says whether what find did stays. In reclaim, the job takes what its queue is owed: only room of
// planned starts is in its way.
func (e *Evictor) inKeptRoom(o Options, j ledger.JobID, mode search.Mode, find func() bool) bool {
	return search.InKeptRoom(e.s, j, o.Scope == OtherQueues, mode, find)
}

// cheapestHome is the choice of domains in which the victims for a job cost least, among those of the lowest
// tier in which room can be made; nil when it can be made in none.
func (e *Evictor) cheapestHome(o Options, j ledger.JobID, tasks []ledger.TaskID) (best *search.Home) {
	var least Cost
	search.EachHome(e.s, j, o.Domains, func(h *search.Home) bool {
		if best != nil && h.Tier > best.Tier {
			return false
		}
		o.Home = h
		e.s.L.Try(func(*ledger.Tx) bool {
			if e.search.Take(o, j, tasks) {
				if c := e.search.cost(); best == nil || c.Compare(least) < 0 {
					best, least = h, c
				}
			}
			return false
		})
		return true
	})
	return best
}
