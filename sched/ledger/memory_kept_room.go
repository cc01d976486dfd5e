package ledger

import (
	"slices"

	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// KeptRoom holds the room that is kept for tasks that wait, while others that came later still hold it.
type KeptRoom struct {
	l *Ledger

	pending int     // pending tasks for which room is kept
	jobs    []JobID // their jobs, and maybe jobs for which none is kept any more
	waived  []TaskID
	beside  []roomFor
	version uint64
	inTry   bool // the tasks for which room is kept changed in the open try
}

// Kept room is room on a node that is kept for a pending task while other tasks still hold it: when they leave, no
// job that comes after the task's job gets that room. On its node it counts as Pipelined. The task's status does not
// change: it is Pending, has no node, and adds nothing to Allocated of its job and queue. Its queues count it as
// KeptRoom.
//
// No room is kept any more for a task that is not Pending. Inside a try kept room can be waived, for a job that goes
// before. When the outermost try is over, waived room counts again.

// Keep keeps room for a pending task on a node until a time.
func (kr *KeptRoom) Keep(t TaskID, n NodeID, until int64) {
	kr.l.SetCommitment(t, Commitment{Kind: CommitKeptRoom, Node: n, Until: until})
}

// Plan keeps room for a pending task on a node until a time, for the planned start of its job, and of what Allocators
// chose there what Keepers did.
func (kr *KeptRoom) Plan(t TaskID, n NodeID, c Chosen, start *PlannedStart, until int64) {
	kr.l.SetCommitment(t, Commitment{Kind: CommitKeptRoom, Node: n, Until: until, Planned: start,
		Chosen: kr.l.PluginStates.kept(c)})
}

// Start is when a job is to start in room that is kept for it, and what was planned first; 0: no start is planned.
func (kr *KeptRoom) Start(j JobID) (start, first int64) {
	if kr.l.Jobs.rows[j].RoomKept == 0 {
		return 0, 0
	}
	kr.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool { // order-free: all have the same
		row := &kr.l.Tasks.rows[t]
		if !row.hasKeptRoom() {
			return true
		}
		if p := row.Commitment.Planned; p != nil {
			start, first = p.At, p.First
		}
		return false
	})
	return start, first
}

// Planned says that a job has a planned start.
func (kr *KeptRoom) Planned(j JobID) bool {
	start, _ := kr.Start(j)
	return start != 0
}

// Covered says what of the room that is kept for a task others will give back before its planned start. What is
// covered counts neither as Pipelined on the node nor as KeptRoom of the queue.
type Covered uint8

// The parts of kept room.
const (
	NodeCovered Covered = 1 << iota
	QueueCovered
)

// Cover sets what of the room that is kept for a task is covered. It is found anew in each cycle, and must not be
// called inside a try. since says that room which is covered now was not before, and others may have it.
func (kr *KeptRoom) Cover(t TaskID, c Covered, since bool) {
	row := &kr.l.Tasks.rows[t]
	if row.covered == c || !row.hasKeptRoom() {
		return
	}
	if since && c&^row.covered != 0 {
		kr.l.Changes.roomEpoch++
	}
	kr.l.Changes.stateEpoch++
	kr.l.accounts.removeFromNode(t)
	row.covered = c
	kr.l.accounts.addToNode(t)
}

// Version changes when room is kept for other tasks, or elsewhere. It may also change when nothing of that does; but a
// try that fails leaves it as it was.
func (kr *KeptRoom) Version() uint64 { return kr.version }

// endTry notes that the outermost try is over.
func (kr *KeptRoom) endTry(succeeded bool) {
	if succeeded && kr.inTry {
		kr.version++
	}
	kr.inTry = false
}

// Any says whether room is kept for some task.
func (kr *KeptRoom) Any() bool { return kr.pending > 0 }

// Jobs lists the jobs for which room is kept. Decisions must not depend on the order. The slice is valid until
// the next change.
func (kr *KeptRoom) Jobs() []JobID {
	kr.jobs = slices.DeleteFunc(kr.jobs, func(j JobID) bool {
		job := &kr.l.Jobs.rows[j]
		job.marks.keepsRoom = !job.marks.free && job.RoomKept > 0
		return !job.marks.keepsRoom
	})
	return kr.jobs
}

// Of lists the pending tasks of a job for which room is kept. Decisions must not depend on the order.
func (kr *KeptRoom) Of(j JobID) (out []TaskID) {
	if kr.l.Jobs.rows[j].RoomKept == 0 {
		return nil
	}
	kr.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool {
		if kr.l.Tasks.rows[t].hasKeptRoom() {
			out = append(out, t)
		}
		return true
	})
	return out
}

// Drop gives back the room that is kept for jobs.
func (kr *KeptRoom) Drop(jobs ...JobID) {
	for _, j := range jobs {
		for _, t := range kr.Of(j) {
			kr.l.Drop(t)
		}
	}
}

// Without runs f as if no room were kept for jobs. What f did stays if f returns true.
func (kr *KeptRoom) Without(jobs []JobID, f func() bool) {
	if !slices.ContainsFunc(jobs, func(j JobID) bool { return kr.l.Jobs.rows[j].RoomKept > 0 }) {
		f()
		return
	}
	kr.l.Try(func(tx *Tx) bool {
		for _, j := range jobs {
			tx.Waive(j)
		}
		return f()
	})
}

// On returns, by node, the kept room that is not waived and lost members' room (Tx.Beside);
// nil if there are none.
func (kr *KeptRoom) On() map[NodeID]resource.Vec {
	if !kr.Any() && len(kr.beside) == 0 {
		return nil
	}
	out := map[NodeID]resource.Vec{}
	for _, b := range kr.beside { // order-free: sums
		for _, need := range kr.l.Classes.rows[b.class].Need {
			have := out[b.node].Get(need.Dim)
			out[b.node] = out[b.node].Set(need.Dim, have+need.Amount*b.tasks)
		}
	}
	for _, j := range kr.Jobs() { // order-free: sums
		for _, t := range kr.Of(j) {
			if row := &kr.l.Tasks.rows[t]; row.keptRoomCounts() {
				out[row.Commitment.Node] = out[row.Commitment.Node].Add(kr.l.Classes.rows[row.Class].Request)
			}
		}
	}
	return out
}

// keptRoomCounts says that the room which is kept for the task counts on its node.
func (t *Task) keptRoomCounts() bool {
	return t.hasKeptRoom() && !t.waived && t.covered&NodeCovered == 0
}

// hasKeptRoom says that room is kept for the task. Such a task is on no node's list of tasks.
func (t *Task) hasKeptRoom() bool {
	return t.Commitment.Kind == CommitKeptRoom && t.Status == model.Pending
}

// count counts the room that is kept for a task (sign 1), or takes it away (-1).
func (kr *KeptRoom) count(row *Task, sign int64) {
	if kr.inTry = kr.inTry || kr.l.Statements.depth > 0; !kr.inTry {
		kr.version++
	}
	job := &kr.l.Jobs.rows[row.Job]
	job.RoomKept += int32(sign)
	kr.pending += int(sign)
	if job.RoomKept > 0 && !job.marks.keepsRoom {
		job.marks.keepsRoom = true
		kr.jobs = append(kr.jobs, row.Job)
	}
	if row.waived {
		return
	}
	kr.l.PluginStates.keep(row, sign)
	for _, need := range kr.l.Classes.rows[row.Class].Need {
		if need.Dim != resource.Pods && row.covered&QueueCovered == 0 {
			job.keptRoom = job.keptRoom.Set(need.Dim, job.keptRoom.Get(need.Dim)+need.Amount*sign)
		}
	}
	of := roomFor{job.Queue, row.Class, row.Commitment.Node, 1}
	if row.covered&QueueCovered == 0 {
		kr.addToQueues(of, sign)
	}
	if row.covered&NodeCovered != 0 {
		return
	}
	again := kr.addToNode(of, sign)
	kr.l.Nodes.reweigh(row.Commitment.Node, row, sign, again)
	kr.l.Nodes.touchRoom(row.Commitment.Node)
}

// roomFor is room of a node that is kept for tasks of a class, and counts in a queue; NoQueue: in none.
type roomFor struct {
	queue QueueID
	class ClassID
	node  NodeID
	tasks int64 // of the class
}

// addToNode adds kept room (sign 1) to the figures of its node, or takes it away (-1). It returns whether some figure
// of the node is, or was, too large to be updated: see reweigh.
func (kr *KeptRoom) addToNode(r roomFor, sign int64) (again bool) {
	again = kr.l.Nodes.rows[r.node].far
	for _, need := range kr.l.Classes.rows[r.class].Need {
		d := int(need.Dim)
		cols := &kr.l.Nodes.cols
		cols.pipelined[d][r.node] += need.Amount * r.tasks * sign
		kr.l.Nodes.rerun(d, r.node)
		again = again || far(cols.idle[d][r.node], cols.releasing[d][r.node], cols.pipelined[d][r.node])
	}
	return again
}

// addToQueues adds kept room (sign 1) to the figures of its queue and the queue's ancestors, or takes it away (-1).
func (kr *KeptRoom) addToQueues(r roomFor, sign int64) {
	for _, need := range kr.l.Classes.rows[r.class].Need {
		if need.Dim == resource.Pods {
			continue
		}
		d := int(need.Dim)
		kr.l.Changes.usageEpoch++
		for q := r.queue; q != NoQueue; q = kr.l.Queues.rows[q].up {
			kr.l.Queues.rows[q].KeptRoom[d] = kr.l.Queues.rows[q].KeptRoom[d].Plus(need.Amount * r.tasks * sign)
		}
	}
}

// Occupy keeps room for so many tasks of a class on a node within a try that has to return false, for no task and in no
// queue: it counts as Pipelined on the node.
func (tx *Tx) Occupy(c ClassID, n NodeID, tasks int64) {
	tx.l.KeptRoom.changeBeside(roomFor{NoQueue, c, n, tasks}, true)
}

// Waive makes the room that is kept for a job not count within the try.
func (tx *Tx) Waive(j JobID) {
	kr := &tx.l.KeptRoom
	if kr.l.Jobs.rows[j].RoomKept == 0 {
		return
	}
	from := len(kr.waived)
	kr.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool { // order-free: all of them
		if row := &kr.l.Tasks.rows[t]; row.hasKeptRoom() && !row.waived {
			row.waived = true
			kr.waived = append(kr.waived, t)
		}
		return true
	})
	if to := len(kr.waived); to > from {
		st := &kr.l.Statements
		st.undo = append(st.undo, entry{task: NoTask, waives: [2]int32{int32(from), int32(to)}})
		kr.recount(kr.waived[from:], -1)
	}
}

// unwaive makes waived room count again.
func (kr *KeptRoom) unwaive(tasks []TaskID) {
	for _, t := range tasks {
		kr.l.Tasks.rows[t].waived = false
	}
	kr.recount(tasks, 1)
}

// recount counts the room that is kept for tasks (sign 1), or takes it away (-1), as count does one by one: what many
// have in common is counted at once.
func (kr *KeptRoom) recount(tasks []TaskID, sign int64) {
	type sum struct {
		job   JobID
		class ClassID
	}
	of, in, again := sum{NoJob, NoClass}, int64(0), false
	add := func() {
		if in == 0 {
			return
		}
		job := &kr.l.Jobs.rows[of.job]
		for _, need := range kr.l.Classes.rows[of.class].Need {
			if need.Dim != resource.Pods {
				job.keptRoom = job.keptRoom.Set(need.Dim, job.keptRoom.Get(need.Dim)+need.Amount*in*sign)
			}
		}
		kr.addToQueues(roomFor{job.Queue, of.class, NoNode, in}, sign)
		in = 0
	}
	for _, t := range tasks {
		row := &kr.l.Tasks.rows[t]
		kr.l.PluginStates.keep(row, sign)
		if row.covered&QueueCovered == 0 {
			if as := (sum{row.Job, row.Class}); as != of {
				add()
				of = as
			}
			in++
		}
		if row.covered&NodeCovered == 0 {
			again = kr.addToNode(roomFor{NoQueue, row.Class, row.Commitment.Node, 1}, sign) || again
			kr.l.Nodes.touchRoom(row.Commitment.Node)
		}
	}
	add()
	if !again {
		return
	}
	for _, t := range tasks {
		kr.l.Nodes.weigh(kr.l.Tasks.rows[t].Commitment.Node, nil)
	}
}

// Uncover makes all the room that is kept for a task count within the try, which has to return false.
func (tx *Tx) Uncover(t TaskID) {
	row := &tx.l.Tasks.rows[t]
	if !row.hasKeptRoom() || row.covered == 0 {
		return
	}
	tx.l.Statements.note(t)
	tx.l.accounts.removeFromNode(t)
	row.covered = 0
	tx.l.accounts.addToNode(t)
}

// endWaivers makes the room that a successful try waived count again.
func (kr *KeptRoom) endWaivers() {
	again := kr.waived[:0]
	for _, t := range kr.waived {
		row := &kr.l.Tasks.rows[t]
		if row.waived && row.hasKeptRoom() {
			again = append(again, t)
		}
		row.waived = false
	}
	kr.recount(again, 1)
	kr.waived = kr.waived[:0]
}
