package ledger

import "ashlar.sh/sched/model"

// SetPhase moves a job to a phase that its fact does not show yet. It outlives the
// cycle; PodGroup.status.phase keeps it over a restart, and for adopted jobs nothing
// does: their admission is decided again.
func (l *Ledger) SetPhase(j JobID, p model.GroupPhase, item uint64) {
	job := &l.jobs[j]
	job.Phase, job.phaseHeld, job.phaseItem = p, true, item
	l.world++
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}

// Yield makes an admitted job keep no room of its queue for its minimum (yes), because no
// node takes it and others should not wait behind it; or keep it again. It outlives the
// cycle as a commitment that no API field shows: after a restart the job keeps its room
// until it is refused once more.
func (l *Ledger) Yield(j JobID, yes bool) {
	if l.jobs[j].yielded != yes {
		l.jobs[j].yielded = yes
		l.refreshAll(j)
		l.mark(j)
	}
}

// Yielded says that a job keeps no room for its minimum.
func (l *Ledger) Yielded(j JobID) bool { return l.jobs[j].yielded }

// PhaseHeld is the plan item that asked for a job's phase, and false when the phase
// is that of its fact.
func (l *Ledger) PhaseHeld(j JobID) (uint64, bool) {
	job := &l.jobs[j]
	return job.phaseItem, job.phaseHeld
}

// DropPhase forgets a decided phase: the fact's holds again.
func (l *Ledger) DropPhase(j JobID) {
	job := &l.jobs[j]
	job.phaseHeld, job.Phase = false, model.GroupPending
	l.world++
	if job.Group != nil {
		job.Phase = job.Group.Phase
	}
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}
