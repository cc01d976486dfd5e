package ledger

import "ashlar.sh/sched/model"

// move changes a task's status and node, and every figure with them. Its Chosen stays.
func (ac *accounts) move(t TaskID, s model.Status, n NodeID) {
	ac.movePlacing(t, s, n, ac.l.Tasks.rows[t].Chosen)
}

// movePlacing is move with a new Chosen. If the task holds its room in the same way as before, as when it
// becomes bound where it was allocated, nothing changes for its node.
func (ac *accounts) movePlacing(t TaskID, s model.Status, n NodeID, c Chosen) {
	row := &ac.l.Tasks.rows[t]
	was := ac.contributionOf(row)
	stays := n == row.Node && c == row.Chosen && hold(s) == hold(row.Status) && !row.claims()
	if !stays {
		ac.removeFromNode(t)
	}
	if row.Job != NoJob {
		ac.l.Tasks.unlinkJob(t)
	}
	row.Status, row.Node, row.Chosen = s, n, c
	if row.Job != NoJob {
		ac.l.Tasks.linkJob(t)
		ac.recount(row, was, ac.contributionOf(row))
	}
	if !stays {
		ac.addToNode(t)
	}
}

// addToNode adds a task's figures to its node, puts it first in the node's list, and calls the PluginStates;
// removeFromNode is the exact inverse. For a task without a node both count its claim, if it has one.
func (ac *accounts) addToNode(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	if row.Node != NoNode {
		ac.l.Nodes.link(t)
		ac.l.Nodes.count(row, 1)
		ac.l.PluginStates.update(t, row, true)
	} else if row.claims() {
		ac.l.Claims.count(row, 1)
	}
}

func (ac *accounts) removeFromNode(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	if row.Node != NoNode {
		ac.l.PluginStates.update(t, row, false)
		ac.l.Nodes.count(row, -1)
		ac.l.Nodes.unlink(t)
	} else if row.claims() {
		ac.l.Claims.count(row, -1)
	}
}

// enter adds a task's figures to its node, job and queues, and puts it first in their lists.
func (ac *accounts) enter(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	for _, r := range ac.l.PluginStates.podObservers {
		r.Enter(t, row)
	}
	if row.Job != NoJob {
		ac.l.Tasks.linkJob(t)
		ac.recount(row, contribution{}, ac.contributionOf(row))
	}
	ac.addToNode(t)
}

// leave is the exact inverse of enter.
func (ac *accounts) leave(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	ac.removeFromNode(t)
	if row.Job != NoJob {
		ac.recount(row, ac.contributionOf(row), contribution{})
		ac.l.Tasks.unlinkJob(t)
	}
	for _, r := range ac.l.PluginStates.podObservers {
		r.Leave(t, row)
	}
}

// count adds (sign 1) or takes away (-1) the amounts of a task on its node. The task is on the node's list.
func (ns *Nodes) count(row *Task, sign int64) {
	n := row.Node
	node := &ns.rows[n]
	node.Tasks += int32(sign)
	releasing := row.Status == model.Releasing
	if releasing {
		before := node.going
		node.going += int32(sign)
		ns.leaving += int(min(node.going, 1) - min(before, 1))
	}
	again := node.far
	for _, need := range ns.l.Classes.rows[row.Class].Need {
		d, x := int(need.Dim), need.Amount*sign
		switch {
		case row.Status == model.Pipelined:
			ns.cols.pipelined[d][n] += x
		case releasing:
			ns.cols.idle[d][n] -= x
			ns.cols.releasing[d][n] += x
		default:
			ns.cols.idle[d][n] -= x
		}
		idle, releasing, pipelined := ns.cols.idle[d][n], ns.cols.releasing[d][n], ns.cols.pipelined[d][n]
		ns.cols.room[d][n] = min(idle, idle+releasing-pipelined)
		again = again || far(idle, releasing, pipelined)
	}
	ns.reweigh(n, row, sign, again)
}

// reweigh follows a change of a node's figures by a task that came (sign 1) or went (-1). again says that some
// figures are, or were, too large to be updated, so that all are counted anew (wide.go).
func (ns *Nodes) reweigh(n NodeID, row *Task, sign int64, again bool) {
	switch {
	case again && sign < 0:
		ns.weigh(n, row)
	case again:
		ns.weigh(n, nil)
	}
	ns.touch(n)
}

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
