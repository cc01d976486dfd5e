package ledger

import "ashlar.sh/sched/model"

// move changes a task's status and node, and every figure with them. Its Chosen stays.
func (l *Ledger) move(t TaskID, s model.Status, n NodeID) {
	l.movePlacing(t, s, n, l.tasks[t].Chosen)
}

// movePlacing is move with a new Chosen. If the task holds its room in the same way as before, as when it
// becomes bound where it was allocated, nothing changes for its node.
func (l *Ledger) movePlacing(t TaskID, s model.Status, n NodeID, c Chosen) {
	row := &l.tasks[t]
	was := l.partOf(row)
	stays := n == row.Node && c == row.Chosen && hold(s) == hold(row.Status) && !row.claims()
	if !stays {
		l.removeFromNode(t)
	}
	if row.Job != NoJob {
		l.unlinkJob(t)
	}
	row.Status, row.Node, row.Chosen = s, n, c
	if row.Job != NoJob {
		l.linkJob(t)
		l.recount(row, was, l.partOf(row))
	}
	if !stays {
		l.addToNode(t)
	}
}

// addToNode adds a task's figures to its node, puts it first in the node's list, and calls the PluginStates;
// removeFromNode is the exact inverse. For a task without a node both count its claim, if it has one.
func (l *Ledger) addToNode(t TaskID) {
	row := &l.tasks[t]
	if row.Node != NoNode {
		l.linkNode(t)
		l.onNode(row, 1)
		l.updatePluginStates(t, row, true)
	} else if row.claims() {
		l.claim(row, 1)
	}
}

func (l *Ledger) removeFromNode(t TaskID) {
	row := &l.tasks[t]
	if row.Node != NoNode {
		l.updatePluginStates(t, row, false)
		l.onNode(row, -1)
		l.unlinkNode(t)
	} else if row.claims() {
		l.claim(row, -1)
	}
}

// enter adds a task's figures to its node, job and queues, and puts it first in their lists.
func (l *Ledger) enter(t TaskID) {
	row := &l.tasks[t]
	for _, r := range l.podObservers {
		r.Enter(t, row)
	}
	if row.Job != NoJob {
		l.linkJob(t)
		l.recount(row, part{}, l.partOf(row))
	}
	l.addToNode(t)
}

// leave is the exact inverse of enter.
func (l *Ledger) leave(t TaskID) {
	row := &l.tasks[t]
	l.removeFromNode(t)
	if row.Job != NoJob {
		l.recount(row, l.partOf(row), part{})
		l.unlinkJob(t)
	}
	for _, r := range l.podObservers {
		r.Leave(t, row)
	}
}

// onNode adds (sign 1) or takes away (-1) the amounts of a task on its node. The task is on the node's list.
func (l *Ledger) onNode(row *Task, sign int64) {
	n := row.Node
	node := &l.nodes[n]
	node.Tasks += int32(sign)
	releasing := row.Status == model.Releasing
	if releasing {
		before := node.going
		node.going += int32(sign)
		l.goingNodes += int(min(node.going, 1) - min(before, 1))
	}
	again := node.far
	for _, need := range l.classes[row.Class].Need {
		d, x := int(need.Dim), need.Amount*sign
		switch {
		case row.Status == model.Pipelined:
			l.cols.pipelined[d][n] += x
		case releasing:
			l.cols.idle[d][n] -= x
			l.cols.releasing[d][n] += x
		default:
			l.cols.idle[d][n] -= x
		}
		idle, releasing, pipelined := l.cols.idle[d][n], l.cols.releasing[d][n], l.cols.pipelined[d][n]
		l.cols.room[d][n] = min(idle, idle+releasing-pipelined)
		again = again || far(idle, releasing, pipelined)
	}
	l.reweigh(n, row, sign, again)
}

// reweigh follows a change of a node's figures by a task that came (sign 1) or went (-1). again says that some
// figures are, or were, too large to be updated, so that all are counted anew (wide.go).
func (l *Ledger) reweigh(n NodeID, row *Task, sign int64, again bool) {
	switch {
	case again && sign < 0:
		l.weigh(n, row)
	case again:
		l.weigh(n, nil)
	}
	l.touchNode(n)
}

func (l *Ledger) linkNode(t TaskID) {
	row := &l.tasks[t]
	head := &l.nodes[row.Node].first
	row.nodePrev, row.nodeNext = NoTask, *head
	if *head != NoTask {
		l.tasks[*head].nodePrev = t
	}
	*head = t
}

func (l *Ledger) unlinkNode(t TaskID) {
	row := &l.tasks[t]
	if row.nodePrev == NoTask {
		l.nodes[row.Node].first = row.nodeNext
	} else {
		l.tasks[row.nodePrev].nodeNext = row.nodeNext
	}
	if row.nodeNext != NoTask {
		l.tasks[row.nodeNext].nodePrev = row.nodePrev
	}
}

// relinkNode puts a task back between its old neighbours in the node's list. The row keeps these while the
// task is on no list.
func (l *Ledger) relinkNode(t TaskID) {
	row := &l.tasks[t]
	if row.nodePrev == NoTask {
		l.nodes[row.Node].first = t
	} else {
		l.tasks[row.nodePrev].nodeNext = t
	}
	if row.nodeNext != NoTask {
		l.tasks[row.nodeNext].nodePrev = t
	}
}

func (l *Ledger) linkJob(t TaskID) {
	row := &l.tasks[t]
	head := &l.jobs[row.Job].first[row.Status]
	row.jobPrev, row.jobNext = NoTask, *head
	if *head != NoTask {
		l.tasks[*head].jobPrev = t
	}
	*head = t
}

func (l *Ledger) unlinkJob(t TaskID) {
	row := &l.tasks[t]
	if row.jobPrev == NoTask {
		l.jobs[row.Job].first[row.Status] = row.jobNext
	} else {
		l.tasks[row.jobPrev].jobNext = row.jobNext
	}
	if row.jobNext != NoTask {
		l.tasks[row.jobNext].jobPrev = row.jobPrev
	}
}

func (l *Ledger) relinkJob(t TaskID) {
	row := &l.tasks[t]
	if row.jobPrev == NoTask {
		l.jobs[row.Job].first[row.Status] = t
	} else {
		l.tasks[row.jobPrev].jobNext = t
	}
	if row.jobNext != NoTask {
		l.tasks[row.jobNext].jobPrev = t
	}
}
