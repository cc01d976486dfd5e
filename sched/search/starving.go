package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// ByQueue groups jobs by queue, the queues in queue order.
func ByQueue(s *session.Session, jobs []ledger.JobID) [][]ledger.JobID {
	slices.SortStableFunc(jobs, func(a, b ledger.JobID) int {
		return s.Policy.CompareQueues(s.L.Job(a).Queue, s.L.Job(b).Queue)
	})
	var out [][]ledger.JobID
	for i, j := range jobs {
		if i == 0 || s.L.Job(jobs[i-1]).Queue != s.L.Job(j).Queue {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], j)
	}
	return out
}

// Preempt makes room for the starving jobs of one queue, the first in job order first. A
// job that still starves when it was helped takes part again.
func Preempt(s *session.Session, rule victims.Rule, jobs []ledger.JobID) {
	queue := session.NewHeap(s.Policy.CompareJobs)
	for _, j := range jobs {
		queue.Push(j)
	}
	for queue.Len() > 0 {
		j := queue.Pop()
		if s.Policy.Starving(j) && Take(s, rule, j) && s.Policy.Starving(j) {
			queue.Push(j)
		}
	}
}

// Reclaim makes room for starving jobs, queue by queue in turns: the queue most in need
// first, unless it is overused; both are asked anew after every job (semantics row 39).
func Reclaim(s *session.Session, rule victims.Rule) {
	rotation := s.Rotate(Starving(s, rule.Action))
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		if r, over := s.Policy.Overused(q); over {
			s.Trace.Add(trace.Event{Kind: trace.QueueOverusedEvent, Action: rule.Action, Queue: s.L.Queue(q).Name, Reason: r})
			rotation.Drain(q)
			continue
		}
		if s.Policy.Starving(j) && Take(s, rule, j) && s.Policy.Starving(j) {
			rotation.Again(q, j)
		}
		rotation.Return(q)
	}
}

// HasRunning says that a job has a member that could be a victim of another of its own.
func HasRunning(s *session.Session, j ledger.JobID) bool {
	job := s.L.Job(j)
	return job.By[model.Running]+job.By[model.Bound] > 0
}

// TellIdleQueues tells the trace of the queues in which no job starves.
func TellIdleQueues(s *session.Session, action string) {
	if !s.Trace.On(trace.NoPreemptors) {
		return
	}
	var quiet []string
	s.L.Queues(func(q ledger.QueueID) bool {
		if row := s.L.Queue(q); row.Fact != nil && row.Leaf() {
			quiet = append(quiet, row.Name)
		}
		return true
	})
	for _, j := range s.L.Active() {
		if s.L.Job(j).Phase != model.GroupPending && s.L.Job(j).Exists() && s.Policy.Starving(j) {
			quiet = slices.DeleteFunc(quiet, func(name string) bool { return name == s.L.QueueName(j) })
		}
	}
	slices.Sort(quiet)
	for _, name := range quiet {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptors, Action: action, Queue: name})
	}
}
