package ledger

import "ashlar.sh/sched/model"

// SetPhase gives a job a phase that its fact does not show yet. It outlives the cycle. Over a restart
// PodGroup.status.phase keeps it; for adopted jobs nothing does, and their admission is decided again.
func (l *Ledger) SetPhase(j JobID, p model.GroupPhase, item uint64) {
	job := &l.jobs[j]
	job.Phase, job.phaseHeld, job.phaseItem, job.phaseAt = p, true, item, job.version
	l.recommitted.job(job.Key)
	l.stateEpoch++
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}

// RestorePhase takes over a decided phase from an earlier engine, unless a fact newer than the one it was
// decided on shows it.
func (l *Ledger) RestorePhase(j JobID, p model.GroupPhase, item, at uint64) {
	if g := l.jobs[j].Group; g != nil && g.Phase == p && l.jobs[j].version > at {
		return
	}
	l.SetPhase(j, p, item)
	l.jobs[j].phaseAt = at
}

// PhaseAt is the version of the PodGroup's fact that the phase was decided on.
func (l *Ledger) PhaseAt(j JobID) uint64 { return l.jobs[j].phaseAt }

// PhaseHeld returns the plan item that asked for a job's phase, and false when the phase is that of its fact.
func (l *Ledger) PhaseHeld(j JobID) (uint64, bool) {
	job := &l.jobs[j]
	return job.phaseItem, job.phaseHeld
}

// TellPhase notes that a job's decided phase was written, or needed no write. If the fact shows it already, as
// when the phase changed back before it was written, no other fact may follow: the phase counts as shown.
func (l *Ledger) TellPhase(j JobID) {
	if job := &l.jobs[j]; job.Group != nil && job.Group.Phase == job.Phase {
		l.DropPhase(j)
	}
}

// DropPhase drops a decided phase: the job has the phase of its fact again.
func (l *Ledger) DropPhase(j JobID) {
	job := &l.jobs[j]
	job.phaseHeld, job.Phase = false, model.GroupPending
	l.recommitted.job(job.Key)
	l.stateEpoch++
	if job.Group != nil {
		job.Phase = job.Group.Phase
	}
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}
