package ledger

import "ashlar.sh/sched/model"

// SetPhase moves a job to a phase that its fact does not show yet. It outlives the
// cycle; PodGroup.status.phase keeps it over a restart, and for adopted jobs nothing
// does: their admission is decided again.
func (l *Ledger) SetPhase(j JobID, p model.GroupPhase, item uint64) {
	job := &l.jobs[j]
	job.Phase, job.phaseHeld, job.phaseItem, job.phaseAt = p, true, item, job.version
	l.recommitted.job(job.Key)
	l.stateEpoch++
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}

// RestorePhase takes a decided phase over from an earlier life, unless a fact newer than the
// one that it was decided on shows it.
func (l *Ledger) RestorePhase(j JobID, p model.GroupPhase, item, at uint64) {
	if g := l.jobs[j].Group; g != nil && g.Phase == p && l.jobs[j].version > at {
		return
	}
	l.SetPhase(j, p, item)
	l.jobs[j].phaseAt = at
}

// PhaseAt is the version of the PodGroup's fact that a phase was decided on.
func (l *Ledger) PhaseAt(j JobID) uint64 { return l.jobs[j].phaseAt }

// PhaseHeld is the plan item that asked for a job's phase, and false when the phase
// is that of its fact.
func (l *Ledger) PhaseHeld(j JobID) (uint64, bool) {
	job := &l.jobs[j]
	return job.phaseItem, job.phaseHeld
}

// TellPhase notes of a job's decided phase that it was written, or had not to be. Where the fact
// shows it already, as when the phase turned and turned back before that was written, no other
// fact need follow: it counts as shown.
func (l *Ledger) TellPhase(j JobID) {
	if job := &l.jobs[j]; job.Group != nil && job.Group.Phase == job.Phase {
		l.DropPhase(j)
	}
}

// DropPhase forgets a decided phase: the fact's holds again.
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
