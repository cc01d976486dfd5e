package search

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
	"ashlar.sh/sched/victims"
)

// Preempt makes room for starving jobs inside their queues, one queue after the other in queue order,
// and in each queue in job order. A job that still starves after room was made for it takes part again.
// own, where it is not nil, is called after each queue with the jobs that might get room from their own
// members.
func Preempt(s *session.Session, rule victims.Rule, own func(jobs []ledger.JobID)) {
	all := func(ledger.QueueID) bool { return true }
	groups, alone := starvingJobs(s, rule, all, own != nil)
	lines := preemptorQueues(s, rule, groups, alone)
	queues := make([]ledger.QueueID, 0, len(lines))
	for q := range lines { // order-free: sorted below
		queues = append(queues, q)
	}
	slices.SortFunc(queues, s.Policy.CompareQueues)
	for _, q := range queues {
		for lines[q].serve() {
			continue
		}
		if own != nil {
			own(lines[q].alone)
		}
	}
}

// Reclaim makes room for starving jobs, queue by queue in turns: the queue most in need first, unless
// it is overused. Both are computed anew after every job that room was made for; Volcano computes them
// once. As long as room was made for no job, the queue most in need stays the same.
func Reclaim(s *session.Session, rule victims.Rule) {
	due := func(q ledger.QueueID) bool {
		_, over := s.Policy.Overused(q)
		return !over
	}
	groups, alone := starvingJobs(s, rule, due, false)
	lines := preemptorQueues(s, rule, groups, alone)
	var ones []ledger.JobID
	for _, l := range lines { // order-free: a rotation sorts
		ones = append(ones, l.heads.Any().job)
	}
	rotation := s.Rotate(ones)
	for {
		q, j, ok := rotation.Next()
		if !ok {
			return
		}
		if r, over := s.Policy.Overused(q); over {
			s.Trace.Add(trace.Event{Kind: trace.QueueOverusedEvent, Action: rule.Action, Queue: s.L.Queue(q).Name, Reason: r})
			continue
		}
		if l := lines[q]; l.serve() && !l.empty() {
			rotation.Again(q, j)
		}
		rotation.Return(q)
	}
}

// HasRunning says that a job has a running member that could be a victim of another member.
func HasRunning(s *session.Session, j ledger.JobID) bool {
	job := s.L.Job(j)
	return job.By[model.Running]+job.By[model.Bound] > 0
}

// TellIdleQueues records the queues in which no job starves.
func TellIdleQueues(s *session.Session, action string) {
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
	tellHeldBack(s, action)
	slices.Sort(quiet)
	for _, name := range quiet {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptors, Action: action, Queue: name})
	}
}

// tellHeldBack records the jobs that starve, but of which all pending members are held back by
// scheduling gates.
func tellHeldBack(s *session.Session, action string) {
	var held []ledger.JobID
	s.L.Jobs.Each(func(j ledger.JobID) bool {
		job := s.L.Job(j)
		if job.Gated > 0 && job.Admitted() && !s.Gate(j).Is() && s.Policy.Eviction.Starving(j) && len(Claimants(s, j)) == 0 {
			held = append(held, j)
		}
		return true
	})
	slices.SortFunc(held, func(a, b ledger.JobID) int { return s.L.Job(a).Key.Compare(s.L.Job(b).Key) })
	for _, j := range held {
		s.Trace.Add(trace.Event{Kind: trace.NoPreemptorTask, Action: action, Job: s.L.Jobs.Called(j)})
	}
}
