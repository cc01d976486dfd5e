package class

import "ashlar.sh/sched/ledger"

// Sharded says that some node belongs to another scheduler's shard.
func (x *Index) Sharded() bool { return len(x.side(true)) > 0 }

// BestIn is Best, or with future BestFuture, among the nodes of this scheduler's shard only, or with elsewhere
// among those of other shards.
func (x *Index) BestIn(t ledger.TaskID, elsewhere, future bool) (ledger.NodeID, int64) {
	domain := x.side(elsewhere)
	switch {
	case len(domain) == 0:
		return ledger.NoNode, 0
	case x.scans():
		return x.bestScanned(t, domain, future)
	case future:
		return x.BestFutureWithin(t, domain)
	default:
		return x.BestWithin(t, domain)
	}
}

// side lists the nodes of this scheduler's shard, or with elsewhere those of other shards. The shard is part
// of the node's fact.
func (x *Index) side(elsewhere bool) []ledger.NodeID {
	if x.sidedAt != x.l.Changes.NodeFacts.Now() {
		x.sides[0], x.sides[1] = x.sides[0][:0], x.sides[1][:0]
		x.l.Present(func(n ledger.NodeID) bool {
			i := 0
			if fact := x.l.Node(n).Fact; fact != nil && fact.Elsewhere {
				i = 1
			}
			x.sides[i] = append(x.sides[i], n)
			return true
		})
		x.sidedAt = x.l.Changes.NodeFacts.Now()
	}
	if elsewhere {
		return x.sides[1]
	}
	return x.sides[0]
}
