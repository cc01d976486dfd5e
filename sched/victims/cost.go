package victims

import (
	"cmp"
	"math"
)

// Cost is what a set of victims costs (decision 17, seed 002 §5.4): compared field by
// field, the lower the better, but for Start, of which the later is better.
type Cost struct {
	// Highest is the priority of the most important victim; math.MinInt32 without any.
	Highest int32
	// Sum adds the victims' priorities, each raised by 2^31, so that a victim more always
	// costs something, be its priority below zero (as kube-scheduler does).
	Sum   int64
	Count int32
	// Start is the earliest start of the most important victims, nanoseconds since the
	// epoch: of two nodes the one where less work is lost.
	Start int64
}

// nothing is the cost of no victims.
var nothing = Cost{Highest: math.MinInt32, Start: math.MaxInt64}

// raised is what one victim adds to Cost.Sum.
func raised(priority int32) int64 { return int64(priority) + 1<<31 }

// with is the cost with one victim more.
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

// compareSets leaves out when victims started: between sets on one node that are as cheap
// the order in which units go decides, of which the one that started last is the first.
func (c Cost) compareSets(o Cost) int {
	switch {
	case c.Highest != o.Highest:
		return cmp.Compare(c.Highest, o.Highest)
	case c.Sum != o.Sum:
		return cmp.Compare(c.Sum, o.Sum)
	}
	return cmp.Compare(c.Count, o.Count)
}
