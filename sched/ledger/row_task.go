package ledger

import "ashlar.sh/sched/model"

// Tasks holds the rows of tasks, by pod.
type Tasks struct {
	l *Ledger

	rows        []Task
	free        []TaskID
	byKey       byKey[TaskID]
	none        *Commitment  // the commitment of every task that has none
	commitments []Commitment // memory for commitments to come; rows point into it
	Runs        Runs
	Lingering   Lingering
}

// Task is the row of a pod.
type Task struct {
	Key         Key
	Pod         *model.Pod
	Job         JobID // NoJob: a pod of another scheduler
	Role        int32 // index in its job's Roles, -1 without a job
	Sub         int32 // index in its job's Subs, -1 in no sub-group
	Class       ClassID
	Node        NodeID // where it holds room, is terminating, or is pipelined
	Status      model.Status
	Unsound     bool // it has a fatal fault and is set aside: never placed
	waived      bool // the room that is kept for it does not count within this try
	covered     Covered
	provisional bool // moved by a statement that is not in the plan; the next cycle takes it back
	lingers     bool // if it is terminating: see Lingering
	free        bool
	charged     bool        // it counts in its job's queue until it ends
	Priority    int32       // by spec.priority or its priority class: compared with other jobs
	Order       int32       // by volcano.sh/task-priority, else Priority: compared with tasks of its own job
	Commitment  *Commitment // never nil; a Commitment is never changed, only replaced
	Chosen      Chosen      // with its node, until its fact shows the node

	version uint64 // of its fact
	at      [numLists]neighbours
}

// Placeable says that the task may be given a node: it is ours and pending, not gated and not set aside.
func (t *Task) Placeable() bool {
	return t.Status == model.Pending && !t.Pod.Gated && t.Job != NoJob && !t.Unsound
}

// Task returns the row of a task.
func (l *Ledger) Task(t TaskID) *Task { return &l.Tasks.rows[t] }

// MayBeEvicted reports whether neither the pod nor its PodGroup says that it may not be evicted
// (volcano.sh/preemptable: "false").
func (ts *Tasks) MayBeEvicted(t TaskID) bool {
	task := &ts.rows[t]
	if !task.Pod.Preemptable {
		return false
	}
	return task.Job == NoJob || ts.l.Jobs.rows[task.Job].Group == nil || !ts.l.Jobs.rows[task.Job].Group.Protected
}

// Len is an upper bound for TaskIDs.
func (ts *Tasks) Len() int { return len(ts.rows) }

// NumPods is the number of pods in the ledger.
func (ts *Tasks) NumPods() int { return len(ts.rows) - len(ts.free) }

// Find returns the row of a pod, and false when there is none.
func (ts *Tasks) Find(k Key) (TaskID, bool) {
	return ts.byKey.find(k.Namespace, k.Name)
}

// Each yields every task, in the order of rows.
func (ts *Tasks) Each(yield func(TaskID) bool) {
	for i := range ts.rows {
		if !ts.rows[i].free && !yield(TaskID(i)) {
			return
		}
	}
}

// apply returns the pod's row, NoTask when it is gone.
func (ts *Tasks) apply(k Key, p *model.Pod) TaskID {
	old, known := ts.Find(k)
	if known {
		ts.l.Losses.note(old, p)
	}
	if known && (p == nil || ts.rows[old].Pod.UID != p.UID) {
		ts.remove(old)
		known = false
	}
	if p == nil {
		return NoTask
	}
	if !known {
		old = ts.row(k)
		ts.add(old, p, ts.none, NoJob, NoClass)
		ts.l.Changes.arrive(ts.rows[old].Job, nil, p)
		return old
	}
	was, commitment, before := ts.rows[old].Pod, ts.rows[old].Commitment, ts.occupied(old)
	// Keep class, job and node while the row is detached and nothing names them: an adopted job keeps its
	// phase, a commitment its node.
	class := ts.rows[old].Class
	ts.l.Classes.rows[class].refs++
	if !stillOpen(commitment, p) {
		commitment = ts.none
	}
	stay := ts.l.Charges.stay(&ts.rows[old], p, commitment)
	if stay != NoJob {
		ts.l.Jobs.rows[stay].marks.charged++ // while the row is detached
	}
	job, node := ts.detach(old)
	same := NoClass
	if p.Spec == was.Spec { // as where only what the pod does has changed: facts are never changed themselves
		same = class
	}
	ts.add(old, p, commitment, stay, same)
	if stay != NoJob {
		ts.rows[old].charged = true
		ts.l.Charges.stray(old)
	}
	if ts.rows[old].Job != job {
		ts.readmit(job)
		was = nil
	}
	ts.l.Changes.arrive(ts.rows[old].Job, was, p)
	ts.l.Classes.drop(class)
	ts.dropUnnamed(job, node)
	if before != ts.occupied(old) {
		ts.l.Changes.roomEpoch++
	}
	return old
}

// readmit clears an adopted job's admission when a member leaves it. If that member had been the only one, the
// job would have gone with it and come back with the next pod. Which of two pods was seen first must make no
// difference.
func (ts *Tasks) readmit(j JobID) {
	if j == NoJob || !ts.l.Jobs.rows[j].Key.Adopted {
		return
	}
	ts.l.Jobs.rows[j].Phase, ts.l.Jobs.rows[j].decided.open, ts.l.Jobs.rows[j].Recent = model.GroupPending, false, false
	ts.l.Changes.recommitted.job(ts.l.Jobs.rows[j].Key)
	ts.l.accounts.refreshAll(j)
	ts.l.Changes.mark(j)
	ts.l.Jobs.activate(j)
}

// occupied is the room that a task takes from other tasks: where it changes, it may leave them room; where it stays
// the same (bound, then running) it does not.
type occupied struct {
	node NodeID
	spec *Class
	how  Hold
}

func (ts *Tasks) occupied(t TaskID) occupied {
	row := &ts.rows[t]
	switch {
	case row.hasKeptRoom():
		return occupied{row.Commitment.Node, &ts.l.Classes.rows[row.Class], hold(model.Pipelined)}
	case row.Node == NoNode:
		return occupied{node: NoNode}
	}
	return occupied{row.Node, &ts.l.Classes.rows[row.Class], row.Hold()}
}

func (ts *Tasks) row(k Key) TaskID {
	t := newRow(&ts.rows, &ts.free)
	ts.rows[t] = Task{Key: k, Commitment: ts.none, Job: NoJob, Role: -1, Sub: -1, Class: NoClass, Node: NoNode,
		at: offLists}
	ts.byKey.put(k.Namespace, k.Name, t)
	return t
}

// add gives a detached row its content and adds its figures. The task becomes a member of the job stay,
// or, where that is NoJob, of the job that its pod names. class is what the row's class was with the same spec, or
// NoClass.
func (ts *Tasks) add(t TaskID, p *model.Pod, commitment *Commitment, stay JobID, class ClassID) {
	row := &ts.rows[t]
	_, bad := p.SetAside()
	unnamed := ts.recommit(row, commitment)
	row.Pod, row.provisional, row.waived, row.Unsound = p, false, false, bad
	row.covered = 0
	row.Priority, row.Order = ts.l.Priorities.of(p), ts.l.Priorities.order(p)
	if row.Class = ts.l.Classes.again(class, p.Spec, bad); row.Class == NoClass {
		row.Class = ts.l.Classes.of(p.Spec, bad)
	}
	if p.Ours || stay != NoJob {
		ts.l.Jobs.join(t, stay)
	}
	row.Status, row.Node = ts.observed(row)
	ts.Lingering.note(t)
	row.Chosen = row.Commitment.Chosen
	ts.l.accounts.enter(t)
	ts.l.Classes.reclass(t)
	ts.dropUnnamed(NoJob, unnamed)
	if row.Status == model.Releasing {
		ts.l.Changes.roomEpoch++
	}
	ts.l.Charges.await(t)
}

// detach takes a row's figures out. The row stays, and so do the rows of its job and node, which are returned
// for dropUnnamed.
func (ts *Tasks) detach(t TaskID) (JobID, NodeID) {
	ts.l.accounts.leave(t)
	row := &ts.rows[t]
	job, node := row.Job, row.Node
	row.Node = NoNode
	if row.Job != NoJob {
		ts.l.Jobs.part(t)
	}
	ts.l.Classes.drop(row.Class)
	row.Class = NoClass
	return job, node
}

// dropUnnamed frees the rows of a job and a node if nothing names them any more.
func (ts *Tasks) dropUnnamed(j JobID, n NodeID) {
	if j != NoJob {
		ts.l.Jobs.drop(j)
	}
	if n != NoNode {
		ts.l.Nodes.drop(n)
	}
}

func (ts *Tasks) remove(t TaskID) {
	if ts.rows[t].Node != NoNode || ts.rows[t].hasKeptRoom() {
		ts.l.Changes.roomEpoch++
	}
	job, node := ts.detach(t)
	ts.Lingering.forget(t)
	unnamed := ts.recommit(&ts.rows[t], ts.none)
	ts.readmit(job)
	ts.dropUnnamed(job, node)
	ts.dropUnnamed(NoJob, unnamed)
	ts.byKey.drop(ts.rows[t].Key.Namespace, ts.rows[t].Key.Name)
	ts.rows[t] = Task{free: true, Commitment: ts.none, Job: NoJob, Node: NoNode, Class: NoClass}
	ts.free = append(ts.free, t)
}

// observed returns a task's status and node by its fact and its commitment, without the moves of this cycle.
func (ts *Tasks) observed(row *Task) (model.Status, NodeID) {
	p := row.Pod
	switch p.Phase {
	case model.PodSucceeded:
		return model.Succeeded, NoNode
	case model.PodFailed:
		return model.Failed, NoNode
	}
	at := NoNode
	if p.Node != "" {
		at = ts.l.Nodes.row(p.Node)
	}
	switch {
	case p.Deleting || row.Commitment.Kind == CommitEvict:
		return model.Releasing, at
	case at == NoNode && row.Commitment.Kind == CommitBind:
		return model.Binding, row.Commitment.Node
	case at == NoNode && row.Commitment.Kind == CommitNominate:
		return model.Pipelined, row.Commitment.Node
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
func (ts *Tasks) rebase(t TaskID) {
	row := &ts.rows[t]
	row.provisional = false
	if s, n := ts.observed(row); s != row.Status || n != row.Node || row.Chosen != row.Commitment.Chosen {
		if row.Node != NoNode || s == model.Releasing {
			ts.l.Changes.roomEpoch++
		}
		was := row.Node
		ts.l.accounts.movePlacing(t, s, n, row.Commitment.Chosen)
		ts.dropUnnamed(NoJob, was)
		switch {
		case row.charged && !row.holdsRoom() && ts.l.Charges.strays(row):
			ts.l.Charges.rejoin(t, NoJob)
		case row.charged && !row.holdsRoom():
			ts.l.Charges.discharge(t)
		default:
			ts.l.Charges.await(t)
		}
	}
}
