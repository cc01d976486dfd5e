package ledger

import "ashlar.sh/sched/model"

// Task is the row of a pod.
type Task struct {
	Key       Key
	Pod       *model.Pod
	Job       JobID // NoJob: a pod of another scheduler
	Role      int32 // index in its job's Roles, -1 without a job
	Sub       int32 // index in its job's Subs, -1 in no sub-group
	Class     ClassID
	Node      NodeID // where it holds room, is terminating, or is promised room
	Status    model.Status
	Unsound   bool // it has a fatal fault and is set aside: never placed
	waived    bool // its claim does not count within this try
	nominated bool // moved by a statement that is not in the plan; the next cycle takes it back
	free      bool
	charged   bool        // it counts in its job's queue until it ends
	Priority  int32       // by spec.priority or its priority class: compared with other jobs
	Order     int32       // by volcano.sh/task-priority, else Priority: compared with tasks of its own job
	Held      *Commitment // never nil; a Commitment is never changed, only replaced
	Chosen    Chosen      // with its node, until its fact shows the node

	version            uint64 // of its fact
	jobPrev, jobNext   TaskID // its job's tasks of one status
	nodePrev, nodeNext TaskID
	subPrev, subNext   TaskID // its sub-group's tasks
}

// Placeable says that the task may be given a node: it is ours and pending, not gated and not set aside.
func (t *Task) Placeable() bool {
	return t.Status == model.Pending && !t.Pod.Gated && t.Job != NoJob && !t.Unsound
}

// CommitKind is the kind of a decision about a task that its fact does not show yet.
type CommitKind uint8

// The kinds of commitments of a task, each with the API field that keeps it over a restart.
const (
	NoCommit      CommitKind = iota
	CommitBind               // spec.nodeName, once the bind is through; lost before that
	CommitEvict              // metadata.deletionTimestamp, once the delete is through; lost before that
	CommitReserve            // status.nominatedNodeName (decision 13)
	CommitSpare              // its eviction was denied: it is not evicted again until then; lost at a restart
	CommitClaim              // room is kept for it until other tasks have left it, see Claim; lost at a restart
	CommitOpen               // its queue gate is to be removed: spec.schedulingGates, once that is done; lost before that
)

// Beneficiary says for which task, of those that have a reservation by the eviction, a task is evicted.
type Beneficiary uint8

// The beneficiaries.
const (
	ForNobody     Beneficiary = iota // no task has a reservation by it
	ForItsQueue                      // a task of its own queue
	ForOtherQueue                    // a task of another queue
)

// Commitment is a decision that the facts do not show yet.
type Commitment struct {
	Kind CommitKind
	For  Beneficiary // CommitEvict
	Told bool        // CommitEvict: the request was accepted, and the task will go
	Node NodeID
	Item uint64 // the plan item that asked for it
	// Statement is that of the item: evictions and the reservations they were made for share it.
	Statement uint64
	Until     int64 // nanoseconds since the epoch; 0: until the facts show it or a receipt denies it

	// Chosen is what Allocators chose along with the node. CommitBind: binding makes it effective first.
	// CommitReserve: what they promised (see Promiser).
	Chosen Chosen
}

// names returns the node to which the commitment alone assigns its task, or on which it keeps room for it;
// NoNode for a commitment that names no place for the task.
func (c *Commitment) names() NodeID {
	if c.Kind != CommitBind && c.Kind != CommitReserve && c.Kind != CommitClaim {
		return NoNode
	}
	return c.Node
}

// Task returns the row of a task.
func (l *Ledger) Task(t TaskID) *Task { return &l.tasks[t] }

// MayBeEvicted reports whether neither the pod nor its PodGroup says that it may not be evicted
// (volcano.sh/preemptable: "false").
func (l *Ledger) MayBeEvicted(t TaskID) bool {
	task := &l.tasks[t]
	if !task.Pod.Preemptable {
		return false
	}
	return task.Job == NoJob || l.jobs[task.Job].Group == nil || !l.jobs[task.Job].Group.Spared
}

// NumTasks is an upper bound for TaskIDs.
func (l *Ledger) NumTasks() int { return len(l.tasks) }

// NumPods is the number of pods in the ledger.
func (l *Ledger) NumPods() int { return len(l.tasks) - len(l.taskFree) }

// FindTask returns the row of a pod, and false when there is none.
func (l *Ledger) FindTask(k Key) (TaskID, bool) {
	return l.taskByKey.find(k.Namespace, k.Name)
}

// Tasks yields every task, in the order of rows.
func (l *Ledger) Tasks(yield func(TaskID) bool) {
	for i := range l.tasks {
		if !l.tasks[i].free && !yield(TaskID(i)) {
			return
		}
	}
}

// NodeTasks yields the tasks that hold room on a node, are terminating there, or are promised room. Decisions
// must not depend on their order.
func (l *Ledger) NodeTasks(n NodeID, yield func(TaskID) bool) {
	for t := l.nodes[n].first; t != NoTask; t = l.tasks[t].nodeNext {
		if !yield(t) {
			return
		}
	}
}

// applyPod returns the pod's row, NoTask when it is gone.
func (l *Ledger) applyPod(k Key, p *model.Pod) TaskID {
	old, known := l.FindTask(k)
	if known {
		l.lose(old, p)
	}
	if known && (p == nil || l.tasks[old].Pod.UID != p.UID) {
		l.removeTask(old)
		known = false
	}
	if p == nil {
		return NoTask
	}
	if !known {
		old = l.newTask(k)
		l.addTask(old, p, l.none, NoJob)
		l.arrive(l.tasks[old].Job, nil, p)
		return old
	}
	was, held, before := l.tasks[old].Pod, l.tasks[old].Held, l.footing(old)
	// Keep class, job and node while the row is detached and nothing names them: an adopted job keeps its
	// phase, a commitment its node.
	class := l.tasks[old].Class
	l.classes[class].refs++
	if !stillOpen(held, p) {
		held = l.none
	}
	stay := l.stay(&l.tasks[old], p, held)
	if stay != NoJob {
		l.jobs[stay].charged++ // while the row is detached
	}
	job, node := l.detach(old)
	l.addTask(old, p, held, stay)
	if stay != NoJob {
		l.tasks[old].charged = true
		l.stray(old)
	}
	if l.tasks[old].Job != job {
		l.readmit(job)
		was = nil
	}
	l.arrive(l.tasks[old].Job, was, p)
	l.dropClass(class)
	l.dropUnnamed(job, node)
	if before != l.footing(old) {
		l.roomEpoch++
	}
	return old
}

// readmit clears an adopted job's admission when a member leaves it. If that member had been the only one, the
// job would have gone with it and come back with the next pod. Which of two pods was seen first must make no
// difference.
func (l *Ledger) readmit(j JobID) {
	if j == NoJob || !l.jobs[j].Key.Adopted {
		return
	}
	l.jobs[j].Phase, l.jobs[j].phaseHeld, l.jobs[j].Recent = model.GroupPending, false, false
	l.recommitted.job(l.jobs[j].Key)
	l.refreshAll(j)
	l.mark(j)
	l.activate(j)
}

// footing is what a task withholds from other tasks: a task of which the footing changes may leave them room;
// one that keeps its footing (bound, then running) does not.
type footing struct {
	node NodeID
	spec *Class
	how  Hold
}

func (l *Ledger) footing(t TaskID) footing {
	row := &l.tasks[t]
	switch {
	case row.claims():
		return footing{row.Held.Node, &l.classes[row.Class], hold(model.Pipelined)}
	case row.Node == NoNode:
		return footing{node: NoNode}
	}
	return footing{row.Node, &l.classes[row.Class], hold(row.Status)}
}

// stillOpen says that a pod's fact neither shows nor contradicts a commitment yet.
func stillOpen(c *Commitment, p *model.Pod) bool {
	finished := p.Phase == model.PodSucceeded || p.Phase == model.PodFailed
	switch c.Kind {
	case CommitBind, CommitReserve:
		return p.Node == "" && !p.Deleting && !finished
	case CommitClaim:
		return p.Ours && p.Node == "" && !p.Deleting && !finished && !p.Gated
	case CommitEvict, CommitSpare:
		return !p.Deleting && !finished
	case CommitOpen:
		return p.QueueGate == model.QueueGateShut && p.Node == "" && !p.Deleting && !finished
	default:
		return false
	}
}

func (l *Ledger) newTask(k Key) TaskID {
	var t TaskID
	if n := len(l.taskFree); n > 0 {
		t = l.taskFree[n-1]
		l.taskFree = l.taskFree[:n-1]
	} else {
		t = TaskID(len(l.tasks))
		l.tasks = append(l.tasks, Task{})
	}
	l.tasks[t] = Task{Key: k, Held: l.none, Job: NoJob, Role: -1, Sub: -1, Class: NoClass, Node: NoNode,
		jobPrev: NoTask, jobNext: NoTask, nodePrev: NoTask, nodeNext: NoTask, subPrev: NoTask, subNext: NoTask}
	l.taskByKey.put(k.Namespace, k.Name, t)
	return t
}

// addTask gives a detached row its content and adds its figures. The task becomes a member of the job stay,
// or, where that is NoJob, of the job that its pod names.
func (l *Ledger) addTask(t TaskID, p *model.Pod, held *Commitment, stay JobID) {
	row := &l.tasks[t]
	_, bad := p.SetAside()
	unnamed := l.recommit(row, held)
	row.Pod, row.nominated, row.waived, row.Unsound = p, false, false, bad
	row.Priority, row.Order = l.podPriority(p), l.podOrder(p)
	row.Class = l.class(p.Spec, bad)
	if p.Ours || stay != NoJob {
		l.join(t, stay)
	}
	row.Status, row.Node = l.observed(row)
	row.Chosen = row.Held.Chosen
	l.enter(t)
	l.reclass(t)
	l.dropUnnamed(NoJob, unnamed)
	if row.Status == model.Releasing {
		l.roomEpoch++
	}
	l.awaitCharge(t)
}

// recommit replaces a row's commitment. It returns the node that the old one named, for dropUnnamed once the
// task has its new place.
func (l *Ledger) recommit(row *Task, c *Commitment) (was NodeID) {
	if row.Held != c {
		l.recommitted.task(row.Key)
	}
	was = row.Held.names()
	if n := c.names(); n != NoNode {
		l.nodes[n].named++
	}
	if row.Held = c; was != NoNode {
		l.nodes[was].named--
	}
	return was
}

// detach takes a row's figures out. The row stays, and so do the rows of its job and node, which are returned
// for dropUnnamed.
func (l *Ledger) detach(t TaskID) (JobID, NodeID) {
	l.leave(t)
	row := &l.tasks[t]
	job, node := row.Job, row.Node
	row.Node = NoNode
	if row.Job != NoJob {
		l.part(t)
	}
	l.dropClass(row.Class)
	row.Class = NoClass
	return job, node
}

// dropUnnamed frees the rows of a job and a node if nothing names them any more.
func (l *Ledger) dropUnnamed(j JobID, n NodeID) {
	if j != NoJob {
		l.dropJob(j)
	}
	if n != NoNode {
		l.dropNode(n)
	}
}

func (l *Ledger) removeTask(t TaskID) {
	if l.tasks[t].Node != NoNode || l.tasks[t].claims() {
		l.roomEpoch++
	}
	job, node := l.detach(t)
	held := l.recommit(&l.tasks[t], l.none)
	l.readmit(job)
	l.dropUnnamed(job, node)
	l.dropUnnamed(NoJob, held)
	l.taskByKey.drop(l.tasks[t].Key.Namespace, l.tasks[t].Key.Name)
	l.tasks[t] = Task{free: true, Held: l.none, Job: NoJob, Node: NoNode, Class: NoClass}
	l.taskFree = append(l.taskFree, t)
}

// observed returns a task's status and node by its fact and its commitment, without the moves of this cycle.
func (l *Ledger) observed(row *Task) (model.Status, NodeID) {
	p := row.Pod
	switch p.Phase {
	case model.PodSucceeded:
		return model.Succeeded, NoNode
	case model.PodFailed:
		return model.Failed, NoNode
	}
	at := NoNode
	if p.Node != "" {
		at = l.node(p.Node)
	}
	switch {
	case p.Deleting || row.Held.Kind == CommitEvict:
		return model.Releasing, at
	case at == NoNode && row.Held.Kind == CommitBind:
		return model.Binding, row.Held.Node
	case at == NoNode && row.Held.Kind == CommitReserve:
		return model.Pipelined, row.Held.Node
	case at == NoNode:
		return model.Pending, NoNode
	case p.Phase == model.PodRunning:
		return model.Running, at
	case p.Phase == model.PodUnknown:
		return model.Unknown, at
	default:
		return model.Bound, at
	}
}

// rebase puts a task back to the status and node of observed.
func (l *Ledger) rebase(t TaskID) {
	row := &l.tasks[t]
	row.nominated = false
	if s, n := l.observed(row); s != row.Status || n != row.Node || row.Chosen != row.Held.Chosen {
		if row.Node != NoNode || s == model.Releasing {
			l.roomEpoch++
		}
		was := row.Node
		l.movePlacing(t, s, n, row.Held.Chosen)
		l.dropUnnamed(NoJob, was)
		switch {
		case row.charged && !row.holdsRoom() && l.strays(row):
			l.rejoin(t, NoJob)
		case row.charged && !row.holdsRoom():
			l.discharge(t)
		default:
			l.awaitCharge(t)
		}
	}
}

func (l *Ledger) podPriority(p *model.Pod) int32 {
	if p.HasPriority {
		return p.Priority
	}
	return l.classPriority(p.PriorityClass)
}

// podOrder is a pod's priority among the pods of its job.
func (l *Ledger) podOrder(p *model.Pod) int32 {
	if p.HasTaskPriority {
		return p.TaskPriority
	}
	return l.podPriority(p)
}

// PreemptsNever says that no task may be evicted for this one: by its preemptionPolicy, or by that of its
// priority class if it has none of its own.
func (l *Ledger) PreemptsNever(t TaskID) bool {
	p := l.tasks[t].Pod
	if p.PreemptNever {
		return true
	}
	c := l.priorities[p.PriorityClass]
	return c != nil && c.PreemptNever && !p.PreemptSet
}

// classPriority is the value of a priority class: that of its fact; for the two classes that every cluster
// has, the value that Kubernetes defines; for an unknown name, the global default.
func (l *Ledger) classPriority(name string) int32 {
	if c := l.priorities[name]; c != nil {
		return c.Value
	}
	switch name {
	case "system-cluster-critical":
		return 2_000_000_000
	case "system-node-critical":
		return 2_000_001_000
	}
	if l.globalPriority != nil {
		return l.globalPriority.Value
	}
	return 0
}
