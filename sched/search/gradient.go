package search

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/session"
	"ashlar.sh/sched/trace"
)

// Gradient is one of the four kinds of room, in the order in which they are tried
// (seed 003 §5.4).
type Gradient uint8

// The gradients. Without shards the two of nodes elsewhere are empty.
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

// find returns the best place for a task: its nominated node if that takes it, else
// the best node of the first gradient that has one; node NoNode when none does.
func find(s *session.Session, t ledger.TaskID) place {
	if at, ok := s.L.FindNode(s.L.Task(t).Pod.Nominated); ok {
		for _, g := range [...]Gradient{IdleHere, FutureHere} {
			if s.Nodes.Takes(t, at, g.Future()) {
				return place{node: at, in: g}
			}
		}
	}
	for g := range numGradients {
		if n, score := best(s, t, g); n != ledger.NoNode {
			return place{n, score, g}
		}
	}
	return place{node: ledger.NoNode}
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

// bestIdle is the best node that takes a task now: one of this scheduler's shard, else one
// elsewhere.
func bestIdle(s *session.Session, t ledger.TaskID) place {
	for _, g := range [...]Gradient{IdleHere, IdleElsewhere} {
		if n, score := best(s, t, g); n != ledger.NoNode {
			return place{n, score, g}
		}
	}
	return place{node: ledger.NoNode}
}

// put gives a task its place in a statement, and tells the trace.
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

// keep gives a task that has a reservation its room, if the room is there by now;
// false when it still waits for a victim to go.
func keep(s *session.Session, tx *ledger.Tx, t ledger.TaskID) bool {
	at := s.L.Task(t).Node
	return tx.Try(func(tx *ledger.Tx) bool {
		tx.Withdraw(t)
		if !s.Nodes.Takes(t, at, false) {
			return false
		}
		put(s, tx, t, place{node: at, in: IdleHere})
		return true
	})
}

func reserved(s *session.Session, t ledger.TaskID) bool {
	task := s.L.Task(t)
	return task.Status == model.Pipelined && task.Held.Kind == ledger.CommitReserve
}
