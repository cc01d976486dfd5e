// Package allocate is the action that gives pending tasks a node (seed 003).
//
//  1. Jobs that may be served are found and put into a rotation of queues.
//  2. The queue most in need is taken out; if it is overused it is served no more.
//  3. Its first job gets a turn: a gang below its minimum is placed whole or not at
//     all, a job above it gets one task.
//  4. The job goes back if it was served and has tasks left, the queue in any case;
//     what they hold now decides when they are next.
package allocate

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
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
	sheets := map[ledger.JobID]*search.Worksheet{}
	rotation := s.Rotate(s.Fresh(func(j ledger.JobID) bool {
		w := candidate(s, j)
		if w != nil {
			sheets[j] = w
		}
		return w != nil
	}))
	s.Trace.Add(trace.Event{Kind: trace.TryQueues, Count: rotation.Queues()})
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		if r, over := s.Policy.Overused(q); over {
			skip(s, q, append([]ledger.JobID{j}, rotation.Drain(q)...), sheets, r)
			continue
		}
		w := sheets[j]
		if s.Trace.On(trace.NodesForJob) {
			nodes := s.Nodes.Feasible(s.L.Task(w.Tasks[0]).Class)
			s.Trace.Add(trace.Event{Kind: trace.NodesForJob, Job: s.L.Job(j).Key.String(), Count: nodes})
		}
		if search.Turn(s, w) == search.Committed {
			if !w.Empty() {
				rotation.Again(q, j)
			} else if !s.Memo(j).Reason.Is() {
				s.Waits(j, idle(s, j))
			}
		}
		rotation.Return(q)
	}
}

// candidate returns a job's worksheet, nil when it is not to be served, with the
// reason noted (seed 003 §4.2).
func candidate(s *session.Session, j ledger.JobID) *search.Worksheet {
	r := s.Gate(j)
	if !r.Is() && !s.Admitted(j) {
		return nil // enqueue has noted why
	}
	if !r.Is() {
		if r = s.Policy.ValidateJob(j); r.Is() && s.Trace.On(trace.JobValidEvent) {
			s.Trace.Add(trace.Event{Kind: trace.JobValidEvent, Job: s.L.Job(j).Key.String(), Reason: r})
		}
	}
	if !r.Is() {
		w := search.Organize(s, j)
		if !w.Empty() && suffices(s, w) {
			if s.Trace.On(trace.AddedJob) {
				s.Trace.Add(trace.Event{Kind: trace.AddedJob, Job: s.L.Job(j).Key.String(), Queue: s.L.QueueName(j)})
			}
			return w
		}
		r = idle(s, j)
	}
	s.Waits(j, r)
	if r.Code == trace.QueueNotOpen {
		s.Trace.Add(trace.Event{Kind: trace.QueueNotOpenEvent, Job: s.L.Job(j).Key.String(), Queue: r.Queue, Reason: r})
	}
	if s.Trace.On(trace.SkippedJob) {
		s.Trace.Add(trace.Event{Kind: trace.SkippedJob, Action: Name, Job: s.L.Job(j).Key.String(),
			Queue: s.L.QueueName(j), Reason: r})
	}
	return nil
}

// Why says why a job that was refused would be refused now; the zero Reason when it
// would not. It changes nothing.
func Why(s *session.Session, j ledger.JobID) trace.Reason {
	if s.L.Job(j).Phase == model.GroupPending {
		return trace.Reason{} // it fell back: its admission is decided first
	}
	if r := s.Gate(j); r.Is() {
		return r
	}
	if r := s.Policy.ValidateJob(j); r.Is() {
		return r
	}
	w := search.Organize(s, j)
	if w.Empty() || !suffices(s, w) {
		return idle(s, j)
	}
	if r, over := s.Policy.Overused(s.L.Job(j).Queue); over && !w.Promised() {
		return r
	}
	return search.Why(s, w)
}

// idle says why a valid job has nothing that allocate could place, or not enough.
func idle(s *session.Session, j ledger.JobID) trace.Reason {
	job := s.L.Job(j)
	switch {
	case job.Invalid > 0:
		return invalid(s, j)
	case job.Gated > 0:
		return trace.Reason{Code: trace.SchedulingGated, Have: int(job.Gated)}
	case job.BestEffort > 0 && !s.Profile.HasAction("backfill"):
		return trace.Reason{Code: trace.ActionNotConfigured, Text: "backfill"}
	default:
		return trace.Reason{}
	}
}

// skip notes for all jobs of an overused queue that they wait for it, but for those with
// reservations: what is theirs counts for the queue already, and they are given it.
func skip(s *session.Session, q ledger.QueueID, jobs []ledger.JobID, sheets map[ledger.JobID]*search.Worksheet, r trace.Reason) {
	s.Trace.Add(trace.Event{Kind: trace.QueueOverusedEvent, Queue: s.L.Queue(q).Name, Reason: r})
	for _, j := range jobs {
		if !sheets[j].Promised() {
			sheets[j].Park(s, r, true)
			continue
		}
		sheets[j].OnlyPromised()
		search.Turn(s, sheets[j])
	}
}
