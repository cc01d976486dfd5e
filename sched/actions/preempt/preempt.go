// Package preempt is the action that makes room inside a queue (seed 002 §2).
//
//  1. Queues with starving jobs are served one after the other, in queue order.
//  2. In each, jobs take from other jobs of the queue, the first in job order first: the
//     rest of a minimum as a whole, with a place for every task proved before anybody is
//     evicted.
//  3. Then tasks of a job take from less important ones of the same job.
//
// Who may be taken is what the plugins of Preemptable say, and no gang is left below its
// minimum (decisions 11 and 12). What is freed is reserved; allocate gives it to whom it
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

// Rule is what preempt asks for between jobs, as it is configured.
func Rule(s *session.Session) victims.Rule {
	return victims.Rule{Action: Name, Scope: victims.SameQueue, WholeGangs: true, Sample: sample(s)}
}

// sample reads the arguments of topology-aware preemption (seed 002 §7.2). They were
// checked when the configuration was read; topologyAwarePreemptWorkerNum changes how many
// nodes are tried at once and no outcome, and one is always tried at a time.
func sample(s *session.Session) victims.Sample {
	args := s.Profile.ActionArguments[Name]
	on, _ := args.Bool("enableTopologyAwarePreemption", false)
	percent, _ := args.Int("minCandidateNodesPercentage", 10)
	least, _ := args.Int("minCandidateNodesAbsolute", 1)
	most, _ := args.Int("maxCandidateNodesAbsolute", 100)
	return victims.Sample{On: on, Percent: int(percent), Least: int(least), AtMost: int(most)}
}

// within is phase 2: between tasks of one job, each for itself.
func within(s *session.Session, rule victims.Rule, jobs []ledger.JobID) {
	rule.Scope, rule.WholeGangs = victims.SameJob, false
	slices.SortFunc(jobs, s.Policy.CompareJobs)
	for _, j := range jobs {
		for s.Policy.Starving(j) && search.HasRunning(s, j) && search.Take(s, rule, j) {
			continue
		}
	}
}
