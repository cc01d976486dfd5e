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
	last                   inverse
	known                  [16]inverse
}

// inverse is 2^64/of, rounded down: to multiply by it is almost to divide by of.
type inverse struct {
	of   int64
	part uint64
	most uint64 // what may be held for the short way: no more than there is, nor too much for 64 bits
}

// NewDial returns a Dial for a request in dimension d.
func NewDial(l *ledger.Ledger, d resource.Dim, request int64) Dial {
	n := l.NumNodes()
	return Dial{alloc: l.Allocatable(d)[:n], idle: l.Idle(d)[:n], pipelined: l.Pipelined(d)[:n], request: request}
}

// Share is the function of that name, for the Dial's request.
func (g *Dial) Share(n ledger.NodeID) int64 {
	alloc := g.alloc[n]
	held := alloc - g.idle[n] + g.pipelined[n] + g.request
	if alloc == g.last.of && uint64(held) <= g.last.most {
		share, _ := bits.Mul64(uint64(held)*policy.Points, g.last.part)
		if uint64(held)*policy.Points-share*uint64(alloc) < uint64(alloc) {
			return int64(share)
		}
	}
	return g.long(alloc, held)
}

func (g *Dial) long(alloc, held int64) int64 {
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
		*k = inverse{alloc, math.MaxUint64 / uint64(alloc), uint64(min(alloc, math.MaxInt64/policy.Points))}
	}
	g.last = *k
	whole := uint64(held) * policy.Points
	share, _ := bits.Mul64(whole, k.part)
	for rest := whole - share*uint64(alloc); rest >= uint64(alloc); rest -= uint64(alloc) {
		share++ // the inverse was rounded down: it falls short by two at most
	}
	return int64(share)
}
