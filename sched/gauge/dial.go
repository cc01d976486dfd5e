package gauge

import (
	"math"
	"math/bits"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/resource"
)

// Dial reads the shares of many nodes for one request: what Share says, without
// dividing anew for every node. It is good until the ledger's columns grow.
type Dial struct {
	alloc, idle, pipelined []int64
	request                int64
	known                  [16]inverse
}

// inverse is 2^64/of, rounded down: to multiply by it is almost to divide by of.
type inverse struct {
	of   int64
	part uint64
}

// NewDial returns a Dial for a request in dimension d.
func NewDial(l *ledger.Ledger, d resource.Dim, request int64) Dial {
	return Dial{alloc: l.Allocatable(d), idle: l.Idle(d), pipelined: l.Pipelined(d), request: request}
}

// Share is the function of that name, for the Dial's request.
func (g *Dial) Share(n ledger.NodeID) int64 {
	alloc := g.alloc[n]
	held := alloc - g.idle[n] + g.pipelined[n] + g.request
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
	k := &g.known[uint64(alloc)*0x9e3779b97f4a7c15>>60]
	if k.of != alloc {
		*k = inverse{alloc, math.MaxUint64 / uint64(alloc)}
	}
	whole := uint64(held) * policy.Points
	share, _ := bits.Mul64(whole, k.part)
	for rest := whole - share*uint64(alloc); rest >= uint64(alloc); rest -= uint64(alloc) {
		share++ // the inverse was rounded down: it falls short by two at most
	}
	return int64(share)
}
