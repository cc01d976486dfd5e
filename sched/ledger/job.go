package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// Job is the row of a gang: a PodGroup with its pods, or pods adopted.
type Job struct {
	Key       JobKey
	Group     *model.PodGroup // nil: adopted, or named by pods and never seen
	Queue     QueueID         // NoQueue without a sound PodGroup: see QueueName
	MinMember int32
	Roles     []Role
	Subs      []SubJob // sub-groups, where the PodGroup has a subGroupPolicy
	Count              // of all members
	Tasks     int32    // members, of any status
	Gated     int32    // pending members with scheduling gates
	Invalid   int32    // members set aside at the door
	Priority  int32
	Created   int64
	MaxWait   int64            // nanoseconds it asks to wait at most (sla-waiting-time); 0: it does not say
	Phase     model.GroupPhase // by its fact, or as decided and not yet visible
	Changed   uint64           // differs whenever a member or the group's fact changed
	version   uint64           // of the group's fact

	MinResources resource.Vec
	HasMin       bool
	Allocated    resource.Sums // of members that hold room or are promised it
	Request      resource.Sums // Allocated, and members that wait to be placed
	Total        resource.Sums // members not finished
	unfinished   int32
	gatedNeed    resource.Sums

	yielded   bool // keeps no room for its minimum: no node takes it
	phaseHeld bool
	phaseItem uint64
	definer   TaskID // the member an adopted job takes its queue, minimum and priority from
	first     [model.NumStatus]TaskID
	elastic   resource.Vec // this job's part in its queue's Elastic
	inqueue   resource.Vec // … and Inqueue
	reserves  bool
	above     bool // holds more members than its minimum
	activeAt  int32
	dirty     bool
	stirred   bool
	free      bool
}

// Exists says that there is something to schedule for: a PodGroup, or pods that need
// none.
func (j *Job) Exists() bool { return j.Group != nil || j.Key.Adopted }

// Job returns the row of a job.
func (l *Ledger) Job(j JobID) *Job { return &l.jobs[j] }

// jobByKey is the table that a key is in: PodGroups and adopted jobs may share names.
func (l *Ledger) jobByKey(k JobKey) *byKey[JobID] {
	if k.Adopted {
		return &l.adopted
	}
	return &l.groups
}

// NumJobs is an upper bound for JobIDs.
func (l *Ledger) NumJobs() int { return len(l.jobs) }

// FindJob returns the row of a job, and false when there is none.
func (l *Ledger) FindJob(k JobKey) (JobID, bool) {
	return l.jobByKey(k).find(k.Namespace, k.Name)
}

// Jobs yields every job that has a PodGroup or members, in the order of rows.
func (l *Ledger) Jobs(yield func(JobID) bool) {
	for i := range l.jobs {
		if !l.jobs[i].free && !yield(JobID(i)) {
			return
		}
	}
}

// JobTasks yields a job's members of one status, in no order that may be decided by.
func (l *Ledger) JobTasks(j JobID, s model.Status, yield func(TaskID) bool) {
	for t := l.jobs[j].first[s]; t != NoTask; t = l.tasks[t].jobNext {
		if !yield(t) {
			return
		}
	}
}

// job returns the row of a job, making it at first sight; define gives a new one its
// queue.
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
	row := Job{Key: k, definer: NoTask, Queue: NoQueue, activeAt: -1, MinMember: 1, Changed: was.Changed + 1, dirty: was.dirty, stirred: was.stirred}
	for s := range row.first {
		row.first[s] = NoTask
	}
	l.jobs[j] = row
	l.jobByKey(k).put(k.Namespace, k.Name, j)
	return j
}

// dropJob frees a job that neither a fact nor a pod names.
func (l *Ledger) dropJob(j JobID) {
	row := &l.jobs[j]
	if row.Group != nil || row.Tasks > 0 {
		return
	}
	l.setQueue(j, NoQueue)
	l.deactivate(j)
	l.stir(j, row)
	l.jobByKey(row.Key).drop(row.Key.Namespace, row.Key.Name)
	*row = Job{free: true, definer: NoTask, Queue: NoQueue, activeAt: -1, dirty: row.dirty, stirred: row.stirred, Changed: row.Changed}
	l.jobFree = append(l.jobFree, j)
}

// join makes a pod a member of its job; part is the inverse. Neither moves figures
// that depend on the status: enter and leave do.
func (l *Ledger) join(t TaskID) {
	row := &l.tasks[t]
	p := row.Pod
	k := JobKey{p.Namespace, p.Group, false}
	if p.Group == "" {
		k.Name, k.Adopted = p.Owner, true
		if p.Owner == "" {
			k.Name = p.Name
		}
	}
	j := l.job(k)
	row.Job, row.Role = j, l.role(j, p.Role)
	row.Sub = l.subJob(j, p)
	job := &l.jobs[j]
	if row.Sub >= 0 {
		job.Subs[row.Sub].tasks++
	}
	job.Tasks++
	if l.classes[row.Class].Invalid {
		job.Invalid++
	}
	if !podFinished(p) {
		job.unfinished++
		job.Total = job.Total.Add(l.quota(row.Class))
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
	job.Tasks--
	if l.classes[row.Class].Invalid {
		job.Invalid--
	}
	if !podFinished(row.Pod) {
		job.unfinished--
		job.Total = job.Total.Sub(l.quota(row.Class))
	}
	if row.Sub >= 0 {
		job.Subs[row.Sub].tasks--
	}
	row.Job, row.Role, row.Sub = NoJob, -1, -1
	if job.definer == t {
		job.definer = NoTask
		for s := range job.first {
			for o := job.first[s]; o != NoTask; o = l.tasks[o].jobNext {
				if job.definer == NoTask || l.defines(o, job.definer) {
					job.definer = o
				}
			}
		}
		if job.definer != NoTask {
			l.define(j)
		}
	}
	l.refreshAll(j)
	l.mark(j)
}

func podFinished(p *model.Pod) bool {
	return p.Phase == model.PodSucceeded || p.Phase == model.PodFailed
}

// defines is a total order of members: the oldest, then the first by name.
func (l *Ledger) defines(a, b TaskID) bool {
	x, y := l.tasks[a].Pod, l.tasks[b].Pod
	if x.Created != y.Created {
		return x.Created < y.Created
	}
	return x.Name < y.Name
}

// define sets what a job takes from its PodGroup, or from its defining member where
// there is none.
func (l *Ledger) define(j JobID) {
	job := &l.jobs[j]
	priority := job.Priority
	queue, minMember := "", int32(1)
	var mins []model.RoleMin
	job.Priority, job.MaxWait, job.MinResources, job.HasMin = 0, 0, nil, false
	switch {
	case job.Group != nil:
		g := job.Group
		queue, minMember, mins = g.Queue, g.MinMember, g.MinTaskMember
		job.Created, job.Priority, job.MaxWait = g.Created, l.classPriority(g.PriorityClass), g.MaxWait
		if job.HasMin = g.HasMin; len(g.MinResources) > 0 {
			job.MinResources = l.Dims.Vec(g.MinResources).Set(resource.Pods, 0)
		}
	case job.definer != NoTask:
		p := l.tasks[job.definer].Pod
		job.Created = p.Created
		if job.Key.Adopted {
			queue, minMember = p.Adopt.Queue, max(1, p.Adopt.MinMember)
			job.Priority, job.MaxWait = l.podPriority(p), p.Adopt.MaxWait
		}
	}
	l.widen()
	job.MinMember = minMember
	l.setRoles(j, mins)
	if queue == "" {
		queue = model.DefaultQueue
	}
	if !job.Exists() || job.setAside() {
		l.setQueue(j, NoQueue)
	} else {
		l.setQueue(j, l.queue(queue))
	}
	l.refreshAll(j)
	if job = &l.jobs[j]; job.Priority != priority {
		l.touchMembers(j)
	}
	l.rate(j, job)
}

// setAside says that the job's PodGroup was refused at the door. Such a job, like one
// whose PodGroup is missing, belongs to no queue: what it asks for is nobody's, so
// that no queue deserves more or less for it.
func (j *Job) setAside() bool {
	if j.Group == nil {
		return false
	}
	_, bad := j.Group.SetAside()
	return bad
}

// QueueName is the queue that a job names, whether or not it counts there; empty for
// pods whose PodGroup is missing.
func (l *Ledger) QueueName(j JobID) string {
	job := &l.jobs[j]
	switch {
	case job.Queue != NoQueue:
		return l.queues[job.Queue].Name
	case job.Group != nil && job.Group.Queue == "":
		return model.DefaultQueue
	case job.Group != nil:
		return job.Group.Queue
	default:
		return ""
	}
}

// setRoles sets the roles' minimums; they are ignored when they ask for more than
// the job's own minimum (semantics §3.3).
func (l *Ledger) setRoles(j JobID, mins []model.RoleMin) {
	job := &l.jobs[j]
	sum := int64(0)
	for i := range job.Roles {
		job.Roles[i].Min = 0
	}
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
	job := &l.jobs[j]
	for i := range job.Roles {
		if job.Roles[i].Name == name {
			return int32(i)
		}
	}
	job.Roles = append(job.Roles, Role{Name: name})
	return int32(len(job.Roles) - 1)
}

// applyGroup returns the job's row, which may be free when the group is gone.
func (l *Ledger) applyGroup(k Key, g *model.PodGroup) JobID {
	j := l.job(JobKey{k.Namespace, k.Name, false})
	job := &l.jobs[j]
	life := job.Group != nil && g != nil && job.Group.UID == g.UID
	job.yielded = job.yielded && life
	old := job.Group
	job.Group = g
	l.resub(j, old)
	l.define(j)
	job = &l.jobs[j]
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
	l.grown++
	l.dropJob(j)
	return j
}
