package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// quota is what a task of a class counts for in shares and quotas: its request
// without the place among a node's pods (decision 24).
func (l *Ledger) quota(c ClassID) resource.Vec {
	l.scratch = l.scratch.CopyFrom(l.classes[c].Request)
	if len(l.scratch) > int(resource.Pods) {
		l.scratch[resource.Pods] = 0
	}
	return l.scratch
}

// inJob adds (sign 1) or takes away (-1) what a task counts for in its job and, from
// there, in its queue and all the queue's ancestors.
func (l *Ledger) inJob(row *Task, sign int64) {
	job := &l.jobs[row.Job]
	role := &job.Roles[row.Role]
	one := int32(sign)
	job.By[row.Status] += one
	role.By[row.Status] += one
	class := &l.classes[row.Class]
	waits := row.Status == model.Pending
	if waits && row.Pod.Gated {
		job.Gated += one
		l.gate(job, class, sign)
		waits = false
	} else if waits && class.BestEffort {
		job.BestEffort += one
		role.BestEffort += one
	}
	held := row.Status.Holds() || row.Status == model.Pipelined
	if held || waits {
		for _, need := range class.Need {
			if need.Dim != resource.Pods {
				l.count(job, need.Dim, need.Amount*sign, held)
			}
		}
	}
	l.settle(row.Job, job)
}

// gate counts what gated members ask for: an admitted job reserves nothing for them.
func (l *Ledger) gate(job *Job, class *Class, sign int64) {
	for _, need := range class.Need {
		if need.Dim != resource.Pods {
			job.gatedNeed = job.gatedNeed.AddAt(need.Dim, need.Amount*sign)
			l.refresh(job, need.Dim)
		}
	}
}

// count adds x in one dimension to what a job asks for and, when held, to what it
// holds; its queues move with it.
func (l *Ledger) count(job *Job, d resource.Dim, x int64, held bool) {
	job.Request = job.Request.AddAt(d, x)
	if held {
		job.Allocated = job.Allocated.AddAt(d, x)
	}
	l.figuresAt++
	for q := job.Queue; q != NoQueue; q = l.queues[q].up {
		row := &l.queues[q]
		row.Request[d] = row.Request[d].Plus(x)
		if held {
			row.Allocated[d] = row.Allocated[d].Plus(x)
		}
	}
	if held {
		l.refresh(job, d)
	}
}

// settle keeps the job's place on the active list, and refreshes its reservation when
// its condition turned.
func (l *Ledger) settle(j JobID, job *Job) {
	if job.reserves != job.reserving() {
		l.refreshAll(j)
	}
	l.mark(j)
	l.activate(j)
}

// reserving says that an admitted job keeps room for what of its minResources is not
// allocated yet: while Inqueue, and while Running with its minimum placed (semantics
// §1.4, "inqueue").
func (j *Job) reserving() bool {
	if !j.HasMin {
		return false
	}
	allocated := j.By[model.Allocated] + j.By[model.Binding] + j.By[model.Bound] + j.By[model.Running]
	return j.Phase == model.GroupInqueue || j.Phase == model.GroupRunning && allocated >= j.MinMember
}

// floor is what of dimension d belongs to the job's minimum: minResources, or
// minMember times the mean member without them (decision 9).
func (j *Job) floor(d resource.Dim) int64 {
	if j.HasMin {
		return j.MinResources.Get(d)
	}
	if j.unfinished == 0 {
		return 0
	}
	return resource.MulDiv(j.Total.Get(d), int64(min(j.MinMember, j.unfinished)), int64(j.unfinished))
}

// refresh recomputes a job's part in its queue's Elastic and Inqueue in one dimension
// and passes the difference up the tree.
func (l *Ledger) refresh(job *Job, d resource.Dim) {
	floor, held := job.floor(d), job.Allocated.Get(d)
	elastic, inqueue := max(0, held-floor), int64(0)
	if job.reserves {
		inqueue = max(0, max(0, floor-held)-job.gatedNeed.Get(d))
	}
	for int(d) >= len(job.elastic) {
		job.elastic = append(job.elastic, 0)
		job.inqueue = append(job.inqueue, 0)
	}
	de, di := elastic-job.elastic[d], inqueue-job.inqueue[d]
	if de == 0 && di == 0 {
		return
	}
	job.elastic[d], job.inqueue[d] = elastic, inqueue
	l.figuresAt++
	for q := job.Queue; q != NoQueue; q = l.queues[q].up {
		row := &l.queues[q]
		row.Elastic[d] = row.Elastic[d].Plus(de)
		row.Inqueue[d] = row.Inqueue[d].Plus(di)
	}
}

// refreshAll is refresh in every dimension, after what the parts depend on changed.
func (l *Ledger) refreshAll(j JobID) {
	l.widen()
	job := &l.jobs[j]
	job.reserves = job.reserving()
	for d := range l.Dims.Len() {
		l.refresh(job, resource.Dim(d))
	}
	job.Changed++
}

// mark notes that a job was touched, for whoever looks at what changed.
func (l *Ledger) mark(j JobID) {
	job := &l.jobs[j]
	if !job.dirty {
		job.dirty = true
		l.dirty = append(l.dirty, j)
	}
}

// TakeDirty calls f for every job touched since the last call that still exists.
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

// wants says that something is left to decide for a job: members to place, or its
// admission.
func (j *Job) wants() bool {
	return j.By[model.Pending] > 0 || j.By[model.Pipelined] > 0 || j.By[model.Allocated] > 0 ||
		j.Exists() && j.Phase == model.GroupPending
}

// activate puts a job on the list of those with something left to decide, or takes
// it off.
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

// Active lists the jobs with something left to decide, in no order that may be
// decided by. The slice is good until the next change.
func (l *Ledger) Active() []JobID { return l.active }
