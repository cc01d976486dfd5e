package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
)

// charging says in which queue a pod that runs counts: in that in which it began, whatever its facts say now.
type charging struct {
	l *Ledger

	uncharged []TaskID // tasks that may hold room and are not charged
	strayed   []TaskID // tasks that may be in another job than they name, or than follows from their facts
	moving    []JobID  // jobs that may count in another queue than their facts name
	minimums  minimums
}

// A job that runs counts in the queue in which it was started, until it ends. A user may edit its PodGroup,
// name another queue in it, or delete it, and a pod's annotations may name another PodGroup, or none: none of
// this gives its queue room, or takes room from another queue.
//
// A member is charged from the cycle on in which it is known to hold room, or to be bound. As long as a job
// has charged members, its queue does not change. A charged member stays in its job, unless the job that it
// names now counts in the same queue. The ledger remembers this; the part that does not follow from facts is a
// commitment (Charges). It does follow from facts once it is recorded in the pods' status: see records.

// holdsRoom says that a task has a node, is terminating on one, or is being bound to one.
func (t *Task) holdsRoom() bool {
	switch t.Status {
	case model.Binding, model.Bound, model.Running, model.Unknown, model.Releasing:
		return t.Node != NoNode
	}
	return false
}

// willHold is holdsRoom for a fact and a commitment that are about to become the task's.
func willHold(p *model.Pod, commitment *Commitment) bool {
	return !p.Phase.Finished() && (p.Node != "" || commitment.Kind == CommitBind)
}

// Charged says that a task counts in its job's queue until it ends.
func (t *Task) Charged() bool { return t.charged }

// await notes a task that may have begun to hold room.
func (cg *charging) await(t TaskID) {
	if row := &cg.l.Tasks.rows[t]; row.Job != NoJob && !row.charged && row.holdsRoom() {
		cg.uncharged = append(cg.uncharged, t)
	}
}

// Begin charges the tasks that have begun to hold room since the last call. It is called twice in each cycle: at
// its start, with all facts known, and after its actions, with all binds known.
func (cg *charging) Begin() {
	cg.chargeAll()
	cg.returnStrayed()
	cg.forgetMoved()
	cg.minimums.judge()
}

// chargeAll charges the tasks that have begun to hold room.
func (cg *charging) chargeAll() {
	cg.uncharged = slices.DeleteFunc(cg.uncharged, func(t TaskID) bool {
		row := &cg.l.Tasks.rows[t]
		if row.free || row.charged || row.Job == NoJob || !row.holdsRoom() {
			return true
		}
		if row.provisional {
			return false // tried again once the next cycle has taken its place back
		}
		if cg.l.Jobs.rows[row.Job].marks.charged == 0 {
			if _, sure := cg.to(row.Job); !sure {
				return false // tried again when more is known
			}
		}
		cg.charge(t)
		return true
	})
}

// Judge notes of jobs which minimums they have had. It is called before each action too: a gang that one action
// completed is kept whole by the next.
func (cg *charging) Judge() { cg.minimums.judgeNoted() }

// forgetMoved drops from moving the jobs that count in the queue that facts name.
func (cg *charging) forgetMoved() {
	slices.Sort(cg.moving)
	cg.moving = slices.DeleteFunc(slices.Compact(cg.moving), func(j JobID) bool {
		gone := !cg.moves(j)
		cg.l.Jobs.rows[j].marks.apart = !gone
		return gone
	})
}

// charge makes a task count in its job's queue from now on.
func (cg *charging) charge(t TaskID) {
	row := &cg.l.Tasks.rows[t]
	row.charged = true
	job := &cg.l.Jobs.rows[row.Job]
	if job.marks.charged++; job.marks.charged == 1 && cg.minimums.begun {
		cg.minimums.fresh = append(cg.minimums.fresh, row.Job)
	}
	if !job.Exists() || row.Pod.Adopt.Open {
		cg.l.Nodes.touch(row.Node) // it may be evicted now, and might not before
		cg.apart(row.Job)
	}
	cg.stray(t)
}

// apart notes a job with charged members that may count in another queue than facts name. There are few such
// jobs, and Charges looks at them only.
func (cg *charging) apart(j JobID) {
	if job := &cg.l.Jobs.rows[j]; job.marks.charged > 0 && !job.marks.apart {
		job.marks.apart = true
		cg.moving = append(cg.moving, j)
	}
}

// moves says that a job counts in another queue than facts name, or that they do not suffice to know.
func (cg *charging) moves(j JobID) bool {
	job := &cg.l.Jobs.rows[j]
	if job.marks.free || !job.marks.apart || job.marks.charged == 0 {
		return false
	}
	queue, sure := cg.to(j)
	return !sure || queue != cg.l.Queues.rows[job.Queue].Name
}

// discharge is the inverse of charge. With the last charged member, the job counts in the queue that facts
// name.
func (cg *charging) discharge(t TaskID) {
	row := &cg.l.Tasks.rows[t]
	row.charged = false
	if cg.l.Jobs.rows[row.Job].marks.charged--; cg.l.Jobs.rows[row.Job].marks.charged == 0 {
		cg.l.Jobs.define(row.Job)
	}
}

// to returns the queue that facts name for a job, in which it counts while no member is charged. It is
// not sure while the PodGroup is missing, or, for an adopted job, while the pods' owner is not known.
func (cg *charging) to(j JobID) (queue string, sure bool) {
	job := &cg.l.Jobs.rows[j]
	sure = job.Group != nil || job.marks.recorded > 0 || job.Key.Adopted && !cg.l.Tasks.rows[job.definer].Pod.Adopt.Open
	return cg.named(j), sure
}

// named is the queue that facts name for a job: that in which it was let run, where a record says so, else the
// one that it asks for.
func (cg *charging) named(j JobID) string {
	if marks := &cg.l.Jobs.rows[j].marks; marks.recorded > 0 {
		return cg.l.Tasks.rows[marks.oldest].Pod.Charge().Queue
	}
	return cg.queueNamed(j)
}

// queueNamed is the queue of a job's PodGroup, or of its oldest member.
func (cg *charging) queueNamed(j JobID) string {
	job, queue := &cg.l.Jobs.rows[j], ""
	switch {
	case job.Group != nil:
		queue = job.Group.Queue
	case job.definer != NoTask:
		queue = cg.l.Tasks.rows[job.definer].Pod.Adopt.Queue
	}
	if queue == "" {
		return model.DefaultQueue
	}
	return queue
}

// stay returns the job that a charged member stays in, whatever job its new fact names, as long as it holds
// room. NoJob: the fact decides.
func (cg *charging) stay(row *Task, p *model.Pod, commitment *Commitment) JobID {
	if !row.charged || !willHold(p, commitment) {
		return NoJob
	}
	return row.Job
}

// strays says that a charged member's fact names another job than the one it stays in.
func (cg *charging) strays(row *Task) bool {
	return !row.Pod.Ours || KeyOf(row.Pod) != cg.l.Jobs.rows[row.Job].Key
}

// unfiled says that a charged member is in another job than follows from its fact, its record included.
func (cg *charging) unfiled(row *Task) bool {
	return !row.Pod.Ours || jobBy(row.Pod) != cg.l.Jobs.rows[row.Job].Key
}

// stray notes a member that is in another job than it names, or than follows from its fact.
func (cg *charging) stray(t TaskID) {
	if row := &cg.l.Tasks.rows[t]; row.charged && (cg.strays(row) || cg.unfiled(row)) {
		cg.strayed = append(cg.strayed, t)
	}
}

// returnStrayed moves members to the jobs they name, if these count in the same queue. All other members stay.
func (cg *charging) returnStrayed() {
	if len(cg.strayed) == 0 {
		return
	}
	slices.SortFunc(cg.strayed, func(a, b TaskID) int { return cg.l.Tasks.rows[a].Key.Compare(cg.l.Tasks.rows[b].Key) })
	noted := slices.Compact(cg.strayed)
	cg.strayed = nil
	for _, t := range noted {
		row := &cg.l.Tasks.rows[t]
		if row.free || !row.charged || !cg.strays(row) {
			cg.restray(t)
			continue
		}
		to, known := cg.l.Jobs.Find(KeyOf(row.Pod))
		if !row.Pod.Ours || !known || !cg.l.Jobs.rows[to].serves() ||
			cg.l.Jobs.rows[to].Queue != cg.l.Jobs.rows[row.Job].Queue {
			cg.strayed = append(cg.strayed, t)
			continue
		}
		cg.rejoin(t, to)
		cg.charge(t)
	}
}

// restray notes a task that was noted before, unless there is nothing to note any more.
func (cg *charging) restray(t TaskID) {
	if !cg.l.Tasks.rows[t].free {
		cg.stray(t)
	}
}

// rejoin moves a task to the job to, or, if that is NoJob, to the job that it names, if any. Its status and
// node stay.
func (cg *charging) rejoin(t TaskID, to JobID) {
	row := &cg.l.Tasks.rows[t]
	class := row.Class
	cg.l.Classes.rows[class].refs++
	job, node := cg.l.Tasks.detach(t)
	cg.l.Tasks.add(t, row.Pod, row.Commitment, to, class)
	cg.l.Classes.drop(class)
	cg.l.Tasks.readmit(job)
	cg.l.Tasks.dropUnnamed(job, node)
}

// serves says that a job's pods may be placed as far as its PodGroup goes: it exists and is not set aside.
// Pending tasks of other jobs ask for nothing, so no queue's deserved share depends on them.
func (j *Job) serves() bool { return j.Exists() && !j.setAside() }

// setAsksNothing makes a job's pending tasks ask for nothing (is), or ask again.
func (ac *accounts) setAsksNothing(j JobID, is bool) {
	job := &ac.l.Jobs.rows[j]
	if job.marks.asksNothing == is {
		return
	}
	for t := job.first[model.Pending]; t != NoTask; t = ac.l.Tasks.rows[t].at[inJob].next {
		row := &ac.l.Tasks.rows[t]
		job.marks.asksNothing = !is
		was := ac.contributionOf(row)
		job.marks.asksNothing = is
		ac.recount(row, was, ac.contributionOf(row))
	}
	job.marks.asksNothing = is
}

// Moving returns the queue that facts name for a job, and true if the job counts in another one.
func (cg *charging) Moving(j JobID) (named string, other bool) {
	named = cg.queueNamed(j)
	return named, cg.l.Jobs.rows[j].marks.charged > 0 && named != cg.l.Jobs.QueueName(j)
}

// Strayed calls f for every member that is in another job than it names, in no order.
func (cg *charging) Strayed(f func(TaskID)) { cg.eachNoted(cg.strays, f) }

// eachNoted calls f for every noted member of which a condition holds.
func (cg *charging) eachNoted(holds func(*Task) bool, f func(TaskID)) {
	list := slices.Clone(cg.strayed)
	slices.Sort(list)
	for _, t := range slices.Compact(list) {
		if row := &cg.l.Tasks.rows[t]; !row.free && row.charged && holds(row) {
			f(t)
		}
	}
}

// Charges are the jobs and members that count in another place than follows from the facts. What of them is
// recorded in the pods' status is a fact, and no longer listed; the rest is lost over a restart.
type Charges struct {
	Jobs     []ChargedJob     // by job
	Members  []ChargedMember  // by pod
	Minimums []ChargedMinimum // by job
	Began    []JobKey         // the jobs of which first members began to hold room since the last cycle, by key
}

// Equal says that two lists are equal.
func (c Charges) Equal(o Charges) bool {
	return slices.Equal(c.Jobs, o.Jobs) && slices.Equal(c.Members, o.Members) &&
		slices.EqualFunc(c.Minimums, o.Minimums, ChargedMinimum.equal) && slices.Equal(c.Began, o.Began)
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

// All lists them.
func (cg *charging) All() (out Charges) {
	cg.forgetMoved()
	for _, j := range cg.moving {
		out.Jobs = append(out.Jobs, ChargedJob{cg.l.Jobs.rows[j].Key, cg.l.Queues.rows[cg.l.Jobs.rows[j].Queue].Name})
	}
	cg.eachNoted(cg.unfiled, func(t TaskID) {
		row := &cg.l.Tasks.rows[t]
		out.Members = append(out.Members, ChargedMember{row.Key, row.Pod.UID, cg.l.Jobs.rows[row.Job].Key})
	})
	slices.SortFunc(out.Jobs, func(a, b ChargedJob) int { return a.Job.Compare(b.Job) })
	slices.SortFunc(out.Members, func(a, b ChargedMember) int { return a.Pod.Compare(b.Pod) })
	out.Minimums, out.Began = cg.minimums.all(), cg.minimums.unjudged(cg.uncharged)
	return out
}

// Restore takes over the Charges of an earlier engine, and charges all other tasks that hold room. decided: there was a
// cycle before, in which what held room then was judged. Members go to the jobs that they name when the cycle begins,
// as they would have in that engine: the job that one leaves has to have its phase back by then.
func (cg *charging) Restore(c Charges, decided bool) {
	for _, m := range c.Members {
		t, known := cg.l.Tasks.Find(m.Pod)
		if !known || cg.l.Tasks.rows[t].Pod.UID != m.UID || !cg.l.Tasks.rows[t].holdsRoom() {
			continue
		}
		cg.rejoin(t, cg.l.Jobs.row(m.Job))
		cg.charge(t)
		cg.stray(t)
	}
	for _, m := range c.Members { // the queue was found before all members of the job were there
		if j, known := cg.l.Jobs.Find(m.Job); known {
			cg.l.Queues.setQueue(j, cg.l.Queues.row(cg.named(j)))
		}
	}
	for _, x := range c.Jobs {
		if j, known := cg.l.Jobs.Find(x.Job); known {
			cg.countIn(j, x.Queue)
		}
	}
	cg.minimums.restore(c.Minimums)
	cg.chargeAll()
	cg.minimums.begun, cg.minimums.fresh = decided, cg.minimums.fresh[:0] // facts that come back begin nothing
	for _, k := range c.Began {
		if j, known := cg.l.Jobs.Find(k); known {
			cg.minimums.fresh = append(cg.minimums.fresh, j)
		}
	}
	cg.forgetMoved()
	cg.minimums.judgeNoted() // what is fresh is judged when the cycle begins, with all facts known
}

// countIn makes a job with members that hold room count in a queue.
func (cg *charging) countIn(j JobID, queue string) {
	for t := range cg.l.Jobs.Members(j) {
		if row := &cg.l.Tasks.rows[t]; row.holdsRoom() {
			cg.l.Queues.setQueue(j, cg.l.Queues.row(queue))
			if !row.charged {
				cg.charge(t)
			}
			cg.apart(j)
		}
	}
}
