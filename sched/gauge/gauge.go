// Package gauge reads how full a node would be with one more task on it: the question
// that scores by room ask, for every resource, of every node that changed.
//
// What a node holds is Used + Pipelined: what tasks hold, the terminating ones
// included until they are gone, and what is promised to those who wait. A reading is
// exact, rounded down, and depends on the ledger's present figures alone; what a Gauge
// keeps between readings only saves divisions, which cost more than all the rest.
//
// It is no filter: it does not know what a task may take (ledger.Room), and it gives
// no points for what it reads.
package gauge

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Readings beside the shares from 0 to policy.Points.
const (
	Lacks = -1                // the node does not offer the resource at all
	Over  = policy.Points + 1 // more would be held than the node offers
)

// Gauge reads the nodes of one ledger. It is not safe for concurrent use.
type Gauge struct {
	l    *ledger.Ledger
	cols [][]divisor // by column and node: allocatable as a divisor
}

// New returns a gauge for a ledger.
func New(l *ledger.Ledger) *Gauge { return &Gauge{l: l} }

// Share is the part of a node's allocatable in dimension d that would be held with a
// request on top: 0 for an empty node, policy.Points for one that is exactly full,
// Over above that; Lacks when there is no allocatable, whatever is asked for.
func (g *Gauge) Share(d resource.Dim, n ledger.NodeID, request int64) int64 {
	alloc := g.l.Allocatable(d)[n]
	held := alloc - g.l.Idle(d)[n] + g.l.Pipelined(d)[n] + request
	switch {
	case alloc <= 0:
		return Lacks
	case held <= 0:
		return 0
	case held > alloc:
		return Over
	case held > math.MaxInt64/policy.Points:
		return resource.MulDiv(held, policy.Points, alloc)
	}
	return g.divisor(d, n, alloc).divide(held * policy.Points)
}

// divisor is a node's allocatable, prepared anew when it changed.
func (g *Gauge) divisor(d resource.Dim, n ledger.NodeID, alloc int64) *divisor {
	if int(d) >= len(g.cols) || int(n) >= len(g.cols[d]) {
		g.widen(d)
	}
	x := &g.cols[d][n]
	if x.by != uint64(alloc) {
		*x = divisorOf(alloc)
	}
	return x
}

func (g *Gauge) widen(d resource.Dim) {
	for len(g.cols) <= int(d) {
		g.cols = append(g.cols, nil)
	}
	g.cols[d] = append(g.cols[d], make([]divisor, g.l.NumNodes()-len(g.cols[d]))...)
}
