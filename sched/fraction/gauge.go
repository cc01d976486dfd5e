// Package fraction computes how full a node would be with one more task on it: scores by
// room need that for every resource of every node that changed.
//
// What a node holds is Used + Pipelined: what tasks hold, terminating ones
// included, and what is kept for pipelined tasks. A share is exact, rounded down,
// and depends on the present figures of the ledger alone.
//
// It is no filter: it does not know what a task may take (ledger.Room), and it gives
// no points.
package fraction

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Results beside the shares from 0 to policy.MaxNodeScore.
const (
	NotOffered = -1                      // the node does not offer the resource at all
	Over       = policy.MaxNodeScore + 1 // more would be held than the node offers
)

// Share is the part of a node's allocatable in dimension d that would be held with a
// request on top: 0 for an empty node, policy.MaxNodeScore for one that is exactly full,
// Over above that; NotOffered when there is no allocatable, whatever is asked for.
func Share(l *ledger.Ledger, d resource.Dim, n ledger.NodeID, request int64) int64 {
	alloc := l.Nodes.Allocatable(d)[n]
	held := alloc - l.Nodes.Idle(d)[n] + l.Nodes.Pipelined(d)[n] + request
	switch {
	case alloc <= 0:
		return NotOffered
	case held <= 0:
		return 0
	case held > alloc:
		return Over
	case held <= math.MaxInt64/policy.MaxNodeScore:
		return held * policy.MaxNodeScore / alloc
	default:
		return resource.MulDiv(held, policy.MaxNodeScore, alloc)
	}
}
