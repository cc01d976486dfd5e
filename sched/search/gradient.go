package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Gradient is one of the four kinds of room, in the order in which they are tried
// (seed 003 §5.4).
type Gradient uint8

// The gradients. Without shards, the two for nodes of other shards are empty.
const (
	IdleHere Gradient = iota
	IdleElsewhere
	FutureHere
	FutureElsewhere
	numGradients
)

// Future says that room of this kind is still being freed: the task is pipelined.
func (g Gradient) Future() bool { return g >= FutureHere }

// Elsewhere says that room of this kind is on nodes of another shard.
func (g Gradient) Elsewhere() bool { return g == IdleElsewhere || g == FutureElsewhere }

// place is a node for a task, found in a gradient.
type place struct {
	node  ledger.NodeID
	score int64
	in    Gradient
}

// find returns the best place for a task: the best node of the first gradient that has one; in each
// gradient, the task's nominated node comes before all others. node is NoNode when there is none. With
// idle, only room that is free now counts.
func find(s *session.Session, t ledger.TaskID, idle bool) place {
	nominated := nomination(s, t)
	for g := range numGradients {
		if g.Future() && idle {
			break
		}
		if nominated != ledger.NoNode && !g.Elsewhere() && s.Nodes.Takes(t, nominated, g.Future()) {
			return place{node: nominated, in: g}
		}
		if n, score := best(s, t, g); n != ledger.NoNode {
			return place{n, score, g}
		}
	}
	return place{node: ledger.NoNode}
}

// nomination is the node that a task was nominated to; NoNode without one.
func nomination(s *session.Session, t ledger.TaskID) ledger.NodeID {
	if name := s.L.Task(t).Pod.Nominated; name != "" { // few tasks are nominated
		if n, known := s.L.Nodes.Find(name); known {
			return n
		}
	}
	return ledger.NoNode
}

func best(s *session.Session, t ledger.TaskID, g Gradient) (ledger.NodeID, int64) {
	switch {
	case s.Nodes.Sharded():
		return s.Nodes.BestIn(t, g.Elsewhere(), g.Future())
	case g.Elsewhere():
		return ledger.NoNode, 0
	case g.Future():
		return s.Nodes.BestFuture(t)
	default:
		return s.Nodes.Best(t)
	}
}

// bestIdle is the best node that takes a task now: one of this scheduler's shard, else one of another
// shard.
func bestIdle(s *session.Session, t ledger.TaskID) place {
	for _, g := range [...]Gradient{IdleHere, IdleElsewhere} {
		if n, score := best(s, t, g); n != ledger.NoNode {
			return place{n, score, g}
		}
	}
	return place{node: ledger.NoNode}
}

// put gives a task its place in a statement, and records it in the trace.
func put(s *session.Session, tx *ledger.Tx, t ledger.TaskID, p place) {
	if s.Trace.On(trace.BatchNodeOrderEvent) {
		tellScores(s, t, p)
	}
	if p.in.Future() {
		tx.Pipeline(t, p.node)
	} else {
		tx.Allocate(t, p.node)
	}
	if s.Trace.On(trace.BindingTask) {
		tell(s, t, p)
	}
}
