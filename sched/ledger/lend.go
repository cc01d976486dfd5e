package ledger

import "slices"

// Lending is what becomes of the room in its queue that is kept for an admitted job's minimum
// while no node takes that.
type Lending uint8

// What becomes of it.
const (
	Keeps    Lending = iota // it is kept: nobody else may count on it
	Lends                   // it is kept, and lent to who starts at once with it
	LendsAll                // nothing is kept: the nodes could never hold its minimum, whoever left, or its pods do not come
)

// Lend says what becomes of the room that a job's queue keeps for it. It outlives the cycle
// as a commitment that no API field shows: after a restart a job keeps its room until it is
// refused once more.
func (l *Ledger) Lend(j JobID, how Lending) {
	job := &l.jobs[j]
	if job.lending == how {
		return
	}
	if job.lending == Lends {
		l.lenders--
	}
	if how == Lends {
		l.lenders++
	}
	job.lending = how
	l.recommitted.job(job.Key)
	if job.HasMin { // otherwise its queue keeps nothing for it, and nothing that is known of it changes
		l.refreshAll(j)
		l.mark(j)
	}
}

// LendingOf is what becomes of the room that a job's queue keeps for it.
func (l *Ledger) LendingOf(j JobID) Lending { return l.jobs[j].lending }

// Lenders is the number of jobs that lend.
func (l *Ledger) Lenders() int { return l.lenders }

// forgetLending ends a life's lending.
func (l *Ledger) forgetLending(job *Job) {
	if job.lending == Lends {
		l.lenders--
	}
	job.lending = Keeps
}

// Wait says that a job waits from a time on, as if its pods had come then: they may have come
// earlier. It outlives the cycle as Lend does.
func (l *Ledger) Wait(j JobID, from int64) {
	job := &l.jobs[j]
	if job.from != from {
		job.from = from
		l.recommitted.job(job.Key)
	}
}

// WaitsFrom is what Wait said; 0: nothing.
func (l *Ledger) WaitsFrom(j JobID) int64 { return l.jobs[j].from }

// Awaits says that room is kept for a job of which no pod exists.
func (j *Job) Awaits() bool {
	return j.Tasks == 0 && slices.ContainsFunc(j.inqueue, func(kept int64) bool { return kept > 0 })
}

// Await says since when a job that was let in has had no pods; 0: it has some. It outlives the
// cycle as Lend does.
func (l *Ledger) Await(j JobID, since int64) {
	job := &l.jobs[j]
	if job.podless != since {
		job.podless = since
		l.recommitted.job(job.Key)
	}
}

// AwaitsFrom is what Await said; 0: nothing.
func (l *Ledger) AwaitsFrom(j JobID) int64 { return l.jobs[j].podless }
