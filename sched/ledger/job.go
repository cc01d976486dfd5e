package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Job is the row of a gang: a PodGroup with its pods, or an adopted job.
type Job struct {
	Key       JobKey
	Group     *model.PodGroup // nil: adopted, or named by pods and not known
	Queue     QueueID         // the queue it is charged to, see Charge; NoQueue only before it has one
	MinMember int32
	Roles     []Role
	Subs      []SubJob // sub-groups, where the PodGroup has a subGroupPolicy
	Count              // of all members
	Tasks     int32    // members, of any status
	Gated     int32    // pending members with scheduling gates
	Invalid   int32    // pending members that are set aside
	Priority  int32
	Created   int64
	MaxWait   int64            // nanoseconds it asks to wait at most (sla-waiting-time); 0: not set
	Phase     model.GroupPhase // by its fact, or as decided and not visible yet
	Changed   uint64           // changes whenever a member or the group's fact changes
	Came      int64            // with Recent: when pods came to it
	Recent    bool             // pods came to it within the scheduling period, and its surplus has had no turn since
	HeldBack  bool             // with Recent: its surplus waits for the end of the period
	Arrived   bool             // pods came to it since TakeArrivals
	version   uint64           // of the group's fact

	MinResources resource.Vec
	HasMin       bool
	Allocated    resource.Sums // of members that hold room or are promised it
	Request      resource.Sums // Allocated, and members that wait to be placed
	Total        resource.Sums // of members that have not finished
	unfinished   int32
	gatedNeed    resource.Sums
	doneNeed     resource.Sums // of members that succeeded

	lending   Lending
	paused    bool  // it pauses as a whole, so it keeps no room for its minimum
	from      int64 // see Wait
	podless   int64 // see Await
	Claims    int32 // pending members with a claim
	Losses    int32 // lost members that it still has room for: see Lost
	claiming  bool  // it is on the list of claimants
	charged   int32 // charged members: they keep it in its queue
	apart     bool  // it is noted as a job that may count in another queue than facts name
	mute      bool  // its pending members ask for nothing: see serves
	phaseHeld bool
	phaseItem uint64
	phaseAt   uint64 // the version of the group's fact that the phase was decided on
	definer   TaskID // the member from which an adopted job takes its queue, minimum and priority
	first     [model.NumStatus]TaskID
	elastic   resource.Vec // this job's part in its queue's Elastic
	inqueue   resource.Vec // … and Inqueue
	lent      resource.Vec // … and Lent
	claimed   resource.Vec // … and Claimed
	reserves  bool
	above     bool // it holds more than its minimum
	activeAt  int32
	dirty     bool
	stirred   bool
	free      bool
}

// Exists says that there is a job to schedule: it has a PodGroup, or it is adopted.
func (j *Job) Exists() bool { return j.Group != nil || j.Key.Adopted }

// Admitted says that a job has passed the gate of its queue: it is Inqueue, or members of it have a node or
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

// AwaitsAdmission says that a job has to pass the gate of its queue.
func (j *Job) AwaitsAdmission() bool { return !j.Admitted() && !j.Over() }

// Job returns the row of a job.
func (l *Ledger) Job(j JobID) *Job { return &l.jobs[j] }

// NumJobs is an upper bound for JobIDs.
func (l *Ledger) NumJobs() int { return len(l.jobs) }

// FindJob returns the row of a job, and false when there is none.
func (l *Ledger) FindJob(k JobKey) (JobID, bool) {
	return l.jobKeys.find(l, k)
}

// Jobs yields every job that has a PodGroup or members, in the order of rows.
func (l *Ledger) Jobs(yield func(JobID) bool) {
	for i := range l.jobs {
		if !l.jobs[i].free && !yield(JobID(i)) {
			return
		}
	}
}

// JobTasks yields a job's members of one status. Decisions must not depend on their order.
func (l *Ledger) JobTasks(j JobID, s model.Status, yield func(TaskID) bool) {
	for t := l.jobs[j].first[s]; t != NoTask; t = l.tasks[t].jobNext {
		if !yield(t) {
			return
		}
	}
}

// job returns the row of a job, a new one if there is none. define gives a new row its queue.
func (l *Ledger) job(k JobKey) JobID {
	if j, ok := l.FindJob(k); ok {
		return j
	}
	var j JobID
	if n := len(l.jobFree); n > 0 {
		j = l.jobFree[n-1]
		l.jobFree = l.jobFree[:n-1]
	} else {
		j = JobID(len(l.jobs))
		l.jobs = append(l.jobs, Job{})
	}
	was := &l.jobs[j]
	row := Job{Key: k, definer: NoTask, Queue: NoQueue, activeAt: -1, MinMember: 1, Changed: was.Changed + 1, dirty: was.dirty, stirred: was.stirred, claiming: was.claiming}
	for s := range row.first {
		row.first[s] = NoTask
	}
	l.jobs[j] = row
	l.jobKeys.put(l, k, j)
	l.jobs[j].paused = l.pausesWhole(j) // its pause may have been told before it
	return j
}

// dropJob frees the row of a job that neither a fact nor a pod names.
func (l *Ledger) dropJob(j JobID) {
	row := &l.jobs[j]
	if row.Group != nil || row.Tasks > 0 {
		return
	}
	if row.phaseHeld || row.lending != Keeps || row.from != 0 || row.podless != 0 {
		l.recommitted.job(row.Key)
	}
	if row.Losses > 0 {
		l.strand(j)
	}
	l.setQueue(j, NoQueue)
	l.deactivate(j)
	l.markStirred(j, row)
	l.jobKeys.drop(row.Key)
	*row = Job{free: true, definer: NoTask, Queue: NoQueue, activeAt: -1, dirty: row.dirty, stirred: row.stirred, claiming: row.claiming, Changed: row.Changed}
	l.jobFree = append(l.jobFree, j)
}

// join makes a pod a member of the job stay, or, where that is NoJob, of the job that it names; part is the
// inverse. Neither changes figures that depend on the status: enter and leave do.
func (l *Ledger) join(t TaskID, stay JobID) {
	row := &l.tasks[t]
	p, j := row.Pod, stay
	if j == NoJob {
		j = l.job(KeyOf(p))
	}
	row.Job, row.Role = j, l.role(j, p.Role)
	l.jobs[j].Roles[row.Role].tasks++
	row.Sub = l.subJob(j, p)
	job := &l.jobs[j]
	l.enterSub(t)
	job.Tasks++
	if !podFinished(p) {
		job.unfinished++
		job.Total = job.Total.Add(l.counted(row))
	}
	if job.definer == NoTask || l.defines(t, job.definer) {
		job.definer = t
		l.define(j)
	}
	l.refreshAll(j)
}

func (l *Ledger) part(t TaskID) {
	row := &l.tasks[t]
	j := row.Job
	job := &l.jobs[j]
	last := false
	if row.charged {
		row.charged = false
		job.charged--
		last = job.charged == 0
	}
	job.Tasks--
	if !podFinished(row.Pod) {
		job.unfinished--
		job.Total = job.Total.Sub(l.counted(row))
	}
	l.leaveSub(t)
	job.Roles[row.Role].tasks--
	row.Job, row.Role, row.Sub = NoJob, -1, -1
	job.dropRoles()
	if job.definer == t {
		job.definer = NoTask
		for s := range job.first {
			for o := job.first[s]; o != NoTask; o = l.tasks[o].jobNext {
				if job.definer == NoTask || l.defines(o, job.definer) {
					job.definer = o
				}
			}
		}
		last = last || job.definer != NoTask
	}
	if last && (job.Group != nil || job.definer != NoTask) {
		l.define(j)
	}
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}

// counted is what a member adds to its job's Total: nothing for one that is set aside and has no node.
func (l *Ledger) counted(row *Task) resource.Vec {
	if row.Unsound && row.Pod.Node == "" {
		return nil
	}
	return l.quota(row.Class)
}

func podFinished(p *model.Pod) bool {
	return p.Phase == model.PodSucceeded || p.Phase == model.PodFailed
}

// defines is a total order of members: by age, the oldest first, then by name.
func (l *Ledger) defines(a, b TaskID) bool {
	x, y := l.tasks[a].Pod, l.tasks[b].Pod
	if x.Created != y.Created {
		return x.Created < y.Created
	}
	return x.Name < y.Name
}

// define sets what a job takes from its PodGroup, or without one from its defining member.
func (l *Ledger) define(j JobID) {
	job := &l.jobs[j]
	priority := job.Priority
	minMember := int32(1)
	var mins []model.RoleMin
	job.Priority, job.MaxWait, job.MinResources, job.HasMin = 0, 0, nil, false
	switch {
	case job.Group != nil:
		g := job.Group
		minMember, mins = g.MinMember, g.MinTaskMember
		job.Created, job.Priority, job.MaxWait = g.Created, l.classPriority(g.PriorityClass), g.MaxWait
		if job.HasMin = g.HasMin; len(g.MinResources) > 0 {
			job.MinResources = l.Dims.Vec(g.MinResources).Set(resource.Pods, 0)
		}
	case job.definer != NoTask:
		p := l.tasks[job.definer].Pod
		job.Created = p.Created
		if job.Key.Adopted {
			minMember = max(1, p.Adopt.MinMember)
			job.Priority, job.MaxWait = l.podPriority(p), p.Adopt.MaxWait
		}
	}
	l.widen()
	job.MinMember = minMember
	l.setRoles(j, mins)
	l.mute(j, !job.serves())
	if job.charged == 0 {
		l.setQueue(j, l.queue(l.named(j)))
	}
	l.apart(j)
	l.refreshAll(j)
	if job = &l.jobs[j]; job.Priority != priority {
		l.touchMembers(j)
	}
	l.rate(j, job)
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
func (l *Ledger) QueueName(j JobID) string {
	if q := l.jobs[j].Queue; q != NoQueue {
		return l.queues[q].Name
	}
	return l.named(j)
}

// setRoles sets the minimums of the job's roles. They are ignored when their sum exceeds the job's own
// minimum, as in Volcano.
func (l *Ledger) setRoles(j JobID, mins []model.RoleMin) {
	job := &l.jobs[j]
	sum := int64(0)
	for i := range job.Roles {
		job.Roles[i].Min = 0
	}
	defer func() { l.jobs[j].dropRoles() }()
	for _, m := range mins {
		sum += int64(m.Min)
	}
	if sum > int64(job.MinMember) {
		return
	}
	for _, m := range mins {
		r := l.role(j, m.Role)
		job.Roles[r].Min = m.Min
	}
}

func (l *Ledger) role(j JobID, name string) int32 {
	job, free := &l.jobs[j], -1
	for i := range job.Roles {
		if job.Roles[i].Name == name {
			return int32(i)
		}
		if job.Roles[i].unused() {
			free = i
		}
	}
	if free >= 0 {
		job.Roles[free] = Role{Name: name}
		return int32(free)
	}
	job.Roles = append(job.Roles, Role{Name: name})
	return int32(len(job.Roles) - 1)
}

// dropRoles removes unused roles at the end of the list. It keeps the indexes of the other roles, by which
// members refer to them.
func (j *Job) dropRoles() {
	for n := len(j.Roles); n > 0 && j.Roles[n-1].unused(); n-- {
		j.Roles = j.Roles[:n-1]
	}
}

// NumRoles is the number of roles that members have or minimums name. Roles may be longer: its indexes are reused.
func (j *Job) NumRoles() (n int) {
	for i := range j.Roles {
		if !j.Roles[i].unused() {
			n++
		}
	}
	return n
}

// spares says that a PodGroup keeps its members from being evicted.
func spares(g *model.PodGroup) bool { return g != nil && g.Spared }

// applyGroup returns the job's row, which may be free when the group is gone.
func (l *Ledger) applyGroup(k Key, g *model.PodGroup) JobID {
	j := l.job(JobKey{Namespace: k.Namespace, Name: k.Name})
	job := &l.jobs[j]
	if job.phaseHeld || job.lending != Keeps || job.from != 0 || job.podless != 0 {
		l.recommitted.job(job.Key)
	}
	life := job.Group != nil && g != nil && job.Group.UID == g.UID
	if !life {
		l.forgetLending(job)
		job.from, job.podless = 0, 0
	}
	if g != nil && !life {
		l.arrivals, job.Recent = l.arrivals+1, false
	}
	old := job.Group
	job.Group = g
	job.paused = l.pausesWhole(j)
	l.resub(j, old)
	l.define(j)
	if job = &l.jobs[j]; (old == nil) != (g == nil) {
		l.touchMembers(j) // which of them may be evicted has changed: see victims
	}
	switch {
	case g == nil:
		job.Phase, job.phaseHeld = model.GroupPending, false
	case !life || !job.phaseHeld || job.Phase == g.Phase:
		job.Phase, job.phaseHeld = g.Phase, false
	}
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
	l.rate(j, job)
	if spares(old) != spares(g) {
		l.touchMembers(j)
	}
	l.roomEpoch++
	l.dropJob(j)
	return j
}
