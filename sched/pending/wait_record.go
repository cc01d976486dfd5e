package pending

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/trace"
)

// waitRecord is why a job waits.
type waitRecord struct {
	key    ledger.JobKey // the job that it belongs to: JobIDs are reused
	cycle  uint64        // the cycle in which it was noted
	reason trace.Reason  // as it was noted

	refused bool         // it had its turn, or would have had: see ReasonToShow
	shown   trace.Reason // of a refusal: the reason that was found at shownAt
	shownAt Versions

	// Of a parked job:
	wake  Wake     // what its refusal rests on; 0: it is not parked
	at    Versions // when it was refused
	class ledger.ClassID
	tasks int64  // see Refusal
	plans uint64 // Index.plans when it was refused
}

// waitRecordOf is the record of a job that still counts, nil when there is none. The record of a job that waits no
// longer is dropped.
func (x *Index) waitRecordOf(j ledger.JobID) *waitRecord {
	if int(j) >= len(x.jobs) || x.jobs[j].wait == nil {
		return nil
	}
	m, job := x.jobs[j].wait, x.l.Job(j)
	if m.key == job.Key && (m.cycle == x.cycle || m.wake != 0) {
		return m
	}
	if job.By[model.Pending] == 0 {
		x.jobs[j].wait = nil
	}
	return nil
}

// note replaces the record of a job.
func (x *Index) note(j ledger.JobID, m waitRecord) {
	e := x.entry(j)
	if e.wait == nil {
		e.wait = &waitRecord{}
	}
	m.key, m.cycle = x.l.Job(j).Key, x.cycle
	*e.wait = m
}

// Reason is why a job waits, as it was noted; the zero Reason when nothing was.
func (x *Index) Reason(j ledger.JobID) trace.Reason {
	if m := x.waitRecordOf(j); m != nil {
		return m.reason
	}
	return trace.Reason{}
}

// Wait notes why a job waits. The job is tried again in the next cycle. With the zero Reason, nothing is kept.
func (x *Index) Wait(j ledger.JobID, r trace.Reason) {
	switch {
	case r.Is():
		x.note(j, waitRecord{reason: r})
	case int(j) < len(x.jobs):
		x.jobs[j].wait = nil
	}
}

// Forget forgets why a job waited.
func (x *Index) Forget(j ledger.JobID) { x.Wait(j, trace.Reason{}) }

// Refuse notes that a job would have had its turn but for r. The job is tried again in the next cycle, and r is
// shown as long as all that it rests on is unchanged.
func (x *Index) Refuse(j ledger.JobID, r trace.Reason) {
	x.note(j, waitRecord{reason: r, refused: true, shown: r, shownAt: x.nowFor(j)})
}

// RefuseRest notes that only some of a job was placed, and why not the rest, in outline.
func (x *Index) RefuseRest(j ledger.JobID, r trace.Reason) {
	x.note(j, waitRecord{reason: r, refused: true})
}

// ReasonToShow is the reason to show for a job: the one that was noted, or, for a refusal after which
// something changed (other jobs were served, or the job was not tried again), the one that ask finds now. So a
// job that was tried in this cycle and one that was parked show the same.
func (x *Index) ReasonToShow(j ledger.JobID, ask func(ledger.JobID) trace.Reason) trace.Reason {
	m := x.waitRecordOf(j)
	switch {
	case m == nil:
		return trace.Reason{}
	case !m.refused:
		return m.reason
	}
	if now := x.nowFor(j); !m.shownAt.same(&now, refusal|m.wake) {
		r := ask(j)
		m.shown, m.shownAt = r, x.nowFor(j)
	}
	return m.shown
}

// LastShown is the reason that ReasonToShow found last, or else the one that was noted, and whether ReasonToShow would
// return it without asking.
func (x *Index) LastShown(j ledger.JobID) (r trace.Reason, still bool) {
	m := x.waitRecordOf(j)
	switch {
	case m == nil:
		return trace.Reason{}, true
	case !m.refused:
		return m.reason, true
	case !m.shown.Is():
		return m.reason, false
	}
	now := x.nowFor(j)
	return m.shown, m.shownAt.same(&now, refusal|m.wake)
}
