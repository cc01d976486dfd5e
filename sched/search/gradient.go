package search

import (
	"ashlar.sh/sched/class"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
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

// place is a node for a task, found in a gradient; NoNode: there is none.
type place struct {
	node    ledger.NodeID
	score   int64
	in      Gradient
	refused *policy.Verdict // without a node: the verdict on all nodes, if one ended the search
}

// find returns the best place for a task in all nodes. With idle, only room that is free now counts.
func find(s *session.Session, t ledger.TaskID, idle bool) place {
	return firstGradient(s, t, nomination(s, t), !idle, func(g Gradient) place { return best(s, t, g) })
}

// firstGradient returns the best place for a task: that of the first gradient in which find has one; in each gradient,
// the task's nominated node comes before all others. node is NoNode when there is none. Without future, only room that
// is free now counts.
func firstGradient(s *session.Session, t ledger.TaskID, nominated ledger.NodeID, future bool,
	find func(Gradient) place) place {
	none := place{node: ledger.NoNode}
	for g := range numGradients {
		if g.Future() && !future {
			break
		}
		if nominated != ledger.NoNode && !g.Elsewhere() && s.NodeIndex.Takes(t, nominated, class.When(g.Future())) {
			return place{node: nominated, in: g}
		}
		p := find(g)
		if p.node != ledger.NoNode {
			return p
		}
		if p.refused != nil {
			none.refused = p.refused
		}
	}
	return none
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

// best is the best node for a task in a gradient.
func best(s *session.Session, t ledger.TaskID, g Gradient) place {
	scope := class.OwnShard
	if g.Elsewhere() {
		scope = class.OtherShards
	}
	return among(s, t, scope, g)
}

// among is the best node of a scope in a gradient.
func among(s *session.Session, t ledger.TaskID, scope class.Scope, g Gradient) place {
	c := s.NodeIndex.Best(class.Query{Task: t, Scope: scope, Future: g.Future()})
	return place{c.Node, c.Score, g, c.Refused}
}

// bestIdle is the best node that takes a task now: one of this scheduler's shard, else one of another
// shard.
func bestIdle(s *session.Session, t ledger.TaskID) place {
	p := best(s, t, IdleHere)
	if p.node == ledger.NoNode {
		p = best(s, t, IdleElsewhere)
	}
	return p
}

// put gives a task its place in a statement, and records it in the trace.
func put(s *session.Session, tx *ledger.Tx, t ledger.TaskID, p place) {
	if s.Trace.On(trace.BatchNodeOrderEvent) {
		traceScores(s, t, p)
	}
	if p.in.Future() {
		tx.Pipeline(t, p.node)
	} else {
		tx.Allocate(t, p.node)
	}
	if s.Trace.On(trace.BindingTask) {
		tracePlacement(s, t, p)
	}
}
