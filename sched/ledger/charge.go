package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// What runs counts in the queue in which it was let run, until it ends. Its PodGroup may be edited
// until it means nothing, name another queue, or be deleted, and the annotations of a pod may
// name another PodGroup, or none: none of it gives its queue room, or takes any from another.
//
// A member is charged from the cycle on in which it is known to hold room, or to be about to. The
// queue of a job with charged members stays as it is, and a charged member stays in its job unless
// the one that it names now counts in the same queue. That is remembered, and what does not
// follow from facts is a commitment (Charges).

// holdsRoom says that a task has a node, leaves one, or is being bound to one.
func (t *Task) holdsRoom() bool {
	switch t.Status {
	case model.Binding, model.Bound, model.Running, model.Unknown, model.Releasing:
		return t.Node != NoNode
	}
	return false
}

// willHold is holdsRoom of a task with a fact and a commitment that are about to be its own.
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

// Charge charges queues for what has begun to hold room since the last call: when a cycle begins, all
// facts being known, and when it ends, all binds.
func (l *Ledger) Charge() {
	l.uncharged = slices.DeleteFunc(l.uncharged, func(t TaskID) bool {
		row := &l.tasks[t]
		if row.free || row.charged || row.Job == NoJob || row.nominated || !row.holdsRoom() {
			return true
		}
		if l.jobs[row.Job].charged == 0 {
			if _, sure := l.chargedTo(row.Job); !sure {
				return false // once more is known
			}
		}
		l.charge(t)
		return true
	})
	l.bringBack()
	l.forgetMoved()
}

// forgetMoved drops the jobs that count where facts have them.
func (l *Ledger) forgetMoved() {
	slices.Sort(l.moving)
	l.moving = slices.DeleteFunc(slices.Compact(l.moving), func(j JobID) bool {
		gone := !l.moves(j)
		l.jobs[j].apart = !gone
		return gone
	})
}

// charge says that a task counts in its job's queue from now on.
func (l *Ledger) charge(t TaskID) {
	row := &l.tasks[t]
	row.charged = true
	job := &l.jobs[row.Job]
	if job.charged++; !job.Exists() || row.Pod.Adopt.Open {
		l.touchNode(row.Node) // it may be asked to leave, which it might not before
		l.apart(row.Job)
	}
}

// apart notes a job with charged members that may count in another queue than facts alone would have
// it: those are few, and Charges looks at no others.
func (l *Ledger) apart(j JobID) {
	if job := &l.jobs[j]; job.charged > 0 && !job.apart {
		job.apart = true
		l.moving = append(l.moving, j)
	}
}

// moves says that a job counts in another queue than facts alone would have it, or that they are not
// enough to know.
func (l *Ledger) moves(j JobID) bool {
	job := &l.jobs[j]
	if job.free || !job.apart || job.charged == 0 {
		return false
	}
	queue, sure := l.chargedTo(j)
	return !sure || queue != l.queues[job.Queue].Name
}

// discharge ends that; with the last of its members a job counts where facts say.
func (l *Ledger) discharge(t TaskID) {
	row := &l.tasks[t]
	row.charged = false
	if l.jobs[row.Job].charged--; l.jobs[row.Job].charged == 0 {
		l.define(row.Job)
	}
}

// chargedTo is the queue in which a job counts of which no member is charged yet: the one that facts
// name. It is not sure as long as the owner of an adopted job's pods was not heard, or of pods whose
// PodGroup is missing.
func (l *Ledger) chargedTo(j JobID) (queue string, sure bool) {
	job := &l.jobs[j]
	return l.named(j), job.Group != nil || job.Key.Adopted && !l.tasks[job.definer].Pod.Adopt.Open
}

// named is the queue that facts name for a job: its PodGroup, or its oldest member.
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

// stay is the job that a pod's new fact leaves it in, whatever it names: that of a charged member
// which still holds room. NoJob where the fact decides.
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

// stray notes a member that stays in another job than it names.
func (l *Ledger) stray(t TaskID) {
	if row := &l.tasks[t]; row.charged && l.strays(row) {
		l.strayed = append(l.strayed, t)
	}
}

// bringBack moves members to the jobs they name, where those count in the same queue. The others stay.
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

// rejoin makes a task a member of another job than it was, as it stands: where to is none, of the one
// that it names, if any.
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

// serves says that a job's pods may be placed as far as its PodGroup goes: it is there and was not set
// aside. What waits in another asks for nothing, so that no queue deserves more or less for it.
func (j *Job) serves() bool { return j.Exists() && !j.setAside() }

// mute makes what waits in a job ask for nothing, or ask again.
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

// Moving is the queue that facts name for a job which counts in another; false where that is the same.
func (l *Ledger) Moving(j JobID) (named string, other bool) {
	named = l.named(j)
	return named, l.jobs[j].charged > 0 && named != l.QueueName(j)
}

// Strayed calls f for every member that stays in another job than it names, in no order.
func (l *Ledger) Strayed(f func(TaskID)) {
	list := slices.Clone(l.strayed)
	slices.Sort(list)
	for _, t := range slices.Compact(list) {
		if row := &l.tasks[t]; !row.free && row.charged && l.strays(row) {
			f(t)
		}
	}
}

// Charges are what is remembered of who counts where and does not follow from facts. No API field
// keeps it: over a restart it is lost, and what runs counts where facts say by then.
type Charges struct {
	Jobs    []ChargedJob    // by job
	Members []ChargedMember // by pod
}

// ChargedJob is the queue in which a job counts although an engine that knows the facts alone would
// take another, or be unsure.
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

// RestoreCharges takes over what an earlier life remembered, and charges queues for the rest.
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
	for _, m := range c.Members { // its queue was found before all its members were there
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

// charges checks that members are charged which hold room and are in a job, and that jobs know how
// many of them are.
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
			job.apart = true // moves asks no others
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
