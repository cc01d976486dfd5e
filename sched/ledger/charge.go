package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// A job that runs counts in the queue in which it was started, until it ends. A user may edit its PodGroup,
// name another queue in it, or delete it, and a pod's annotations may name another PodGroup, or none: none of
// this gives its queue room, or takes room from another queue.
//
// A member is charged from the cycle on in which it is known to hold room, or to be bound. As long as a job
// has charged members, its queue does not change. A charged member stays in its job, unless the job that it
// names now counts in the same queue. The ledger remembers this; the part that does not follow from facts is a
// commitment (Charges).

// holdsRoom says that a task has a node, is terminating on one, or is being bound to one.
func (t *Task) holdsRoom() bool {
	switch t.Status {
	case model.Binding, model.Bound, model.Running, model.Unknown, model.Releasing:
		return t.Node != NoNode
	}
	return false
}

// willHold is holdsRoom for a fact and a commitment that are about to become the task's.
func willHold(p *model.Pod, held *Commitment) bool {
	return !podFinished(p) && (p.Node != "" || held.Kind == CommitBind)
}

// Charged says that a task counts in its job's queue until it ends.
func (t *Task) Charged() bool { return t.charged }

// awaitCharge notes a task that may have begun to hold room.
func (l *Ledger) awaitCharge(t TaskID) {
	if row := &l.tasks[t]; row.Job != NoJob && !row.charged && row.holdsRoom() {
		l.uncharged = append(l.uncharged, t)
	}
}

// Charge charges the tasks that have begun to hold room since the last call. It is called when a cycle begins,
// with all facts known, and when it ends, with all binds known.
func (l *Ledger) Charge() {
	l.uncharged = slices.DeleteFunc(l.uncharged, func(t TaskID) bool {
		row := &l.tasks[t]
		if row.free || row.charged || row.Job == NoJob || row.nominated || !row.holdsRoom() {
			return true
		}
		if l.jobs[row.Job].charged == 0 {
			if _, sure := l.chargedTo(row.Job); !sure {
				return false // tried again when more is known
			}
		}
		l.charge(t)
		return true
	})
	l.bringBack()
	l.forgetMoved()
}

// forgetMoved drops from moving the jobs that count in the queue that facts name.
func (l *Ledger) forgetMoved() {
	slices.Sort(l.moving)
	l.moving = slices.DeleteFunc(slices.Compact(l.moving), func(j JobID) bool {
		gone := !l.moves(j)
		l.jobs[j].apart = !gone
		return gone
	})
}

// charge makes a task count in its job's queue from now on.
func (l *Ledger) charge(t TaskID) {
	row := &l.tasks[t]
	row.charged = true
	job := &l.jobs[row.Job]
	if job.charged++; !job.Exists() || row.Pod.Adopt.Open {
		l.touchNode(row.Node) // it may be evicted now, and might not before
		l.apart(row.Job)
	}
}

// apart notes a job with charged members that may count in another queue than facts name. There are few such
// jobs, and Charges looks at them only.
func (l *Ledger) apart(j JobID) {
	if job := &l.jobs[j]; job.charged > 0 && !job.apart {
		job.apart = true
		l.moving = append(l.moving, j)
	}
}

// moves says that a job counts in another queue than facts name, or that they do not suffice to know.
func (l *Ledger) moves(j JobID) bool {
	job := &l.jobs[j]
	if job.free || !job.apart || job.charged == 0 {
		return false
	}
	queue, sure := l.chargedTo(j)
	return !sure || queue != l.queues[job.Queue].Name
}

// discharge is the inverse of charge. With the last charged member, the job counts in the queue that facts
// name.
func (l *Ledger) discharge(t TaskID) {
	row := &l.tasks[t]
	row.charged = false
	if l.jobs[row.Job].charged--; l.jobs[row.Job].charged == 0 {
		l.define(row.Job)
	}
}

// chargedTo returns the queue that facts name for a job, in which it counts while no member is charged. It is
// not sure while the PodGroup is missing, or, for an adopted job, while the pods' owner is not known.
func (l *Ledger) chargedTo(j JobID) (queue string, sure bool) {
	job := &l.jobs[j]
	return l.named(j), job.Group != nil || job.Key.Adopted && !l.tasks[job.definer].Pod.Adopt.Open
}

// named is the queue that facts name for a job: the queue of its PodGroup, or of its oldest member.
func (l *Ledger) named(j JobID) string {
	job, queue := &l.jobs[j], ""
	switch {
	case job.Group != nil:
		queue = job.Group.Queue
	case job.definer != NoTask:
		queue = l.tasks[job.definer].Pod.Adopt.Queue
	}
	if queue == "" {
		return model.DefaultQueue
	}
	return queue
}

// stay returns the job that a charged member stays in, whatever job its new fact names, as long as it holds
// room. NoJob: the fact decides.
func (l *Ledger) stay(row *Task, p *model.Pod, held *Commitment) JobID {
	if !row.charged || !willHold(p, held) {
		return NoJob
	}
	return row.Job
}

// strays says that a charged member's fact names another job than the one it stays in.
func (l *Ledger) strays(row *Task) bool {
	return !row.Pod.Ours || KeyOf(row.Pod) != l.jobs[row.Job].Key
}

// stray notes a member that is in another job than it names.
func (l *Ledger) stray(t TaskID) {
	if row := &l.tasks[t]; row.charged && l.strays(row) {
		l.strayed = append(l.strayed, t)
	}
}

// bringBack moves members to the jobs they name, if these count in the same queue. All other members stay.
func (l *Ledger) bringBack() {
	if len(l.strayed) == 0 {
		return
	}
	slices.SortFunc(l.strayed, func(a, b TaskID) int { return l.tasks[a].Key.Compare(l.tasks[b].Key) })
	l.strayed = slices.DeleteFunc(slices.Compact(l.strayed), func(t TaskID) bool {
		row := &l.tasks[t]
		if row.free || !row.charged || !l.strays(row) {
			return true
		}
		to, known := l.FindJob(KeyOf(row.Pod))
		if !row.Pod.Ours || !known || !l.jobs[to].serves() || l.jobs[to].Queue != l.jobs[row.Job].Queue {
			return false
		}
		l.rejoin(t, to)
		l.charge(t)
		return true
	})
}

// rejoin moves a task to the job to, or, if that is NoJob, to the job that it names, if any. Its status and
// node stay.
func (l *Ledger) rejoin(t TaskID, to JobID) {
	row := &l.tasks[t]
	class := row.Class
	l.classes[class].refs++
	job, node := l.detach(t)
	l.addTask(t, row.Pod, row.Held, to)
	l.dropClass(class)
	l.readmit(job)
	l.dropUnnamed(job, node)
}

// serves says that a job's pods may be placed as far as its PodGroup goes: it exists and is not set aside.
// Pending tasks of other jobs ask for nothing, so no queue's deserved share depends on them.
func (j *Job) serves() bool { return j.Exists() && !j.setAside() }

// mute makes a job's pending tasks ask for nothing (is), or ask again.
func (l *Ledger) mute(j JobID, is bool) {
	job := &l.jobs[j]
	if job.mute == is {
		return
	}
	for t := job.first[model.Pending]; t != NoTask; t = l.tasks[t].jobNext {
		row := &l.tasks[t]
		job.mute = !is
		was := l.partOf(row)
		job.mute = is
		l.recount(row, was, l.partOf(row))
	}
	job.mute = is
}

// Moving returns the queue that facts name for a job, and true if the job counts in another one.
func (l *Ledger) Moving(j JobID) (named string, other bool) {
	named = l.named(j)
	return named, l.jobs[j].charged > 0 && named != l.QueueName(j)
}

// Strayed calls f for every member that is in another job than it names, in no order.
func (l *Ledger) Strayed(f func(TaskID)) {
	list := slices.Clone(l.strayed)
	slices.Sort(list)
	for _, t := range slices.Compact(list) {
		if row := &l.tasks[t]; !row.free && row.charged && l.strays(row) {
			f(t)
		}
	}
}

// Charges are the jobs and members that count in another place than follows from the facts. No API field keeps
// them: over a restart they are lost, and running jobs count in the queues that facts name then.
type Charges struct {
	Jobs    []ChargedJob    // by job
	Members []ChargedMember // by pod
}

// ChargedJob is the queue in which a job counts, where the facts alone name another, or do not suffice to
// know.
type ChargedJob struct {
	Job   JobKey
	Queue string
}

// ChargedMember is a pod that stays in another job than the one it names.
type ChargedMember struct {
	Pod Key
	UID string
	Job JobKey
}

// Charges lists them.
func (l *Ledger) Charges() (out Charges) {
	l.forgetMoved()
	for _, j := range l.moving {
		out.Jobs = append(out.Jobs, ChargedJob{l.jobs[j].Key, l.queues[l.jobs[j].Queue].Name})
	}
	l.Strayed(func(t TaskID) {
		row := &l.tasks[t]
		out.Members = append(out.Members, ChargedMember{row.Key, row.Pod.UID, l.jobs[row.Job].Key})
	})
	slices.SortFunc(out.Jobs, func(a, b ChargedJob) int { return a.Job.Compare(b.Job) })
	slices.SortFunc(out.Members, func(a, b ChargedMember) int { return a.Pod.Compare(b.Pod) })
	return out
}

// RestoreCharges takes over the Charges of an earlier engine, and charges all other tasks that hold room.
func (l *Ledger) RestoreCharges(c Charges) {
	for _, m := range c.Members {
		t, known := l.FindTask(m.Pod)
		if !known || l.tasks[t].Pod.UID != m.UID || !l.tasks[t].holdsRoom() {
			continue
		}
		l.rejoin(t, l.job(m.Job))
		l.charge(t)
		l.stray(t)
	}
	for _, m := range c.Members { // the queue was found before all members of the job were there
		if j, known := l.FindJob(m.Job); known {
			l.setQueue(j, l.queue(l.named(j)))
		}
	}
	for _, x := range c.Jobs {
		if j, known := l.FindJob(x.Job); known {
			l.keepQueue(j, x.Queue)
		}
	}
	l.Charge()
}

// keepQueue makes a job with members that hold room count in a queue.
func (l *Ledger) keepQueue(j JobID, queue string) {
	for s := range l.jobs[j].first {
		for t := l.jobs[j].first[s]; t != NoTask; t = l.tasks[t].jobNext {
			if row := &l.tasks[t]; row.holdsRoom() {
				l.setQueue(j, l.queue(queue))
				if !row.charged {
					l.charge(t)
				}
				l.apart(j)
			}
		}
	}
}

// charges checks that charged members hold room and are in a job, and the number of charged members of each
// job.
func (a *auditor) charges() {
	l := a.l
	want := make([]int32, len(l.jobs))
	for t := range l.tasks {
		row := &l.tasks[t]
		if row.free || !row.charged {
			continue
		}
		if row.Job == NoJob || !row.holdsRoom() {
			a.say("task %v: charged, and holds no room in any job", row.Key)
			continue
		}
		want[row.Job]++
	}
	for j := range l.jobs {
		job := &l.jobs[j]
		if job.free {
			continue
		}
		if job.charged != want[j] {
			a.say("job %v: %d charged members, recounted %d", job.Key, job.charged, want[j])
		}
		if noted := job.apart; job.charged > 0 && !noted {
			job.apart = true // moves looks at noted jobs only
			if l.moves(JobID(j)) {
				a.say("job %v: counts apart from what facts say, and is not noted", job.Key)
			}
			job.apart = false
		}
		if is := l.queues[job.Queue].Name; job.charged == 0 && is != l.named(JobID(j)) || job.mute == job.serves() {
			a.say("job %v: counts in %s, mute %t, recounted %s, %t", job.Key, is, job.mute, l.named(JobID(j)), !job.serves())
		}
	}
}
