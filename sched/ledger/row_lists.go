package ledger

import (
	"iter"

	"ashlar.sh/sched/model"
)

// The lists that tasks are on. A list is linked in both directions through the rows of its tasks.
const (
	onNode = iota // the tasks of a node
	inJob         // the members of a job with one status
	inSub         // the members of a sub-group
	numLists
)

// neighbours are the tasks before and after a task on a list.
type neighbours struct{ prev, next TaskID }

// offLists is the neighbours of a task that is on no list.
var offLists = [numLists]neighbours{{NoTask, NoTask}, {NoTask, NoTask}, {NoTask, NoTask}}

// link puts a task first on a list that begins at head.
func (ts *Tasks) link(list int, head *TaskID, t TaskID) {
	ts.rows[t].at[list] = neighbours{NoTask, *head}
	ts.relink(list, head, t)
}

// unlink takes a task off a list. The row keeps its neighbours, for relink.
func (ts *Tasks) unlink(list int, head *TaskID, t TaskID) {
	at := ts.rows[t].at[list]
	if at.prev == NoTask {
		*head = at.next
	} else {
		ts.rows[at.prev].at[list].next = at.next
	}
	if at.next != NoTask {
		ts.rows[at.next].at[list].prev = at.prev
	}
}

// relink puts a task between the neighbours that its row names.
func (ts *Tasks) relink(list int, head *TaskID, t TaskID) {
	at := ts.rows[t].at[list]
	if at.prev == NoTask {
		*head = t
	} else {
		ts.rows[at.prev].at[list].next = t
	}
	if at.next != NoTask {
		ts.rows[at.next].at[list].prev = t
	}
}

// headOf is where the list begins on which a member of a job is by its status.
func (js *Jobs) headOf(row *Task) *TaskID { return &js.rows[row.Job].first[row.Status] }

// Tasks yields the tasks that hold room on a node, are terminating there, or are pipelined. Decisions
// must not depend on their order.
func (ns *Nodes) Tasks(n NodeID, yield func(TaskID) bool) {
	for t := ns.rows[n].first; t != NoTask; t = ns.l.Tasks.rows[t].at[onNode].next {
		if !yield(t) {
			return
		}
	}
}

// Tasks yields a job's members of one status. Decisions must not depend on their order.
func (js *Jobs) Tasks(j JobID, s model.Status, yield func(TaskID) bool) {
	for t := js.rows[j].first[s]; t != NoTask; t = js.l.Tasks.rows[t].at[inJob].next {
		if !yield(t) {
			return
		}
	}
}

// Members yields a job's members of any status. Decisions must not depend on their order.
func (js *Jobs) Members(j JobID) iter.Seq[TaskID] {
	return func(yield func(TaskID) bool) {
		for _, first := range js.rows[j].first {
			for t := first; t != NoTask; t = js.l.Tasks.rows[t].at[inJob].next {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// SubTasks yields the members of a sub-group, by its index in Subs. Decisions must not depend on the order.
func (js *Jobs) SubTasks(j JobID, sub int32, yield func(TaskID) bool) {
	for t := js.rows[j].Subs[sub].first; t != NoTask; t = js.l.Tasks.rows[t].at[inSub].next {
		if !yield(t) {
			return
		}
	}
}

// enterSub counts a task in its sub-group, if it has one; leaveSub is its inverse. A try moves no task from
// one sub-group to another.
func (js *Jobs) enterSub(t TaskID) {
	if row := &js.l.Tasks.rows[t]; row.Sub >= 0 {
		sub := &js.rows[row.Job].Subs[row.Sub]
		js.l.Tasks.link(inSub, &sub.first, t)
		sub.tasks++
	}
}

func (js *Jobs) leaveSub(t TaskID) {
	if row := &js.l.Tasks.rows[t]; row.Sub >= 0 {
		sub := &js.rows[row.Job].Subs[row.Sub]
		js.l.Tasks.unlink(inSub, &sub.first, t)
		sub.tasks--
	}
}
