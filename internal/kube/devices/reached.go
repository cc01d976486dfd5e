package devices

import (
	"ashlar.sh/sched/ledger"
)

// reached are the nodes on which a claim can be used that has its devices: a bit each. Many pods may name one claim.
type reached struct {
	nodes []uint64
	still uint64 // up to which change of what nodes are they hold
}

// mostReached bounds for how many selectors they are remembered.
const mostReached = 1 << 10

// reachedBy are the nodes on which a claim can be used that has its devices.
func (r *refused) reachedBy(d *Devices, n *need) []uint64 {
	at := r.reached[n.reaches]
	if at == nil {
		if r.reached == nil || len(r.reached) >= mostReached {
			r.reached = map[digest]*reached{}
		}
		at = &reached{}
		r.reached[n.reaches] = at
	}
	nodes := d.l.Nodes.Len()
	from := len(at.nodes) * 64
	at.nodes = widened(at.nodes, (nodes+63)/64)
	look := func(word int, bit uint64) {
		at.nodes[word] &^= bit
		for b := range 64 {
			if node := ledger.NodeID(word*64 + b); bit == 1<<b && int(node) < nodes && n.reach.Match(d.node(node)) {
				at.nodes[word] |= bit
			}
		}
	}
	if r.still.after(at.still, look) {
		from = 0
	}
	for node := from; node < nodes; node++ {
		look(node/64, 1<<(node%64))
	}
	at.still = r.still.now()
	return at.nodes
}
