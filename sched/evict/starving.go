package evict

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/search"
	"ashlar.sh/sched/trace"
)

// Jobs that starve with equal signatures are a StarvingGroup and share one search. When one of them is refused, all
// are: no answer changes while nothing is decided. When room is made for a job, answers may have changed, and the jobs
// of refused groups that come after it in job order are asked again. The result is as if victims were searched for each
// job, in job order; that is what happens when the trace records single jobs.

// mayShareAnswers says that victims may be searched for StarvingGroups: the trace does not record
// single jobs, what makes jobs starve is theirs alone, and the options give jobs with equal signatures
// equal answers.
func (e *Evictor) mayShareAnswers(o Options) bool {
	return e.s.Policy.JobsAlone() && !o.Sample.On && !e.s.Trace.On(trace.FailedPreempt)
}

// signatureOf is a job's signature, for whichever action; false for a job for which no victims are searched.
func (e *Evictor) signatureOf(j ledger.JobID) (g Signature, starves bool) {
	s := e.s
	job := s.L.Job(j)
	if !job.Admitted() || job.By[model.Pending] == 0 || s.Blocked(j).Is() || s.Policy.ValidateJob(j).Is() ||
		!s.Policy.Eviction.Starving(j) {
		return g, false
	}
	tasks := preemptorTasks(s, j)
	if len(tasks) == 0 {
		return g, false
	}
	if g = e.search.SignatureOf(Options{}, j, tasks); search.HardTopology(s, j) || job.RoomKept+job.Losses > 0 {
		g.Own = j // its domains, or the room kept for it, are its own
	}
	return g, true
}

// would says that take would find victims for a job alone. For a job with
// HardTopology only trying shows it, so it is true if the options allow such jobs.
// It costs what take costs: the whole search, with nothing kept of it. So one eviction may be searched for up to three
// times: to see whether the action has anything to do, whether this job may be helped, and by take. Only refusals are
// remembered, for as long as nothing changes.
func (e *Evictor) would(o Options, j ledger.JobID) bool {
	if search.HardTopology(e.s, j) {
		return o.Domains > 0
	}
	return e.inKeptRoom(o, j, search.DryRun, func() bool { return e.search.Would(o, j, preemptorTasks(e.s, j)) })
}

// starvingJobs are the jobs that starve, in StarvingGroups where that is allowed, otherwise each in its own. It
// returns none when no job can be helped as things stand, which one search for each group shows; where answers may not
// be shared that is not asked.
func (e *Evictor) starvingJobs(o Options) (groups []*StarvingGroup) {
	if !e.mayShareAnswers(o) {
		for _, j := range e.allStarving(o.Action) {
			groups = append(groups, &StarvingGroup{Key: Signature{Queue: e.s.L.Job(j).Queue, Own: j}, Jobs: []ledger.JobID{j}})
		}
		return groups
	}
	groups = e.starving.follow(e.s, e.signatureOf)
	if slices.ContainsFunc(groups, func(g *StarvingGroup) bool { return e.mayBeHelped(o, g) }) {
		return groups
	}
	return nil
}

// mayBeHelped says that take may find victims for a job of a group.
func (e *Evictor) mayBeHelped(o Options, g *StarvingGroup) bool {
	if o.OwnMembers && !g.Key.Shared() && hasRunning(e.s, g.Key.Own) {
		return true
	}
	if _, over := e.s.Policy.Overused(g.Key.Queue); over && o.Scope == OtherQueues {
		return false
	}
	for _, j := range g.Jobs {
		if e.would(o, j) {
			return true
		}
		if !e.search.result.forThisJobOnly {
			break // that answer holds for the whole group
		}
	}
	return false
}

// allStarving lists the jobs for which pods may have to be evicted, in no order that may decide anything
// (seed 002 §2.1): admitted, sound, valid, and starving by the plugins of JobStarving. Jobs that were
// refused already are left out while nothing has changed since. action is the one that asks.
func (e *Evictor) allStarving(action string) []ledger.JobID {
	s := e.s
	var admitted []ledger.JobID
	for _, j := range s.L.Jobs.Active() {
		if job := s.L.Job(j); job.Admitted() && job.By[model.Pending] > 0 && !e.hasNoVictims(j, action) {
			admitted = append(admitted, j)
		}
	}
	return s.Pending.InOrder(admitted, func(j ledger.JobID) bool {
		if s.Blocked(j).Is() {
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

// actionOnJob names an action that found no victims for a job.
type actionOnJob struct {
	job    ledger.JobID
	action string
}

// hasNoVictims says that an action found no victims for a job, and nothing has changed since: it need not try
// the job again.
func (e *Evictor) hasNoVictims(j ledger.JobID, action string) bool {
	_, known := e.refused.Recall(e.s.Pending, actionOnJob{j, action})
	return known
}
