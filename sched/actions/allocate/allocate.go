// Package allocate is the action that gives pending tasks a node (seed 003).
//
//  1. Jobs that may be served are found and put into a rotation of queues.
//  2. The first queue by QueueOrder is taken out; if it is overused, it is served no more.
//  3. Its first job has its turn: a gang below its minimum is placed whole or not at
//     all, a job above it gets one task.
//  4. The job is put back if it was served and has tasks left, the queue in any case;
//     what they hold now decides when their next turn is.
//  5. Pods that came lately and are above their job's minimum take part once no job
//     that lacks its minimum could have it, if it is time for them (session.Surplus).
//  6. When a turn gives room back, all this begins anew: jobs that were refused before
//     may have a place now.
package allocate

import (
	"ashlar.sh/sched/backfill"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Name is the action's name in a configuration.
const Name = "allocate"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute places what can be placed.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	backfill.RenewPlans(s)
	backfill.KeepRoom(s)
	var pipelined []ledger.JobID
	for {
		r, jobs := begin(s, pipelined)
		if s.Trace.On(trace.TryQueues) {
			s.Trace.Add(trace.Event{Kind: trace.TryQueues, Count: s.Rotate(jobs).Queues()})
		}
		if r.serve(jobs) {
			backfill.PlanStarts(s)
			return
		}
		pipelined = r.pipelined
	}
}

// pendingTasks returns a job's list of pending tasks; nil, with the reason noted, when the job is not to
// be served (seed 003 §4.2).
func pendingTasks(s *session.Session, j ledger.JobID) *search.PendingTasks {
	r := s.Blocked(j)
	if !r.Is() && !s.TryAdmit(j) {
		return nil // enqueue has noted why
	}
	if !r.Is() {
		if r = s.Policy.ValidateJob(j); r.Is() && s.Trace.On(trace.JobValidEvent) {
			s.Trace.Add(trace.Event{Kind: trace.JobValidEvent, Job: s.L.Jobs.Called(j), Reason: r})
		}
	}
	if !r.Is() {
		w := search.PendingTasksOf(s, j)
		if !w.Empty() && suffices(s, w) {
			if s.Trace.On(trace.AddedJob) {
				s.Trace.Add(trace.Event{Kind: trace.AddedJob, Job: s.L.Jobs.Called(j), Queue: s.L.Jobs.QueueName(j)})
			}
			return w
		}
		r = nothingToPlace(s, j)
	}
	s.Pending.Wait(j, r)
	if r.Code == trace.QueueNotOpen {
		s.Trace.Add(trace.Event{Kind: trace.QueueNotOpenEvent, Job: s.L.Jobs.Called(j), Queue: r.Queue, Reason: r})
	}
	if s.Trace.On(trace.SkippedJob) {
		s.Trace.Add(trace.Event{Kind: trace.SkippedJob, Action: Name, Job: s.L.Jobs.Called(j),
			Queue: s.L.Jobs.QueueName(j), Reason: r})
	}
	return nil
}

// Why says why a refused job would be refused now; the zero Reason when it would not. It changes
// nothing.
func Why(s *session.Session, j ledger.JobID) trace.Reason {
	if !s.L.Job(j).Admitted() {
		return trace.Reason{} // it is Pending again: its admission is decided first
	}
	if r := s.Blocked(j); r.Is() {
		return r
	}
	if r := s.Policy.ValidateJob(j); r.Is() {
		return r
	}
	w := search.PendingTasksOf(s, j)
	if w.Empty() || !suffices(s, w) {
		return nothingToPlace(s, j)
	}
	if r, over := s.Policy.Overused(s.L.Job(j).Queue); over && !w.HasNominated() {
		if t := unoffered(s, w); t != ledger.NoTask {
			return s.NodeIndex.Why(t)
		}
		return r
	}
	if r := search.Behind(s, j, session.WithAmounts); r.Is() {
		return r
	}
	return search.Why(s, w)
}

// unoffered is the first task that asks for something of which no node has any: it waits for nodes,
// whatever its queue holds. NoTask when there is none.
func unoffered(s *session.Session, w *search.PendingTasks) ledger.TaskID {
	for i, t := range w.Tasks {
		class := s.L.Task(t).Class
		if i > 0 && class == s.L.Task(w.Tasks[i-1]).Class {
			continue
		}
		for _, need := range s.L.Class(class).Need {
			if s.L.Nodes.Total(need.Dim) == 0 {
				return t
			}
		}
	}
	return ledger.NoTask
}

// nothingToPlace says why a valid job has nothing that allocate could place, or not enough.
func nothingToPlace(s *session.Session, j ledger.JobID) trace.Reason {
	job := s.L.Job(j)
	switch backoff := s.Backoff(j); {
	case job.Invalid > 0:
		return invalid(s, j)
	case backoff != nil:
		return session.BackoffReason(backoff)
	case job.Gated > 0:
		return trace.Reason{Code: trace.SchedulingGated, Have: int(job.Gated)}
	case job.BestEffort > 0 && !s.Profile.HasAction("backfill"):
		return trace.Reason{Code: trace.ActionNotConfigured, Text: "backfill"}
	default:
		return trace.Reason{}
	}
}

// skip notes for all jobs of an overused queue that they wait for it, except those with nominations:
// these count in the queue already, and the jobs get them.
func skip(s *session.Session, q ledger.QueueID, jobs []ledger.JobID, pending map[ledger.JobID]*search.PendingTasks,
	r trace.Reason) {
	s.Trace.Add(trace.Event{Kind: trace.QueueOverusedEvent, Queue: s.L.Queue(q).Name, Reason: r})
	for _, j := range jobs {
		if !pending[j].HasNominated() {
			pending[j].Park(s, r, unoffered(s, pending[j]) == ledger.NoTask)
			continue
		}
		pending[j].OnlyNominated()
		search.Attempt(s, pending[j])
	}
}
