package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// accounts keeps the figures of nodes, jobs and queues right while tasks move.
type accounts struct {
	l *Ledger

	scratch resource.Vec
}

// quota is what a task of a class counts for in shares and quotas: its request without dimension pods
// (decision 24).
func (ac *accounts) quota(c ClassID) resource.Vec {
	ac.scratch = ac.scratch.CopyFrom(ac.l.Classes.rows[c].Request)
	if len(ac.scratch) > int(resource.Pods) {
		ac.scratch[resource.Pods] = 0
	}
	return ac.scratch
}

// contribution is what a task counts for in its job, by its status. The zero part counts for nothing.
type contribution struct {
	status     model.Status
	counts     bool // it is a member at all
	held       bool // it holds room or is pipelined
	asks       bool // it holds room or waits to be placed
	done       bool // it succeeded: its part of the minimum is not needed any more
	leaving    bool // it is terminating on a node
	gated      bool
	gatedNeed  bool // it is gated, and its request counts as gated
	invalid    bool // it is pending and set aside
	bestEffort bool // it is pending with an empty request
}

// contributionOf returns what a task counts for now.
func (ac *accounts) contributionOf(row *Task) contribution {
	p := contribution{status: row.Status, counts: true, held: row.Status.Holds() || row.Status == model.Pipelined}
	p.done, p.leaving = row.Status == model.Succeeded, row.Status == model.Releasing && row.Node != NoNode
	waits := row.Status == model.Pending
	p.gated, p.invalid = waits && row.Pod.Gated, waits && row.Unsound
	p.gatedNeed = p.gated && !p.invalid
	p.bestEffort = waits && !p.gated && ac.l.Classes.rows[row.Class].BestEffort
	// A task at the gate of its queue asks for its share: the gate opens because of it. A task that is set
	// aside asks for nothing, because it is never placed.
	p.asks = p.held || waits && !p.invalid && !ac.asksNothing(row) &&
		(!p.gated || row.Pod.QueueGate == model.QueueGateShut)
	return p
}

// asksNothing says that the pending tasks of a task's job ask for nothing.
func (ac *accounts) asksNothing(row *Task) bool {
	return row.Job != NoJob && ac.l.Jobs.rows[row.Job].marks.asksNothing
}

// recount replaces what a task counts for in its job, in its queue and in the queue's ancestors. It changes
// only what differs.
func (ac *accounts) recount(row *Task, was, is contribution) {
	job := &ac.l.Jobs.rows[row.Job]
	job.move(was, is)
	job.Roles[row.Role].move(was, is)
	if row.Sub >= 0 {
		job.Subs[row.Sub].move(was, is)
	}
	job.Gated += int32(change(was.gated, is.gated))
	job.Invalid += int32(change(was.invalid, is.invalid))
	gated := change(was.gatedNeed, is.gatedNeed)
	held, asks, done := change(was.held, is.held), change(was.asks, is.asks), change(was.done, is.done)
	if gated != 0 || held != 0 || asks != 0 || done != 0 {
		for _, need := range ac.l.Classes.rows[row.Class].Need {
			if need.Dim == resource.Pods {
				continue
			}
			ac.count(job, need.Dim, need.Amount*asks, need.Amount*held, need.Amount*gated)
			if done != 0 {
				job.doneNeed = job.doneNeed.AddAt(need.Dim, need.Amount*done)
				ac.refresh(job, need.Dim)
			}
		}
	}
	ac.updateJob(row.Job, job)
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

// count adds, in one dimension, to what a job asks for, holds, and has gated (an admitted job has no inqueue amount
// for gated members). Its queue and the queue's ancestors change along.
func (ac *accounts) count(job *Job, d resource.Dim, asks, held, gated int64) {
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
		ac.l.Changes.usageEpoch++
		addQueue(&ac.l.Changes.QueueUsage, job.Queue)
		for q := job.Queue; q != NoQueue; q = ac.l.Queues.rows[q].up {
			row := &ac.l.Queues.rows[q]
			row.Request[d] = row.Request[d].Plus(asks)
			row.Allocated[d] = row.Allocated[d].Plus(held)
			row.Moved = ac.l.Changes.usageEpoch
		}
		if held != 0 && job.tenant != 0 {
			ac.l.Usage.count(job, d, held)
		}
	}
	if held != 0 || gated != 0 || asks != 0 && job.waits.lapsed {
		ac.refresh(job, d)
	}
}

// hold adds (sign 1) to what a job holds, or takes it away (-1). It counts as what tasks hold does: without pods.
func (ac *accounts) hold(j JobID, more resource.Sums, sign int64) {
	for i := range more {
		if d := resource.Dim(i); d != resource.Pods && more.Get(d) != 0 {
			ac.count(&ac.l.Jobs.rows[j], d, 0, more.Get(d)*sign, 0)
		}
	}
}

// updateJob keeps the job's place on the active list, and its inqueue amount.
func (ac *accounts) updateJob(j JobID, job *Job) {
	if job.inqueueCounts != job.countsInqueue() {
		ac.refreshAll(j)
	}
	ac.l.Changes.mark(j)
	ac.l.Jobs.activate(j)
	ac.rate(j, job)
}

// rate notes whether a job holds more than its minimum. When that changes, its members may be evicted where
// they might not before, or the reverse. So their nodes are touched, and readers that sum up what nodes could
// free look at them again.
func (ac *accounts) rate(j JobID, job *Job) {
	above := job.By[model.Allocated]+job.By[model.Binding]+job.By[model.Bound]+job.By[model.Running] > job.RetainedMin()
	if above == job.above {
		return
	}
	job.above = above
	ac.touchMembers(j)
}

// touchMembers touches the nodes of the members that could be evicted: what they count for there has changed,
// though they have not moved.
func (ac *accounts) touchMembers(j JobID) {
	for _, s := range [...]model.Status{model.Bound, model.Running, model.Pipelined} {
		for t := ac.l.Jobs.rows[j].first[s]; t != NoTask; t = ac.l.Tasks.rows[t].at[inJob].next {
			ac.l.Nodes.touch(ac.l.Tasks.rows[t].Node)
		}
	}
}

// refresh computes a job's part in its queue's Elastic, Inqueue and Lent in one dimension, and passes the
// difference on to the queue and its ancestors.
func (ac *accounts) refresh(job *Job, d resource.Dim) {
	floor, held := job.floor(d), job.Allocated.Get(d)
	elastic, inqueue := max(0, held-floor), int64(0)
	if job.inqueueCounts {
		if inqueue = job.owed(d); job.waits.lapsed {
			inqueue = min(inqueue, job.waiting(d))
		}
	}
	lent := int64(0)
	if job.waits.lending == Lends {
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
	ac.l.Changes.usageEpoch++
	for q := job.Queue; q != NoQueue; q = ac.l.Queues.rows[q].up {
		row := &ac.l.Queues.rows[q]
		row.Elastic[d] = row.Elastic[d].Plus(de)
		row.Inqueue[d] = row.Inqueue[d].Plus(di)
		row.Lent[d] = row.Lent[d].Plus(dl)
	}
}

// refreshAll is refresh in every dimension, after a change of what these parts depend on.
func (ac *accounts) refreshAll(j JobID) {
	ac.l.Nodes.widen()
	job := &ac.l.Jobs.rows[j]
	job.inqueueCounts = job.countsInqueue()
	for d := range ac.l.Dims.Len() {
		ac.refresh(job, resource.Dim(d))
	}
	job.Changed++
	ac.l.Changes.markTouched(j, job)
}
