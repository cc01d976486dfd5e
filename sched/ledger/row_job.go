package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Jobs holds the rows of jobs, and which of them have something left to decide.
type Jobs struct {
	l *Ledger

	rows   []Job
	free   []JobID
	keys   jobKeys
	active []JobID // jobs with something left to decide
	places []int32 // by JobID: where it is in active, -1: it is not
}

// Job is the row of a gang: a PodGroup with its pods, or an adopted job.
type Job struct {
	JobArrival
	JobAmounts
	Key       JobKey
	Group     *model.PodGroup // nil: adopted, or named by pods and not known
	Queue     QueueID         // the queue it is charged to, see Charges; NoQueue only before it has one
	MinMember int32
	Roles     []Role
	Subs      []SubJob // sub-groups, where the PodGroup has a subGroupPolicy
	Count              // of all members
	Tasks     int32    // members, of any status
	Gated     int32    // pending members with scheduling gates
	Invalid   int32    // pending members that are set aside
	Priority  int32
	Created   int64            // nanoseconds since the epoch
	MaxWait   int64            // nanoseconds it asks to wait at most (sla-waiting-time); 0: not set
	Phase     model.GroupPhase // by its fact, or as decided and not visible yet
	Changed   uint64           // changes whenever a member or the group's fact changes

	RoomKept int32  // pending members for which room is kept on a node
	Losses   int32  // lost members that it still has room for: see Lost
	definer  TaskID // the member that gives a job its priority where its PodGroup cannot, an adopted one its queue, too
	first    [model.NumStatus]TaskID
	marks    jobMarks
	decided  decidedPhase
	waits    jobWaits
}

// Exists says that there is a job to schedule: it has a PodGroup, or it is adopted.
func (j *Job) Exists() bool { return j.Group != nil || j.Key.Adopted }

// Admitted says that a job may be served: it is Inqueue, or members of it have a node or
// had one until they finished. Otherwise only its members count, whatever phase its PodGroup shows: a job that
// runs need not pass again when it loses members or asks for more, and a job of which nothing ever ran is not
// admitted by a phase.
func (j *Job) Admitted() bool {
	return j.Phase == model.GroupInqueue || j.Started() > 0 || j.Staying() > 0
}

// Over says that nothing is left of a job and nothing is to come: it is Completed and its members are gone or
// finished, or it has and needs no members and was admitted once.
func (j *Job) Over() bool {
	switch j.Phase {
	case model.GroupCompleted:
		return j.Tasks == j.Finished()
	case model.GroupInqueue, model.GroupRunning, model.GroupUnknown:
		return j.Tasks == 0 && j.MinMember == 0
	}
	return false
}

// AwaitsAdmission says that action enqueue has yet to admit a job.
func (j *Job) AwaitsAdmission() bool { return !j.Admitted() && !j.Over() }

// Job returns the row of a job.
func (l *Ledger) Job(j JobID) *Job { return &l.Jobs.rows[j] }

// Len is an upper bound for JobIDs.
func (js *Jobs) Len() int { return len(js.rows) }

// Find returns the row of a job, and false when there is none.
func (js *Jobs) Find(k JobKey) (JobID, bool) {
	return js.keys.find(js.rows, k)
}

// Each yields every job that has a PodGroup or members, in the order of rows.
func (js *Jobs) Each(yield func(JobID) bool) {
	for i := range js.rows {
		if !js.rows[i].marks.free && !yield(JobID(i)) {
			return
		}
	}
}

// row returns the row of a job, a new one if there is none. define gives a new row its queue.
func (js *Jobs) row(k JobKey) JobID {
	if j, ok := js.Find(k); ok {
		return j
	}
	j := newRow(&js.rows, &js.free)
	if int(j) == len(js.places) {
		js.places = append(js.places, -1)
	}
	was := &js.rows[j]
	row := Job{Key: k, definer: NoTask, Queue: NoQueue, MinMember: 1, Changed: was.Changed + 1,
		marks: jobMarks{dirty: was.marks.dirty, touched: was.marks.touched, keepsRoom: was.marks.keepsRoom}}
	for s := range row.first {
		row.first[s] = NoTask
	}
	js.rows[j] = row
	js.keys.put(js.rows, k, j)
	js.rows[j].waits.inBackoff = js.l.Backoffs.appliesToWhole(j) // the fact about its backoff may have come first
	return j
}

// drop frees the row of a job that neither a fact nor a pod names.
func (js *Jobs) drop(j JobID) {
	row := &js.rows[j]
	if row.Group != nil || row.Tasks > 0 {
		return
	}
	if row.decided.open || row.waits.committed() {
		js.l.Changes.recommitted.job(row.Key)
	}
	if row.Losses > 0 {
		js.l.Losses.forgetJob(j)
	}
	js.l.Queues.setQueue(j, NoQueue)
	js.deactivate(j)
	js.l.Changes.markTouched(j, row)
	js.keys.drop(row.Key)
	*row = Job{definer: NoTask, Queue: NoQueue, Changed: row.Changed,
		marks: jobMarks{free: true, dirty: row.marks.dirty, touched: row.marks.touched,
			keepsRoom: row.marks.keepsRoom}}
	js.free = append(js.free, j)
}

// join makes a pod a member of the job stay, or, where that is NoJob, of the job that its fact says; part is the
// inverse. Neither changes figures that depend on the status: enter and leave do.
func (js *Jobs) join(t TaskID, stay JobID) {
	row := &js.l.Tasks.rows[t]
	p, j := row.Pod, stay
	if j == NoJob {
		j = js.row(jobBy(p))
	}
	row.Job, row.Role = j, js.role(j, p.Role)
	js.rows[j].Roles[row.Role].tasks++
	row.Sub = js.subJob(j, p)
	job := &js.rows[j]
	js.enterSub(t)
	job.Tasks++
	if !p.Phase.Finished() {
		job.unfinished++
		job.Total = job.Total.Add(js.counted(row))
	}
	if job.definer == NoTask || js.defines(t, job.definer) {
		job.definer = t
		js.define(j)
	}
	js.l.Charges.enter(t)
	js.l.accounts.refreshAll(j)
}

func (js *Jobs) part(t TaskID) {
	row := &js.l.Tasks.rows[t]
	j := row.Job
	job := &js.rows[j]
	last := js.l.Charges.leave(t)
	if row.charged {
		row.charged = false
		job.marks.charged--
		last = last || job.marks.charged == 0
	}
	job.Tasks--
	if !row.Pod.Phase.Finished() {
		job.unfinished--
		job.Total = job.Total.Sub(js.counted(row))
	}
	js.leaveSub(t)
	job.Roles[row.Role].tasks--
	row.Job, row.Role, row.Sub = NoJob, -1, -1
	job.dropRoles()
	if job.definer == t {
		job.definer = NoTask
		for o := range js.Members(j) {
			if job.definer == NoTask || js.defines(o, job.definer) {
				job.definer = o
			}
		}
		last = last || job.definer != NoTask || job.Group != nil &&
			job.Priority != js.l.Priorities.named(job.Group.PriorityClass)
	}
	if last && (job.Group != nil || job.definer != NoTask) {
		js.define(j)
	}
	js.l.Usage.place(j)
	js.l.accounts.refreshAll(j)
	js.l.Changes.mark(j)
	js.activate(j)
}

// counted is what a member adds to its job's Total: nothing for one that is set aside and has no node.
func (js *Jobs) counted(row *Task) resource.Vec {
	if row.Unsound && row.Pod.Node == "" {
		return nil
	}
	return js.l.accounts.quota(row.Class)
}

// defines is a total order of members: by age, the oldest first, then by name.
func (js *Jobs) defines(a, b TaskID) bool {
	x, y := js.l.Tasks.rows[a].Pod, js.l.Tasks.rows[b].Pod
	if x.Created != y.Created {
		return x.Created < y.Created
	}
	return x.Name < y.Name
}

// define sets what a job takes from its PodGroup, or without one from its defining member.
func (js *Jobs) define(j JobID) {
	job := &js.rows[j]
	priority := job.Priority
	minMember := int32(1)
	var mins []model.RoleMin
	job.Priority, job.MaxWait, job.MinResources, job.HasMin = 0, 0, nil, false
	switch {
	case job.Group != nil:
		g := job.Group
		minMember, mins = g.MinMember, g.MinTaskMember
		job.Created, job.Priority, job.MaxWait = g.Created, js.l.Priorities.ofGroup(g, job.definer), g.MaxWait
		if job.HasMin = g.HasMin; len(g.MinResources) > 0 {
			job.MinResources = js.l.Dims.VecOfTenant(g.MinResources).Set(resource.Pods, 0)
		}
	case job.definer != NoTask:
		p := js.l.Tasks.rows[job.definer].Pod
		// Also while its PodGroup is missing: it may be made again, and what runs is no less important meanwhile.
		job.Created, job.Priority = p.Created, js.l.Priorities.of(p)
		if job.Key.Adopted {
			if minMember = max(1, p.Adopt.MinMember); minMember != job.MinMember {
				js.l.Charges.minimums.changes(j)
			}
			job.MaxWait = p.Adopt.MaxWait
		}
	}
	js.l.Nodes.widen()
	job.MinMember = minMember
	js.setRoles(j, mins)
	js.l.accounts.setAsksNothing(j, !job.serves())
	if job.marks.charged == 0 {
		js.l.Queues.setQueue(j, js.l.Queues.row(js.l.Charges.named(j)))
	}
	js.l.Usage.place(j)
	js.l.Charges.apart(j)
	js.l.accounts.refreshAll(j)
	if job = &js.rows[j]; job.Priority != priority {
		js.l.accounts.touchMembers(j)
	}
	js.l.accounts.rate(j, job)
}

// setAside says that the job's PodGroup is set aside.
func (j *Job) setAside() bool {
	if j.Group == nil {
		return false
	}
	_, bad := j.Group.SetAside()
	return bad
}

// QueueName is the name of the queue in which a job counts.
func (js *Jobs) QueueName(j JobID) string {
	if q := js.rows[j].Queue; q != NoQueue {
		return js.l.Queues.rows[q].Name
	}
	return js.l.Charges.named(j)
}

// GroupOf is the PodGroup of a task's job, nil without one.
func (js *Jobs) GroupOf(t *Task) *model.PodGroup {
	if t.Job == NoJob {
		return nil
	}
	return js.rows[t.Job].Group
}

// protected says that a PodGroup keeps its members from being evicted.
func protected(g *model.PodGroup) bool { return g != nil && g.Protected }

// apply returns the job's row, which may be free when the group is gone.
func (js *Jobs) apply(k Key, g *model.PodGroup) JobID {
	j := js.row(JobKey{Namespace: k.Namespace, Name: k.Name})
	job := &js.rows[j]
	if job.decided.open || job.waits.committed() {
		js.l.Changes.recommitted.job(job.Key)
	}
	same := job.Group != nil && g != nil && job.Group.UID == g.UID
	if !same {
		js.l.WaitingJobs.forget(job)
		job.waits.from, job.waits.podless = 0, 0
	}
	if g != nil && !same {
		js.l.Changes.arrivals, job.Recent = js.l.Changes.arrivals+1, false
	}
	old := job.Group
	if !sameMinimums(old, g) {
		js.l.Charges.minimums.changes(j)
	}
	js.l.WaitingJobs.changes(job, g)
	job.Group = g
	job.waits.inBackoff = js.l.Backoffs.appliesToWhole(j)
	js.resub(j, old)
	js.define(j)
	if job = &js.rows[j]; (old == nil) != (g == nil) {
		js.l.accounts.touchMembers(j) // which of them may be evicted has changed
	}
	switch {
	case g == nil:
		job.Phase, job.decided.open = model.GroupPending, false
	case !same || !job.decided.open || job.Phase == g.Phase:
		job.Phase, job.decided.open = g.Phase, false
	}
	js.l.accounts.refreshAll(j)
	js.l.Changes.mark(j)
	js.activate(j)
	js.l.accounts.rate(j, job)
	if protected(old) != protected(g) || lasts(old) != lasts(g) {
		js.l.accounts.touchMembers(j)
	}
	js.l.Changes.roomEpoch++
	js.drop(j)
	return j
}

// countsInqueue says that an admitted job keeps room for the part of its minResources that is not allocated yet
// (its queue's "inqueue"): while it is Inqueue, or as long as members hold room and are not terminating. The
// room of a lost member stays kept, that of a member that succeeded does not. A job has no inqueue amount while
// the nodes could never hold it, or after its pods did not come (LendsAll), or while it is in a backoff.
func (j *Job) countsInqueue() bool {
	return j.HasMin && j.waits.lending != LendsAll && !j.waits.inBackoff && !j.marks.asksNothing &&
		(j.Phase == model.GroupInqueue || j.Staying() > 0)
}

// Done is what the members that succeeded asked for in dimension d: their part of the minimum is not needed
// any more.
func (j *Job) Done(d resource.Dim) int64 { return j.doneNeed.Get(d) }

// Asks is what admission of a job would add, in dimension d, to what its queue holds and keeps: the part of
// its minResources that it neither holds nor has in queue.
func (j *Job) Asks(d resource.Dim) int64 {
	return max(0, max(0, j.MinResources.Get(d)-j.Allocated.Get(d))-j.inqueue.Get(d))
}

// owed is what of a job's minResources its members do not hold, in dimension d: less what gated members ask for, and
// what those held that succeeded. waiting is what its members ask for that wait to be placed.
func (j *Job) owed(d resource.Dim) int64 {
	return max(0, max(0, max(0, j.floor(d)-j.Allocated.Get(d))-j.gatedNeed.Get(d))-j.Done(d))
}

func (j *Job) waiting(d resource.Dim) int64 {
	return resource.Sum{}.Plus(j.Request.Get(d)).Minus(j.Allocated.Get(d)).Int64()
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

// jobMarks says on which lists of the ledger a job is.
type jobMarks struct {
	keepsRoom   bool // it is on the list of jobs for which room is kept
	apart       bool // it is noted as a job that may count in another queue than facts name
	asksNothing bool // its pending members ask for nothing: see serves
	dirty       bool
	touched     bool
	free        bool
	charged     int32 // charged members: they keep it in its queue
	recorded    int32 // members with a record that they were let run in this job
	records     int32 // changes of these
	minimumMarks
	oldest TaskID // of these
}

// decidedPhase is the phase that was decided last.
type decidedPhase struct {
	version uint64 // of the group's fact
	open    bool   // it is not visible yet
	item    uint64
	at      uint64 // the version of the group's fact that the phase was decided on
}

// jobWaits is what a job that has no place gives to others meanwhile.
type jobWaits struct {
	lending   Lending
	inBackoff bool  // the whole job is in a backoff, so it keeps no room for its minimum
	lapsed    bool  // see Lapse
	from      int64 // see SetWaitsFrom
	podless   int64 // see SetPodlessFrom
}

// committed says that there is something to be noted of it beside the facts.
func (w *jobWaits) committed() bool {
	return w.lending != LendsNone || w.lapsed || w.from != 0 || w.podless != 0
}
