package ledger

import "slices"

// Lenders holds the admitted jobs that lend the room that they wait for.
type Lenders struct {
	l *Ledger

	count int // jobs that lend
}

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
func (le *Lenders) Lend(j JobID, how Lending) {
	job := &le.l.Jobs.rows[j]
	if job.waits.lending == how {
		return
	}
	if job.waits.lending == Lends {
		le.count--
	}
	if how == Lends {
		le.count++
	}
	job.waits.lending = how
	le.l.Changes.recommitted.job(job.Key)
	if job.HasMin { // otherwise its queue keeps nothing for it, and nothing that is known of it changes
		le.l.accounts.refreshAll(j)
		le.l.Changes.mark(j)
	}
}

// Of is what becomes of the room that a job's queue keeps for it.
func (le *Lenders) Of(j JobID) Lending { return le.l.Jobs.rows[j].waits.lending }

// Len is the number of jobs that lend.
func (le *Lenders) Len() int { return le.count }

// forget ends a life's lending.
func (le *Lenders) forget(job *Job) {
	if job.waits.lending == Lends {
		le.count--
	}
	job.waits.lending = Keeps
}

// Wait says that a job waits from a time on, as if its pods had come then: they may have come
// earlier. It outlives the cycle as Lend does.
func (le *Lenders) Wait(j JobID, from int64) {
	job := &le.l.Jobs.rows[j]
	if job.waits.from != from {
		job.waits.from = from
		le.l.Changes.recommitted.job(job.Key)
	}
}

// WaitsFrom is what Wait said; 0: nothing.
func (le *Lenders) WaitsFrom(j JobID) int64 { return le.l.Jobs.rows[j].waits.from }

// Awaits says that room is kept for a job of which no pod exists.
func (j *Job) Awaits() bool {
	return j.Tasks == 0 && slices.ContainsFunc(j.inqueue, func(kept int64) bool { return kept > 0 })
}

// Await says since when a job that was let in has had no pods; 0: it has some. It outlives the
// cycle as Lend does.
func (le *Lenders) Await(j JobID, since int64) {
	job := &le.l.Jobs.rows[j]
	if job.waits.podless != since {
		job.waits.podless = since
		le.l.Changes.recommitted.job(job.Key)
	}
}

// AwaitsFrom is what Await said; 0: nothing.
func (le *Lenders) AwaitsFrom(j JobID) int64 { return le.l.Jobs.rows[j].waits.podless }
