// Package preempt is the action that makes room inside a queue (seed 002 §2).
//
//  1. Queues with starving jobs are served one after the other, in queue order.
//  2. In each, jobs take room from other jobs of the queue, in job order: for the
//     rest of a minimum as a whole, and only once every task is proved to have a place with the victims
//     gone.
//  3. Then tasks of a job take room from less important tasks of the same job.
//
// The plugins of Preemptable say which pods may be evicted, and no gang is left below its
// minimum (decisions 11 and 12). The room that is freed is reserved; allocate gives it to the task that it
// was freed for once the victims are gone.
package preempt

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/victims"
)

// Name is the action's name in a configuration.
const Name = "preempt"

// Action implements session.Action.
type Action struct{}

// Name implements session.Action.
func (Action) Name() string { return Name }

// Execute makes room for starving jobs.
func (Action) Execute(s *session.Session) {
	s.Enter(Name)
	defer s.Leave(Name)
	if s.IsIdle(Name) {
		return
	}
	rule := Rule(s)
	search.Preempt(s, rule, func(jobs []ledger.JobID) { within(s, rule, jobs) })
	search.TellIdleQueues(s, Name)
	s.RememberIdle(Name)
}

// Rule is the configured rule of preempt between jobs.
func Rule(s *session.Session) victims.Rule {
	return victims.Rule{Action: Name, Scope: victims.SameQueue, WholeGangs: true, Sample: sample(s)}
}

// sample reads the arguments of topology-aware preemption (seed 002 §7.2), which were checked when the
// configuration was read. topologyAwarePreemptWorkerNum is not used: it says how many nodes are tried
// at once, which does not change the result; nodes are tried one at a time.
func sample(s *session.Session) victims.Sample {
	args := s.Profile.ActionArguments[Name]
	on, _ := args.Bool("enableTopologyAwarePreemption", false)
	percent, _ := args.Int("minCandidateNodesPercentage", 10)
	least, _ := args.Int("minCandidateNodesAbsolute", 1)
	most, _ := args.Int("maxCandidateNodesAbsolute", 100)
	return victims.Sample{On: on, Percent: int(percent), Least: int(least), AtMost: int(most)}
}

// within is phase 2: between tasks of one job, one task at a time.
func within(s *session.Session, rule victims.Rule, jobs []ledger.JobID) {
	rule.Scope, rule.WholeGangs = victims.SameJob, false
	slices.SortFunc(jobs, s.Policy.CompareJobs)
	for _, j := range jobs {
		for s.Policy.Eviction.Starving(j) && search.HasRunning(s, j) && search.Take(s, rule, j) {
			continue
		}
	}
}
