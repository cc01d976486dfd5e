package sched

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// admit lets a job in: phase Inqueue, by a plan item where a PodGroup keeps it.
func (e *Engine) admit(j ledger.JobID) { e.setPhase(j, model.GroupInqueue) }

// rephaseAll moves every job that was touched, in the order of names: the order in
// which they were touched depends on history.
func (e *Engine) rephaseAll() {
	e.touched = e.touched[:0]
	e.l.TakeDirty(func(j ledger.JobID) {
		if job := e.l.Job(j); job.Exists() && nextPhase(job) != job.Phase {
			e.touched = append(e.touched, j)
		}
	})
	slices.SortFunc(e.touched, e.byName)
	for _, j := range e.touched {
		e.rephase(j)
	}
	e.l.TakeDirty(func(ledger.JobID) {})
}

// rephase moves a job to the phase that follows from its members, if that is another
// (semantics §3.1).
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
	e.l.SetPhase(j, p, id)
}

// nextPhase is where a job stands by its members: Running once its minimum is bound,
// Completed once all that was started has ended, Pending again when a running gang
// fell below its minimum. A bind under way counts for nothing yet, except that it
// keeps a job from falling back.
func nextPhase(job *ledger.Job) model.GroupPhase {
	finished := job.By[model.Succeeded] + job.By[model.Failed]
	scheduled := job.By[model.Running] + job.By[model.Bound] + job.By[model.Unknown] + finished + job.By[model.Releasing]
	switch {
	case scheduled > 0 && scheduled >= job.MinMember && finished == scheduled && job.Tasks == finished:
		return model.GroupCompleted
	case scheduled > 0 && scheduled >= job.MinMember && finished < scheduled:
		return model.GroupRunning
	case job.Phase == model.GroupInqueue || job.Phase == model.GroupPending:
		return job.Phase
	case scheduled+job.By[model.Binding] >= job.MinMember && job.Phase == model.GroupRunning:
		return job.Phase
	default:
		return model.GroupPending
	}
}
