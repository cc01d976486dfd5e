package evict

import (
	"cmp"
	"math"
)

// Cost is what a set of victims costs (decision 17, seed 002 §5.4). Costs are compared field by field;
// lower is better, but for Start, where later is better.
type Cost struct {
	// Highest is the priority of the most important victim; math.MinInt32 when there are no victims.
	Highest int32
	// Sum adds up the victims' priorities, each with 2^31 added, so that one more victim always costs
	// something, even when its priority is below zero (as in kube-scheduler).
	Sum   int64
	Count int32
	// Start is the earliest start of the most important victims, in nanoseconds since the epoch: the
	// later it is, the less work is lost.
	Start int64
}

// nothing is the cost of no victims.
var nothing = Cost{Highest: math.MinInt32, Start: math.MaxInt64}

// raised is what one victim adds to Cost.Sum.
func raised(priority int32) int64 { return int64(priority) + 1<<31 }

// with is the cost with one more victim.
func (c Cost) with(priority int32, start int64) Cost {
	c.Sum += raised(priority)
	c.Count++
	switch {
	case priority > c.Highest:
		c.Highest, c.Start = priority, start
	case priority == c.Highest:
		c.Start = min(c.Start, start)
	}
	return c
}

// Compare is negative when c is cheaper.
func (c Cost) Compare(o Cost) int {
	if d := c.compareSets(o); d != 0 {
		return d
	}
	return cmp.Compare(o.Start, c.Start)
}

// compareSets compares costs without Start: between sets of equal cost on one node, the order of the
// units decides, in which the one that started last comes first.
func (c Cost) compareSets(o Cost) int {
	switch {
	case c.Highest != o.Highest:
		return cmp.Compare(c.Highest, o.Highest)
	case c.Sum != o.Sum:
		return cmp.Compare(c.Sum, o.Sum)
	}
	return cmp.Compare(c.Count, o.Count)
}
