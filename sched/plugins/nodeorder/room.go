package nodeorder

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// room scores a node by how full it would be with the task on it. The three scores
// read the same two shares, so they are one part: the shares cost more than the rest.
type room struct {
	l                     *ledger.Ledger
	least, most, balanced int64 // weights
}

// lacks stands for the share of a resource that a node does not offer.
const lacks = -1

// ScoreNode is the weighted sum of the three scores.
func (r *room) ScoreNode(c *ledger.Class, n ledger.NodeID) int64 {
	cpu := r.share(resource.CPU, n, c.Request.Get(resource.CPU))
	memory := r.share(resource.Memory, n, c.Request.Get(resource.Memory))
	return r.least*leastRequested(cpu, memory) + r.most*mostRequested(cpu, memory) + r.balanced*balanced(cpu, memory)
}

// share is how much of a node's resource would be held with a request on it: from 0
// to policy.Points, rounded down, Points also where more is held than there is.
func (r *room) share(d resource.Dim, n ledger.NodeID, request int64) int64 {
	alloc := r.l.Allocatable(d)[n]
	if alloc <= 0 {
		return lacks
	}
	held := alloc - r.l.Idle(d)[n] + r.l.Pipelined(d)[n] + request
	switch {
	case held <= 0:
		return 0
	case held >= alloc:
		return policy.Points
	case held <= math.MaxInt64/policy.Points:
		return held * policy.Points / alloc
	default:
		return resource.MulDiv(held, policy.Points, alloc)
	}
}

// leastRequested is the mean of what is left; a resource that the node lacks has
// nothing left.
func leastRequested(cpu, memory int64) int64 { return (left(cpu) + left(memory)) / 2 }

func left(share int64) int64 {
	if share == lacks {
		return 0
	}
	return policy.Points - share
}

// mostRequested is the mean of what is held; a resource that the node lacks is not
// held.
func mostRequested(cpu, memory int64) int64 { return (max(cpu, 0) + max(memory, 0)) / 2 }

// balanced takes half the distance of the two shares off; a node that lacks one of
// the two has nothing to balance.
func balanced(cpu, memory int64) int64 {
	if cpu == lacks || memory == lacks {
		return policy.Points
	}
	return policy.Points - max(cpu-memory, memory-cpu)/2
}
