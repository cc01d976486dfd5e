package class

import "ashlar.sh/sched/ledger"

// shards divides the nodes into those of the own shard and the others.
type shards struct {
	x *Index

	sides   [2][]ledger.NodeID // see side
	sidedAt ledger.Cursor
}

// Sharded says that some node belongs to another scheduler's shard.
func (x *Index) Sharded() bool { return len(x.shards.side(true)) > 0 }

// BestIn is Best, or with future BestFuture, among the nodes of this scheduler's shard only, or with elsewhere
// among those of other shards.
func (x *Index) BestIn(t ledger.TaskID, elsewhere, future bool) (ledger.NodeID, int64) {
	domain := x.shards.side(elsewhere)
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
func (sh *shards) side(elsewhere bool) []ledger.NodeID {
	if sh.sidedAt != sh.x.l.Changes.NodeFacts.Now() {
		sh.sides[0], sh.sides[1] = sh.sides[0][:0], sh.sides[1][:0]
		sh.x.l.Nodes.Present(func(n ledger.NodeID) bool {
			i := 0
			if fact := sh.x.l.Node(n).Fact; fact != nil && fact.Elsewhere {
				i = 1
			}
			sh.sides[i] = append(sh.sides[i], n)
			return true
		})
		sh.sidedAt = sh.x.l.Changes.NodeFacts.Now()
	}
	if elsewhere {
		return sh.sides[1]
	}
	return sh.sides[0]
}
