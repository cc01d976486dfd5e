package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// quota is what a task of a class counts for in shares and quotas: its request without dimension pods
// (decision 24).
func (l *Ledger) quota(c ClassID) resource.Vec {
	l.scratch = l.scratch.CopyFrom(l.classes[c].Request)
	if len(l.scratch) > int(resource.Pods) {
		l.scratch[resource.Pods] = 0
	}
	return l.scratch
}

// part is what a task counts for in its job, by its status. The zero part counts for nothing.
type part struct {
	status     model.Status
	counts     bool // it is a member at all
	held       bool // it holds room or is promised it
	asks       bool // it holds room or waits to be placed
	done       bool // it succeeded: its part of the minimum is not needed any more
	leaving    bool // it is terminating on a node
	gated      bool
	gatedNeed  bool // it is gated, and its request counts as gated
	invalid    bool // it is pending and set aside
	bestEffort bool // it is pending with an empty request
}

// partOf returns what a task counts for now.
func (l *Ledger) partOf(row *Task) part {
	p := part{status: row.Status, counts: true, held: row.Status.Holds() || row.Status == model.Pipelined}
	p.done, p.leaving = row.Status == model.Succeeded, row.Status == model.Releasing && row.Node != NoNode
	waits := row.Status == model.Pending
	p.gated, p.invalid = waits && row.Pod.Gated, waits && row.Unsound
	p.gatedNeed = p.gated && !p.invalid
	p.bestEffort = waits && !p.gated && l.classes[row.Class].BestEffort
	// A task at the gate of its queue asks for its share: the gate opens because of it. A task that is set
	// aside asks for nothing, because it is never placed.
	p.asks = p.held || waits && !p.invalid && !l.muted(row) && (!p.gated || row.Pod.QueueGate == model.QueueGateShut)
	return p
}

// muted says that the pending tasks of a task's job ask for nothing.
func (l *Ledger) muted(row *Task) bool { return row.Job != NoJob && l.jobs[row.Job].mute }

// recount replaces what a task counts for in its job, in its queue and in the queue's ancestors. It changes
// only what differs.
func (l *Ledger) recount(row *Task, was, is part) {
	job := &l.jobs[row.Job]
	role := &job.Roles[row.Role]
	if was.counts {
		job.By[was.status]--
		role.By[was.status]--
	}
	if is.counts {
		job.By[is.status]++
		role.By[is.status]++
	}
	bestEffort, leaving := int32(change(was.bestEffort, is.bestEffort)), int32(change(was.leaving, is.leaving))
	job.BestEffort, job.Leaving = job.BestEffort+bestEffort, job.Leaving+leaving
	role.BestEffort, role.Leaving = role.BestEffort+bestEffort, role.Leaving+leaving
	if row.Sub >= 0 {
		job.Subs[row.Sub].move(was, is)
	}
	job.Gated += int32(change(was.gated, is.gated))
	job.Invalid += int32(change(was.invalid, is.invalid))
	gated := change(was.gatedNeed, is.gatedNeed)
	held, asks, done := change(was.held, is.held), change(was.asks, is.asks), change(was.done, is.done)
	if gated != 0 || held != 0 || asks != 0 || done != 0 {
		for _, need := range l.classes[row.Class].Need {
			if need.Dim == resource.Pods {
				continue
			}
			l.count(job, need.Dim, need.Amount*asks, need.Amount*held, need.Amount*gated)
			if done != 0 {
				job.doneNeed = job.doneNeed.AddAt(need.Dim, need.Amount*done)
				l.refresh(job, need.Dim)
			}
		}
	}
	l.settle(row.Job, job)
}

// move replaces what a member counts for.
func (c *Count) move(was, is part) {
	if was.counts {
		c.By[was.status]--
	}
	if is.counts {
		c.By[is.status]++
	}
	c.BestEffort += int32(change(was.bestEffort, is.bestEffort))
	c.Leaving += int32(change(was.leaving, is.leaving))
}

func change(was, is bool) (d int64) {
	if is {
		d++
	}
	if was {
		d--
	}
	return d
}

// count adds, in one dimension, to what a job asks for, holds, and has gated (an admitted job reserves nothing
// for gated members). Its queue and the queue's ancestors change along.
func (l *Ledger) count(job *Job, d resource.Dim, asks, held, gated int64) {
	if gated != 0 {
		job.gatedNeed = job.gatedNeed.AddAt(d, gated)
	}
	if asks != 0 {
		job.Request = job.Request.AddAt(d, asks)
	}
	if held != 0 {
		job.Allocated = job.Allocated.AddAt(d, held)
	}
	if asks != 0 || held != 0 {
		l.usageEpoch++
		addQueue(&l.Changes.QueueUsage, job.Queue)
		for q := job.Queue; q != NoQueue; q = l.queues[q].up {
			row := &l.queues[q]
			row.Request[d] = row.Request[d].Plus(asks)
			row.Allocated[d] = row.Allocated[d].Plus(held)
			row.Moved = l.usageEpoch
		}
	}
	if held != 0 || gated != 0 {
		l.refresh(job, d)
	}
}

// settle keeps the job's place on the active list, and updates its reservation when its condition changed.
func (l *Ledger) settle(j JobID, job *Job) {
	if job.reserves != job.reserving() {
		l.refreshAll(j)
	}
	l.mark(j)
	l.activate(j)
	l.rate(j, job)
}

// rate notes whether a job holds more than its minimum. When that changes, its members may be evicted where
// they might not before, or the reverse. So their nodes are touched, and readers that sum up what nodes could
// free look at them again.
func (l *Ledger) rate(j JobID, job *Job) {
	above := job.By[model.Allocated]+job.By[model.Binding]+job.By[model.Bound]+job.By[model.Running] > job.MinMember
	if above == job.above {
		return
	}
	job.above = above
	l.touchMembers(j)
}

// touchMembers touches the nodes of the members that could be evicted: what they count for there has changed,
// though they have not moved.
func (l *Ledger) touchMembers(j JobID) {
	for _, s := range [...]model.Status{model.Bound, model.Running, model.Pipelined} {
		for t := l.jobs[j].first[s]; t != NoTask; t = l.tasks[t].jobNext {
			l.touchNode(l.tasks[t].Node)
		}
	}
}

// reserving says that an admitted job keeps room for the part of its minResources that is not allocated yet
// (its queue's "inqueue"): while it is Inqueue, or as long as members hold room and are not terminating. The
// room of a lost member stays reserved, that of a member that succeeded does not. A job reserves nothing while
// the nodes could never hold it (LendsAll), or while it pauses.
func (j *Job) reserving() bool {
	return j.HasMin && j.lending != LendsAll && !j.paused && !j.mute && (j.Phase == model.GroupInqueue || j.Staying() > 0)
}

// Done is what the members that succeeded asked for in dimension d: their part of the minimum is not needed
// any more.
func (j *Job) Done(d resource.Dim) int64 { return j.doneNeed.Get(d) }

// Asks is what admission of a job would add, in dimension d, to what its queue holds and keeps: the part of
// its minResources that it neither holds nor has reserved.
func (j *Job) Asks(d resource.Dim) int64 {
	return max(0, max(0, j.MinResources.Get(d)-j.Allocated.Get(d))-j.inqueue.Get(d))
}

// Short says that members of a job hold room while others of its minimum are lost, or never held any.
// Terminating members are not lost yet.
func (j *Job) Short() bool { return j.Staying() > 0 && !j.Met((*Count).NotGone) }

// floor is the part of the job's minimum in dimension d: minResources, or without them minMember times the
// mean of its members (decision 9).
func (j *Job) floor(d resource.Dim) int64 {
	if j.HasMin {
		return j.MinResources.Get(d)
	}
	if j.unfinished == 0 {
		return 0
	}
	return resource.MulDiv(j.Total.Get(d), int64(min(j.MinMember, j.unfinished)), int64(j.unfinished))
}

// refresh computes a job's part in its queue's Elastic, Inqueue and Lent in one dimension, and passes the
// difference on to the queue and its ancestors.
func (l *Ledger) refresh(job *Job, d resource.Dim) {
	floor, held := job.floor(d), job.Allocated.Get(d)
	elastic, inqueue := max(0, held-floor), int64(0)
	if job.reserves {
		inqueue = max(0, max(0, max(0, floor-held)-job.gatedNeed.Get(d))-job.Done(d))
	}
	lent := int64(0)
	if job.lending == Lends {
		lent = inqueue
	}
	de, di, dl := elastic-job.elastic.Get(d), inqueue-job.inqueue.Get(d), lent-job.lent.Get(d)
	if de == 0 && di == 0 && dl == 0 {
		return
	}
	if dl != 0 {
		job.lent = job.lent.Set(d, lent)
	}
	if de != 0 {
		job.elastic = job.elastic.Set(d, elastic)
	}
	if di != 0 {
		job.inqueue = job.inqueue.Set(d, inqueue)
	}
	l.usageEpoch++
	for q := job.Queue; q != NoQueue; q = l.queues[q].up {
		row := &l.queues[q]
		row.Elastic[d] = row.Elastic[d].Plus(de)
		row.Inqueue[d] = row.Inqueue[d].Plus(di)
		row.Lent[d] = row.Lent[d].Plus(dl)
	}
}

// refreshAll is refresh in every dimension, after a change of what these parts depend on.
func (l *Ledger) refreshAll(j JobID) {
	l.widen()
	job := &l.jobs[j]
	job.reserves = job.reserving()
	for d := range l.Dims.Len() {
		l.refresh(job, resource.Dim(d))
	}
	job.Changed++
	l.markStirred(j, job)
}

// mark notes that a job changed, for TakeDirty and TakeStirred.
func (l *Ledger) mark(j JobID) {
	job := &l.jobs[j]
	if !job.dirty {
		job.dirty = true
		l.dirty = append(l.dirty, j)
	}
	l.markStirred(j, job)
}

func (l *Ledger) markStirred(j JobID, job *Job) {
	if !job.stirred {
		job.stirred = true
		l.stirred = append(l.stirred, j)
	}
}

// TakeStirred calls f for every job that changed since the last call, also if the job is gone, or if only a
// failed try changed it: what was remembered of it may not hold any more.
func (l *Ledger) TakeStirred(f func(JobID)) {
	for _, j := range l.stirred {
		l.jobs[j].stirred = false
		f(j)
	}
	l.stirred = l.stirred[:0]
}

// Wants says that something is left to decide for a job: it is one of Active.
func (l *Ledger) Wants(j JobID) bool { return l.jobs[j].activeAt >= 0 }

// TakeDirty calls f for every job that changed since the last call and still exists.
func (l *Ledger) TakeDirty(f func(JobID)) {
	for i := 0; i < len(l.dirty); i++ {
		j := l.dirty[i]
		l.jobs[j].dirty = false
		if !l.jobs[j].free {
			f(j)
		}
	}
	l.dirty = l.dirty[:0]
}

// wants says that something is left to decide for a job: members to place, or its admission.
func (j *Job) wants() bool {
	return j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.By[model.Allocated] > 0 ||
		j.Exists() && j.AwaitsAdmission()
}

// activate puts a job on the list of jobs with something left to decide, or takes it off.
func (l *Ledger) activate(j JobID) {
	job := &l.jobs[j]
	switch want := job.wants(); {
	case want && job.activeAt < 0:
		job.activeAt = int32(len(l.active))
		l.active = append(l.active, j)
	case !want && job.activeAt >= 0:
		l.deactivate(j)
	}
}

func (l *Ledger) deactivate(j JobID) {
	at := l.jobs[j].activeAt
	if at < 0 {
		return
	}
	last := l.active[len(l.active)-1]
	l.active[at] = last
	l.jobs[last].activeAt = at
	l.active = l.active[:len(l.active)-1]
	l.jobs[j].activeAt = -1
}

// Waiting says that some job has a pending member without a scheduling gate.
func (l *Ledger) Waiting() bool {
	for _, j := range l.active { // order-free: any will do
		if l.jobs[j].By[model.Pending] > l.jobs[j].Gated {
			return true
		}
	}
	return false
}

// Active lists the jobs with something left to decide. Decisions must not depend on the order. The slice is
// valid until the next change.
func (l *Ledger) Active() []JobID { return l.active }
