package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// A node's figures are plain numbers, which is what makes them fast. The door bounds what one pod asks
// for; how many pods somebody puts on a node without asking a scheduler has no bound. A node on which a
// figure goes beyond edge is counted anew from its list with every change, and what lies beyond is
// held at edge: it has no room, as it should, and what is taken off it again is exact.

// edge is how far a node's figures reach below zero and above it; what is idle may be as much as the
// node offers, up to twice that. Two of them added up are less than an int64 holds.
const edge = int64(1) << 61

// far says that figures are to be counted from the list.
func far(idle, releasing, pipelined int64) bool {
	return idle < -edge || idle > 2*edge || releasing > edge || pipelined > edge
}

// heldIdle and held are sums as figures of a node.
func heldIdle(s resource.Sum) int64 { return min(max(s.Int64(), -edge), 2*edge) }

func held(s resource.Sum) int64 { return min(max(s.Int64(), -edge), edge) }

// weigh counts a node's figures from its list, without one of the tasks on it (nil: with all).
func (l *Ledger) weigh(n NodeID, without *Task) {
	l.nodes[n].far = false
	for d := range l.cols.idle {
		idle, releasing, pipelined := l.weight(n, resource.Dim(d), without)
		l.cols.idle[d][n], l.cols.releasing[d][n], l.cols.pipelined[d][n] = heldIdle(idle), held(releasing), held(pipelined)
		l.nodes[n].far = l.nodes[n].far || far(idle.Int64(), releasing.Int64(), pipelined.Int64())
		l.rerun(d, n)
	}
}

// weight is what weigh counts in one dimension.
func (l *Ledger) weight(n NodeID, d resource.Dim, without *Task) (idle, releasing, pipelined resource.Sum) {
	idle = idle.Plus(l.cols.alloc[d][n])
	for t := l.nodes[n].first; t != NoTask; t = l.tasks[t].nodeNext {
		row := &l.tasks[t]
		x := l.classes[row.Class].Request.Get(d)
		switch {
		case row == without:
		case row.Status == model.Pipelined:
			pipelined = pipelined.Plus(x)
		case row.Status == model.Releasing:
			releasing, idle = releasing.Plus(x), idle.Minus(x)
		default:
			idle = idle.Minus(x)
		}
	}
	for _, j := range l.claimants { // order-free: a sum
		l.JobTasks(j, model.Pending, func(t TaskID) bool {
			if row := &l.tasks[t]; row.claims() && !row.waived && row.Held.Node == n && row != without {
				pipelined = pipelined.Plus(l.classes[row.Class].Request.Get(d))
			}
			return true
		})
	}
	for _, b := range l.aside { // order-free: a sum
		if b.node == n {
			pipelined = pipelined.Plus(l.classes[b.class].Request.Get(d))
		}
	}
	return idle, releasing, pipelined
}
