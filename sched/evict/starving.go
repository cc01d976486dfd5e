package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/trace"
)

// Jobs that starve with equal signatures share one search. No answer changes
// while nothing is decided: when one job of a StarvingGroup is refused, the whole group is refused until
// room was made for some job; then the jobs of the group that come after that job have
// their turn again. The result is as if victims were searched for each job, in job order. That is what
// happens when the trace records single jobs.

// mayShareAnswers says that victims may be searched for StarvingGroups: the trace does not record
// single jobs, what makes jobs starve is theirs alone, and the options give jobs with equal signatures
// equal answers.
func (e *Evictor) mayShareAnswers(o Options) bool {
	return e.s.Policy.JobsAlone() && !o.Sample.On && !e.s.Trace.On(trace.FailedPreempt)
}

// starvingJob says whether victims may be searched for a job, and its signature.
func (e *Evictor) starvingJob(j ledger.JobID) (x StarvingJob) {
	s := e.s
	job := s.L.Job(j)
	if !job.Admitted() || job.By[model.Pending] == 0 || s.Gate(j).Is() || s.Policy.ValidateJob(j).Is() || !s.Policy.Eviction.Starving(j) {
		return x
	}
	tasks := claimants(s, j)
	if len(tasks) == 0 {
		return x
	}
	x.Starves = true
	x.Signature, x.Alike = e.victims.SignatureOf(Options{}, j, tasks)
	x.Alike = x.Alike && !search.Near(s, j) && job.Claims+job.Losses == 0 // its domains, or the room kept for it, are its own
	return x
}

// would says that take would find victims for a job alone. For a job whose members have to be near each
// other, only trying shows it, so it is true if the options allow such jobs.
func (e *Evictor) would(o Options, j ledger.JobID) bool {
	if search.Near(e.s, j) {
		return o.Domains > 0
	}
	return e.unkept(o, j, false, func() bool { return e.victims.Would(o, j, claimants(e.s, j)) })
}

// starvingJobs are the jobs that starve: in StarvingGroups where that is allowed, otherwise each alone.
// It returns none when no job can be helped as things stand, which one search for each group shows.
func (e *Evictor) starvingJobs(o Options) (groups []*StarvingGroup, alone []ledger.JobID) {
	if !e.mayShareAnswers(o) {
		return nil, e.allStarving(o.Action)
	}
	groups, alone = e.starving.jobs(e.s, e.starvingJob)
	if o.OwnMembers && slices.ContainsFunc(alone, func(j ledger.JobID) bool { return hasRunning(e.s, j) }) {
		return groups, alone
	}
	due := func(q ledger.QueueID) bool {
		_, over := e.s.Policy.Overused(q)
		return o.Scope != OtherQueues || !over
	}
	for _, p := range groups {
		if !due(p.Signature.Queue) {
			continue
		}
		for _, j := range p.Jobs {
			if e.would(o, j) {
				return groups, alone
			}
			if !e.victims.Result.PrePredicateFailed() {
				break // that answer holds for the whole group
			}
		}
	}
	if slices.ContainsFunc(alone, func(j ledger.JobID) bool { return due(e.s.L.Job(j).Queue) && e.would(o, j) }) {
		return groups, alone
	}
	return nil, nil
}

// allStarving lists the jobs for which pods may have to be evicted, in no order that may decide anything
// (seed 002 §2.1): admitted, sound, valid, and starving by the plugins of JobStarving. Jobs that were
// refused already are left out while nothing has changed since. action is the one that asks.
func (e *Evictor) allStarving(action string) []ledger.JobID {
	s := e.s
	admitted := func(j ledger.JobID) bool {
		job := s.L.Job(j)
		return job.Admitted() && job.By[model.Pending] > 0 && !e.hasNoVictims(j, action)
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
