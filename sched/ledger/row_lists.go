package ledger

import "ashlar.sh/sched/model"

func (ns *Nodes) link(t TaskID) {
	row := &ns.l.Tasks.rows[t]
	head := &ns.rows[row.Node].first
	row.nodePrev, row.nodeNext = NoTask, *head
	if *head != NoTask {
		ns.l.Tasks.rows[*head].nodePrev = t
	}
	*head = t
}

func (ns *Nodes) unlink(t TaskID) {
	row := &ns.l.Tasks.rows[t]
	if row.nodePrev == NoTask {
		ns.rows[row.Node].first = row.nodeNext
	} else {
		ns.l.Tasks.rows[row.nodePrev].nodeNext = row.nodeNext
	}
	if row.nodeNext != NoTask {
		ns.l.Tasks.rows[row.nodeNext].nodePrev = row.nodePrev
	}
}

// relink puts a task back between its old neighbours in the node's list. The row keeps these while the
// task is on no list.
func (ns *Nodes) relink(t TaskID) {
	row := &ns.l.Tasks.rows[t]
	if row.nodePrev == NoTask {
		ns.rows[row.Node].first = t
	} else {
		ns.l.Tasks.rows[row.nodePrev].nodeNext = t
	}
	if row.nodeNext != NoTask {
		ns.l.Tasks.rows[row.nodeNext].nodePrev = t
	}
}

func (ts *Tasks) linkJob(t TaskID) {
	row := &ts.rows[t]
	head := &ts.l.Jobs.rows[row.Job].first[row.Status]
	row.jobPrev, row.jobNext = NoTask, *head
	if *head != NoTask {
		ts.rows[*head].jobPrev = t
	}
	*head = t
}

func (ts *Tasks) unlinkJob(t TaskID) {
	row := &ts.rows[t]
	if row.jobPrev == NoTask {
		ts.l.Jobs.rows[row.Job].first[row.Status] = row.jobNext
	} else {
		ts.rows[row.jobPrev].jobNext = row.jobNext
	}
	if row.jobNext != NoTask {
		ts.rows[row.jobNext].jobPrev = row.jobPrev
	}
}

func (ts *Tasks) relinkJob(t TaskID) {
	row := &ts.rows[t]
	if row.jobPrev == NoTask {
		ts.l.Jobs.rows[row.Job].first[row.Status] = t
	} else {
		ts.rows[row.jobPrev].jobNext = t
	}
	if row.jobNext != NoTask {
		ts.rows[row.jobNext].jobPrev = t
	}
}

// Tasks yields the tasks that hold room on a node, are terminating there, or are promised room. Decisions
// must not depend on their order.
func (ns *Nodes) Tasks(n NodeID, yield func(TaskID) bool) {
	for t := ns.rows[n].first; t != NoTask; t = ns.l.Tasks.rows[t].nodeNext {
		if !yield(t) {
			return
		}
	}
}

// Tasks yields a job's members of one status. Decisions must not depend on their order.
func (js *Jobs) Tasks(j JobID, s model.Status, yield func(TaskID) bool) {
	for t := js.rows[j].first[s]; t != NoTask; t = js.l.Tasks.rows[t].jobNext {
		if !yield(t) {
			return
		}
	}
}

// SubTasks yields the members of a sub-group, by its index in Subs. Decisions must not depend on the order.
func (js *Jobs) SubTasks(j JobID, sub int32, yield func(TaskID) bool) {
	for t := js.rows[j].Subs[sub].first; t != NoTask; t = js.l.Tasks.rows[t].subNext {
		if !yield(t) {
			return
		}
	}
}

// enterSub counts a task in its sub-group, if it has one; leaveSub is its inverse. A try moves no task from
// one sub-group to another.
func (js *Jobs) enterSub(t TaskID) {
	row := &js.l.Tasks.rows[t]
	row.subPrev, row.subNext = NoTask, NoTask
	if row.Sub < 0 {
		return
	}
	sub := &js.rows[row.Job].Subs[row.Sub]
	if row.subNext = sub.first; row.subNext != NoTask {
		js.l.Tasks.rows[row.subNext].subPrev = t
	}
	sub.first = t
	sub.tasks++
}

func (js *Jobs) leaveSub(t TaskID) {
	row := &js.l.Tasks.rows[t]
	if row.Sub < 0 {
		return
	}
	sub := &js.rows[row.Job].Subs[row.Sub]
	if row.subPrev == NoTask {
		sub.first = row.subNext
	} else {
		js.l.Tasks.rows[row.subPrev].subNext = row.subNext
	}
	if row.subNext != NoTask {
		js.l.Tasks.rows[row.subNext].subPrev = row.subPrev
	}
	sub.tasks--
}
