package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// admit admits a job: its phase becomes Inqueue, by a plan item if it has a PodGroup.
func (e *Engine) admit(j ledger.JobID) {
	e.setPhase(j, model.GroupInqueue)
	e.l.WaitingJobs.EndLapse(j)
}

// rephaseAll updates the phase of every job that changed, in the order of names: the order of the changes
// depends on history.
func (e *Engine) rephaseAll() {
	e.touched = e.touched[:0]
	e.l.Changes.TakeDirty(func(j ledger.JobID) {
		if job := e.l.Job(j); job.Exists() && nextPhase(job) != job.Phase {
			e.touched = append(e.touched, j)
		} else {
			e.lapses.await(j)
		}
	})
	slices.SortFunc(e.touched, e.reports.byName)
	for _, j := range e.touched {
		e.rephase(j)
		e.lapses.await(j)
	}
	e.l.Changes.TakeDirty(func(ledger.JobID) {})
}

// rephase sets the phase that follows from a job's members, if it is another one (as in Volcano, except for
// what docs/differences.md lists).
func (e *Engine) rephase(j ledger.JobID) {
	if job := e.l.Job(j); job.Exists() {
		if p := nextPhase(job); p != job.Phase {
			e.setPhase(j, p)
		}
	}
}

func (e *Engine) setPhase(j ledger.JobID, p model.GroupPhase) {
	job := e.l.Job(j)
	id := uint64(0)
	if g := job.Group; g != nil {
		id = e.add(Item{Kind: SetPhase, UID: g.UID, Phase: p,
			Group: ledger.Key{Namespace: job.Key.Namespace, Name: job.Key.Name}})
	}
	e.l.Jobs.SetPhase(j, p, id)
}

// nextPhase returns a job's phase by its members: Running once its minimum is bound; Unknown while some run
// and others of the minimum are lost or never came to run; Completed once all that was started has ended;
// Pending while it is to be admitted. A bind under way, and a member that is terminating, only keep the job
// from falling back. Applied to its own answer, it gives the same answer.
func nextPhase(job *ledger.Job) model.GroupPhase {
	started, finished := job.Started(), job.Finished()
	ran := job.Phase == model.GroupRunning || job.Phase == model.GroupUnknown
	switch {
	case job.Over() || finished > 0 && finished == job.Tasks:
		return model.GroupCompleted
	case !job.Admitted():
		return model.GroupPending
	case job.Short() && (ran || job.By[model.Running] > 0):
		return model.GroupUnknown
	case started > finished && job.Met((*ledger.Count).Started) && !job.Short():
		return model.GroupRunning
	case ran && job.Staying() > 0, job.Staying() == 0 && job.Leaving > 0:
		return job.Phase
	default:
		return model.GroupInqueue
	}
}
