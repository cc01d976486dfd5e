package ledger

import "ashlar.sh/sched/model"

// SetPhase gives a job a phase that its fact does not show yet. It outlives the cycle. Over a restart
// PodGroup.status.phase keeps it; for adopted jobs nothing does, and their admission is decided again.
func (js *Jobs) SetPhase(j JobID, p model.GroupPhase, item uint64) {
	job := &js.rows[j]
	job.Phase, job.decided.open, job.decided.item, job.decided.at = p, true, item, job.decided.version
	js.l.Changes.recommitted.job(job.Key)
	js.l.Changes.stateEpoch++
	js.l.accounts.refreshAll(j)
	js.l.Changes.mark(j)
	js.activate(j)
}

// RestorePhase takes over a decided phase from an earlier engine, unless a fact newer than the one it was
// decided on shows it.
func (js *Jobs) RestorePhase(j JobID, p model.GroupPhase, item, at uint64) {
	if g := js.rows[j].Group; g != nil && g.Phase == p && js.rows[j].decided.version > at {
		return
	}
	js.SetPhase(j, p, item)
	js.rows[j].decided.at = at
}

// PhaseAt is the version of the PodGroup's fact that the phase was decided on.
func (js *Jobs) PhaseAt(j JobID) uint64 { return js.rows[j].decided.at }

// DecidedPhase returns the plan item that asked for a job's phase, and false when the phase is that of its fact.
func (js *Jobs) DecidedPhase(j JobID) (uint64, bool) {
	job := &js.rows[j]
	return job.decided.item, job.decided.open
}

// PhaseWritten notes that a job's decided phase was written, or needed no write. If the fact shows it already, as
// when the phase changed back before it was written, no other fact may follow: the phase counts as shown.
func (js *Jobs) PhaseWritten(j JobID) {
	if job := &js.rows[j]; job.Group != nil && job.Group.Phase == job.Phase {
		js.DropPhase(j)
	}
}

// DropPhase drops a decided phase: the job has the phase of its fact again.
func (js *Jobs) DropPhase(j JobID) {
	job := &js.rows[j]
	job.decided.open, job.Phase = false, model.GroupPending
	js.l.Changes.recommitted.job(job.Key)
	js.l.Changes.stateEpoch++
	if job.Group != nil {
		job.Phase = job.Group.Phase
	}
	js.l.accounts.refreshAll(j)
	js.l.Changes.mark(j)
	js.activate(j)
}
