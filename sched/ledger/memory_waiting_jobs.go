package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// WaitingJobs remembers of admitted jobs that wait since when they do, since when they have lacked pods, and what
// becomes of the room that their queues keep for them meanwhile.
type WaitingJobs struct {
	l *Ledger

	count  int  // jobs that lend
	voting bool // see Vote
}

// Lending is what becomes of the room that a queue keeps for the minimum of an admitted job, while no node has room
// for the job.
type Lending uint8

// The kinds of lending.
const (
	LendsNone Lending = iota // the room is kept: no other job may count on it
	Lends                    // it is kept, and lent to jobs that start at once with it
	LendsAll                 // nothing is kept: the nodes could never hold the minimum, or the pods do not come
)

// Lend sets what becomes of the room that a job's queue keeps for it. It outlives the cycle as a commitment that no
// API field keeps: after a restart a job keeps its room until it is refused once more.
func (wj *WaitingJobs) Lend(j JobID, how Lending) {
	job := &wj.l.Jobs.rows[j]
	if job.waits.lending == how {
		return
	}
	if job.waits.lending == Lends {
		wj.count--
	}
	if how == Lends {
		wj.count++
	}
	job.waits.lending = how
	wj.l.Changes.recommitted.job(job.Key)
	if job.HasMin { // otherwise its queue keeps nothing for it, and no figure changes
		wj.l.accounts.refreshAll(j)
		wj.l.Changes.mark(j)
	}
}

// Lending returns what becomes of the room that a job's queue keeps for it.
func (wj *WaitingJobs) Lending(j JobID) Lending { return wj.l.Jobs.rows[j].waits.lending }

// LenderCount is the number of jobs that lend.
func (wj *WaitingJobs) LenderCount() int { return wj.count }

// forget ends the lending of a job that another PodGroup of its name replaces.
func (wj *WaitingJobs) forget(job *Job) {
	if job.waits.lending == Lends {
		wj.count--
	}
	job.waits.lending = LendsNone
}

// SetWaitsFrom sets the time from which a job counts as waiting, whenever its pods came. It outlives the cycle as Lend
// does.
func (wj *WaitingJobs) SetWaitsFrom(j JobID, from int64) {
	wj.set(j, &wj.l.Jobs.rows[j].waits.from, from)
}

// set changes a time that is remembered of a job.
func (wj *WaitingJobs) set(j JobID, at *int64, to int64) {
	if *at != to {
		*at = to
		wj.l.Changes.recommitted.job(wj.l.Jobs.rows[j].Key)
	}
}

// WaitsFrom returns what SetWaitsFrom set; 0: nothing.
func (wj *WaitingJobs) WaitsFrom(j JobID) int64 { return wj.l.Jobs.rows[j].waits.from }

// Vote says that from now on whatever a job may keep room for was decided with this ledger. What PodGroups showed
// before was decided by an earlier scheduler, as far as can be told.
func (wj *WaitingJobs) Vote() { wj.voting = true }

// changes notes what no vote let a job in for, before its PodGroup is another one, or gone.
func (wj *WaitingJobs) changes(job *Job, to *model.PodGroup) {
	unvoted := letInByOthers(job.Group, to) && !job.decided.open || asksForMore(job.Group, to)
	if wj.voting && (unvoted || to == nil && job.Tasks > 0) {
		wj.lapse(job, true)
	}
}

// letInByOthers says that a PodGroup was made as one that is let in, or was changed into one.
func letInByOthers(was, is *model.PodGroup) bool {
	return is != nil && is.Phase == model.GroupInqueue &&
		(was == nil || was.Phase != model.GroupInqueue || was.UID != is.UID)
}

// asksForMore says that a PodGroup asks for more than before.
func asksForMore(was, is *model.PodGroup) bool {
	if was == nil || is == nil {
		return false
	}
	before := was.MinResources
	for _, a := range is.MinResources { // both are in the order of names
		for len(before) > 0 && before[0].Name < a.Name {
			before = before[1:]
		}
		had := int64(0)
		if len(before) > 0 && before[0].Name == a.Name {
			had = before[0].Value
		}
		if a.Value > had {
			return true
		}
	}
	return false
}

// Lapse notes that a job's queue keeps room only for the job's pods that exist, and none for pods that are to come:
// they did not come in time, or nothing let the job in for what its PodGroup asks for now. It outlives the cycle as
// Lend does.
func (wj *WaitingJobs) Lapse(j JobID) { wj.setLapsed(j, true) }

// EndLapse is the inverse of Lapse: the queue keeps room for pods that are to come.
func (wj *WaitingJobs) EndLapse(j JobID) { wj.setLapsed(j, false) }

func (wj *WaitingJobs) setLapsed(j JobID, is bool) {
	if job := &wj.l.Jobs.rows[j]; wj.lapse(job, is) && job.HasMin {
		wj.l.accounts.refreshAll(j)
		wj.l.Changes.mark(j)
	}
}

// lapse is setLapsed without the figures. It says whether anything changed.
func (wj *WaitingJobs) lapse(job *Job, is bool) bool {
	if job.waits.lapsed == is {
		return false
	}
	job.waits.lapsed = is
	wj.l.Changes.recommitted.job(job.Key)
	return true
}

// Lapsed says that a Lapse of the job has not ended.
func (wj *WaitingJobs) Lapsed(j JobID) bool { return wj.l.Jobs.rows[j].waits.lapsed }

// MoreToCome says that pods of an admitted job are still to come: its minResources are more than what its members
// hold and its waiting members ask for.
func (j *Job) MoreToCome() bool {
	for d := range j.MinResources {
		if d := resource.Dim(d); j.owed(d) > j.waiting(d) {
			return true
		}
	}
	return false
}

// Incomplete says that a job cannot have its minimum with the members that it has, whatever room there is: there are
// too few of them, or too few that may be placed.
func (j *Job) Incomplete() bool {
	return j.Tasks == 0 || j.Count.lacking(j.MinMember)+j.Gated+j.Invalid > 0 && j.Staying() < j.MinMember ||
		!j.Met(func(c *Count) int32 { return c.Valid() + c.By[model.Unknown] })
}

// LacksPods says that a job has no pod at all, or that members hold room and others of its minimum have no pod, whether
// or not it is in a backoff.
func (j *Job) LacksPods() bool { return j.Tasks == 0 || j.missing() > 0 }

// Awaits says that room is kept for a job that lacks pods, cannot have its minimum with those that it has, or has
// more to come.
func (j *Job) Awaits() bool {
	return slices.ContainsFunc(j.inqueue, func(kept int64) bool { return kept > 0 }) &&
		(j.LacksPods() || j.Incomplete() || j.MoreToCome())
}

// SetPodlessFrom sets the time since which an admitted job has lacked pods, in any of the ways of Awaits; 0: it lacks
// none. It outlives the cycle as Lend does.
func (wj *WaitingJobs) SetPodlessFrom(j JobID, since int64) {
	wj.set(j, &wj.l.Jobs.rows[j].waits.podless, since)
}

// PodlessFrom returns what SetPodlessFrom set; 0: nothing.
func (wj *WaitingJobs) PodlessFrom(j JobID) int64 { return wj.l.Jobs.rows[j].waits.podless }
