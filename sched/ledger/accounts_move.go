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
	stays := n == row.Node && c == row.Chosen && hold(s) == row.Hold() && !row.hasKeptRoom()
	if !stays {
		ac.removeFromNode(t)
	}
	if row.Job != NoJob {
		ac.l.Tasks.unlink(inJob, ac.l.Jobs.headOf(row), t)
	}
	row.Status, row.Node, row.Chosen = s, n, c
	if row.Job != NoJob {
		ac.l.Tasks.link(inJob, ac.l.Jobs.headOf(row), t)
		ac.recount(row, was, ac.contributionOf(row))
	}
	if !stays {
		ac.addToNode(t)
	}
}

// leaving has a task on a node terminate (sign 1), or stay with a status that holds room firmly (-1): its job and its
// queues count it as before. It stays where it is on the node's list.
func (ac *accounts) leaving(t TaskID, s model.Status, sign int64) {
	row := &ac.l.Tasks.rows[t]
	ac.l.PluginStates.give(t, row)
	row.Status = s
	ac.l.Nodes.setReleasing(row, sign)
	ac.l.PluginStates.take(t, row)
}

// lingers has a terminating task linger, or not any more: its room is not counted on, or is.
func (ac *accounts) lingers(t TaskID, yes bool) {
	row := &ac.l.Tasks.rows[t]
	sign := int64(1)
	if yes {
		sign = -1
	}
	ac.l.PluginStates.give(t, row)
	row.lingers = yes
	ac.l.Nodes.setReleasing(row, sign)
	ac.l.PluginStates.take(t, row)
	ac.l.Changes.roomEpoch++
	ac.l.Changes.stateEpoch++
}

// addToNode adds a task's figures to its node, puts it first in the node's list, and calls the PluginStates;
// removeFromNode is the exact inverse. For a task without a node both count the room that is kept for it.
func (ac *accounts) addToNode(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	if row.Node != NoNode {
		ac.l.Tasks.link(onNode, &ac.l.Nodes.rows[row.Node].first, t)
		ac.l.Nodes.count(row, 1)
		ac.l.PluginStates.take(t, row)
	} else if row.hasKeptRoom() {
		ac.l.KeptRoom.count(row, 1)
	}
}

func (ac *accounts) removeFromNode(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	if row.Node != NoNode {
		ac.l.PluginStates.give(t, row)
		ac.l.Nodes.count(row, -1)
		ac.l.Tasks.unlink(onNode, &ac.l.Nodes.rows[row.Node].first, t)
	} else if row.hasKeptRoom() {
		ac.l.KeptRoom.count(row, -1)
	}
}

// enter adds a task's figures to its node, job and queues, and puts it first in their lists.
func (ac *accounts) enter(t TaskID) {
	row := &ac.l.Tasks.rows[t]
	for _, r := range ac.l.PluginStates.podObservers {
		r.Enter(t, row)
	}
	if row.Job != NoJob {
		ac.l.Tasks.link(inJob, ac.l.Jobs.headOf(row), t)
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
		ac.l.Tasks.unlink(inJob, ac.l.Jobs.headOf(row), t)
	}
	for _, r := range ac.l.PluginStates.podObservers {
		r.Leave(t, row)
	}
}
