package ledger

import "slices"

// Lenders holds what becomes of the room that queues keep for admitted jobs that wait.
type Lenders struct {
	l *Ledger

	count int // jobs that lend
}

// Lending is what becomes of the room that a queue keeps for the minimum of an admitted job, while no node has room
// for the job.
type Lending uint8

// The kinds of lending.
const (
	Keeps    Lending = iota // the room is kept: no other job may count on it
	Lends                   // it is kept, and lent to jobs that start at once with it
	LendsAll                // nothing is kept: the nodes could never hold the minimum, or the pods do not come
)

// Lend sets what becomes of the room that a job's queue keeps for it. It outlives the cycle as a commitment that no
// API field keeps: after a restart a job keeps its room until it is refused once more.
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
	if job.HasMin { // otherwise its queue keeps nothing for it, and no figure changes
		le.l.accounts.refreshAll(j)
		le.l.Changes.mark(j)
	}
}

// Of returns what becomes of the room that a job's queue keeps for it.
func (le *Lenders) Of(j JobID) Lending { return le.l.Jobs.rows[j].waits.lending }

// Len is the number of jobs that lend.
func (le *Lenders) Len() int { return le.count }

// forget ends the lending of a job that another PodGroup of its name replaces.
func (le *Lenders) forget(job *Job) {
	if job.waits.lending == Lends {
		le.count--
	}
	job.waits.lending = Keeps
}

// Wait sets the time from which a job counts as waiting, whenever its pods came. It outlives the cycle as Lend does.
func (le *Lenders) Wait(j JobID, from int64) {
	le.set(j, &le.l.Jobs.rows[j].waits.from, from)
}

// set changes a time that is remembered of a job.
func (le *Lenders) set(j JobID, at *int64, to int64) {
	if *at != to {
		*at = to
		le.l.Changes.recommitted.job(le.l.Jobs.rows[j].Key)
	}
}

// WaitsFrom returns what Wait set; 0: nothing.
func (le *Lenders) WaitsFrom(j JobID) int64 { return le.l.Jobs.rows[j].waits.from }

// LacksPods says that a job has no pod at all, or that members hold room and others of its minimum have no pod, whether
// or not it pauses.
func (j *Job) LacksPods() bool { return j.Tasks == 0 || j.missing() > 0 }

// Awaits says that room is kept for members of a job of which no pod exists.
func (j *Job) Awaits() bool {
	return j.LacksPods() && slices.ContainsFunc(j.inqueue, func(kept int64) bool { return kept > 0 })
}

// Await sets the time since which an admitted job has lacked pods (LacksPods); 0: it lacks none. It outlives the cycle
// as Lend does.
func (le *Lenders) Await(j JobID, since int64) {
	le.set(j, &le.l.Jobs.rows[j].waits.podless, since)
}

// AwaitsFrom returns what Await set; 0: nothing.
func (le *Lenders) AwaitsFrom(j JobID) int64 { return le.l.Jobs.rows[j].waits.podless }
