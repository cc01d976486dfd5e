package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A node's figures are plain integers, for speed. Requests of a pod are bounded at the door, but the number of
// pods that are put on a node without a scheduler is not. When a figure of a node goes beyond edge, the node
// is counted anew from its list with every change, and the figure stops at edge. Such a node has no room,
// which is right, and the figures are exact again when the pods leave.

// edge bounds a node's figures on both sides of zero. What is idle may be as much as the node offers, up to
// twice that. The sum of two of them fits an int64.
const edge = int64(1) << 61

// far says that figures are to be counted from the list.
func far(idle, releasing, pipelined int64) bool {
	return idle < -edge || idle > 2*edge || releasing > edge || pipelined > edge
}

// boundedIdle and bounded limit a sum to the range of a node's figures.
func boundedIdle(s resource.Sum) int64 { return min(max(s.Int64(), -edge), 2*edge) }

func bounded(s resource.Sum) int64 { return min(max(s.Int64(), -edge), edge) }

// weigh counts a node's figures from its list, without one of the tasks on it (nil: with all).
func (ns *Nodes) weigh(n NodeID, without *Task) {
	ns.rows[n].far = false
	for d := range ns.cols.idle {
		idle, releasing, pipelined := ns.weight(n, resource.Dim(d), without)
		ns.cols.idle[d][n] = boundedIdle(idle)
		ns.cols.releasing[d][n], ns.cols.pipelined[d][n] = bounded(releasing), bounded(pipelined)
		ns.rows[n].far = ns.rows[n].far || far(idle.Int64(), releasing.Int64(), pipelined.Int64())
		ns.rerun(d, n)
	}
}

// weight is what weigh counts in one dimension.
func (ns *Nodes) weight(n NodeID, d resource.Dim, without *Task) (idle, releasing, pipelined resource.Sum) {
	idle = idle.Plus(ns.cols.alloc[d][n])
	for t := ns.rows[n].first; t != NoTask; t = ns.l.Tasks.rows[t].at[onNode].next {
		row := &ns.l.Tasks.rows[t]
		x := ns.l.Classes.rows[row.Class].Request.Get(d)
		switch {
		case row == without:
		case row.Status == model.Pipelined:
			pipelined = pipelined.Plus(x)
		case row.releases():
			releasing, idle = releasing.Plus(x), idle.Minus(x)
		default:
			idle = idle.Minus(x)
		}
	}
	for _, j := range ns.l.KeptRoom.jobs { // order-free: a sum
		ns.l.Jobs.Tasks(j, model.Pending, func(t TaskID) bool {
			if row := &ns.l.Tasks.rows[t]; row.keptRoomCounts() && row.Commitment.Node == n && row != without {
				pipelined = pipelined.Plus(ns.l.Classes.rows[row.Class].Request.Get(d))
			}
			return true
		})
	}
	for _, b := range ns.l.KeptRoom.beside { // order-free: a sum
		if b.node == n {
			pipelined = pipelined.Plus(ns.l.Classes.rows[b.class].Request.Get(d))
		}
	}
	return idle, releasing, pipelined
}

// count adds (sign 1) or takes away (-1) the amounts of a task on its node. The task is on the node's list.
func (ns *Nodes) count(row *Task, sign int64) {
	n := row.Node
	node := &ns.rows[n]
	node.Tasks += int32(sign)
	releasing := row.releases()
	if releasing {
		ns.goes(node, sign)
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
	ns.touch(n)
}

// setReleasing has a task on a node terminate (sign 1), or stay after all, or linger (-1). The task has its new status
// already.
func (ns *Nodes) setReleasing(row *Task, sign int64) {
	n := row.Node
	node := &ns.rows[n]
	ns.goes(node, sign)
	again := node.far
	for _, need := range ns.l.Classes.rows[row.Class].Need {
		d := int(need.Dim)
		ns.cols.releasing[d][n] += need.Amount * sign
		ns.rerun(d, n)
		again = again || far(ns.cols.idle[d][n], ns.cols.releasing[d][n], ns.cols.pipelined[d][n])
	}
	if again {
		ns.weigh(n, nil)
	}
	ns.touch(n)
}

// goes counts a terminating task that came (sign 1) or went (-1).
func (ns *Nodes) goes(node *Node, sign int64) {
	before := node.going
	node.going += int32(sign)
	ns.leaving += int(min(node.going, 1) - min(before, 1))
}

// reweigh follows a change of a node's figures by a task that came (sign 1) or went (-1). again says that some
// figures are, or were, too large to be updated, so that all are counted anew: see edge.
func (ns *Nodes) reweigh(n NodeID, row *Task, sign int64, again bool) {
	switch {
	case again && sign < 0:
		ns.weigh(n, row)
	case again:
		ns.weigh(n, nil)
	}
}
