package capacity

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// order compares queues by what they hold of what they deserve.
type order struct {
	p *plugin

	deep int // the number of queues more than one level below root
}

// CompareQueues puts the higher priority first, then (in the tree) leaves before other queues, then the
// smaller share (seed 001 §4.2, §4.3). Two leaves of a tree compare by the queues just below their
// deepest common ancestor; when those are equal, the older of these goes first, then the name. If other
// plugins decided between equals, the order of leaves could be circular.
func (p *plugin) CompareQueues(a, b ledger.QueueID) int {
	if c := cmp.Compare(p.l.Queue(b).Priority(), p.l.Queue(a).Priority()); c != 0 {
		return c
	}
	rank := p.order.rank(a)
	if c := cmp.Compare(rank, p.order.rank(b)); c != 0 || rank == outside {
		return c
	}
	if rank == inner {
		return p.order.compareShares(a, b)
	}
	x, y := p.order.fork(a, b)
	if !p.bounds.tree {
		return p.order.compareShares(x, y)
	}
	return p.order.compareSiblings(x, y)
}

// SiblingKey is what a queue is ordered by among its siblings: see compareSiblings.
func (p *plugin) SiblingKey(q int32) policy.SiblingKey {
	rank := p.l.Queues.Seniority(ledger.QueueID(q))
	if len(p.rows[q].counts) == 0 {
		rank += bestEffort
	}
	return policy.SiblingKey{Share: p.order.share(ledger.QueueID(q)), Weight: 1, Rank: rank}
}

// bestEffort in a rank puts a queue behind all queues that deserve something.
const bestEffort = 1 << 30

// Path is a leaf's ancestors below root and the leaf itself; a higher priority is a lower band.
func (p *plugin) Path(q ledger.QueueID, buf []int32) (band int64, path []int32, ok bool) {
	if p.order.rank(q) != leaf || p.rows[q].depth == 0 {
		return 0, buf, false
	}
	for at := q; p.rows[at].depth > 0; at = p.rows[at].up {
		buf = append(buf, int32(at))
	}
	slices.Reverse(buf)
	return -int64(p.l.Queue(q).Priority()), buf, true
}

// ServingMovesOthers says that placing a task for one leaf may change the order of others: of all that
// share an ancestor below root with it. Flat queues, and those of a tree of one level, do not affect
// each other.
func (p *plugin) ServingMovesOthers() bool {
	return p.order.deep > 0
}

// The ranks of queues, the first served first.
const (
	leaf = iota
	inner
	outside // not among the plugin's queues: nothing is placed for it
)

func (or *order) rank(q ledger.QueueID) int {
	switch {
	case !or.p.bounds.known(q):
		return outside
	case or.p.l.Queue(q).Leaf():
		return leaf
	default:
		return inner
	}
}

// fork returns the queues just below the deepest common ancestor of two leaves, one on each side. For
// flat queues that ancestor is root.
func (or *order) fork(a, b ledger.QueueID) (ledger.QueueID, ledger.QueueID) {
	for or.p.rows[a].depth > or.p.rows[b].depth {
		a = or.p.rows[a].up
	}
	for or.p.rows[b].depth > or.p.rows[a].depth {
		b = or.p.rows[b].up
	}
	for or.p.rows[a].up != or.p.rows[b].up {
		a, b = or.p.rows[a].up, or.p.rows[b].up
	}
	return a, b
}

// compareSiblings orders two queues with the same parent: see CompareQueues.
func (or *order) compareSiblings(a, b ledger.QueueID) int {
	return cmp.Or(or.compareShares(a, b), or.compareAges(a, b))
}

// compareShares puts the smaller share first; of equal ones the queue that deserves something (seed 001
// §4.2).
func (or *order) compareShares(a, b ledger.QueueID) int {
	if c := or.share(a).Compare(or.share(b)); c != 0 {
		return c
	}
	x, y := len(or.p.rows[a].counts) > 0, len(or.p.rows[b].counts) > 0
	switch {
	case x == y:
		return 0
	case x:
		return -1
	default:
		return 1
	}
}

// compareAges is the order of policy.Set between queues that are equal.
func (or *order) compareAges(a, b ledger.QueueID) int {
	x, y := or.p.l.Queue(a), or.p.l.Queue(b)
	if c := cmp.Compare(x.Fact.Created, y.Fact.Created); c != 0 {
		return c
	}
	return cmp.Compare(x.Name, y.Name)
}

// share is the largest allocated / deserved of a queue over its dimensions, with all queues below it,
// as it stands now (seed 001 §4.1). A best-effort queue's share is 1, so that every queue below what it
// deserves goes before it. It is computed again only after the queue's figures changed: a rotation of
// many queues compares each of them many times. What the queue remembers counts along (policy.Memory).
func (or *order) share(q ledger.QueueID) fair.Ratio {
	r := &or.p.rows[q]
	if len(r.counts) == 0 {
		return fair.Share(1, 1)
	}
	queue := or.p.l.Queue(q)
	version := or.p.memory.Version(or.p.l)
	if r.sharedAt == queue.Moved && r.sharedIn == or.p.rounds && r.sharedOf == or.p.moved() && r.remembered == version {
		return r.share
	}
	var most fair.Ratio
	for _, d := range r.counts {
		held := or.p.holds(q, d)
		if held <= 0 && or.p.memory.Weight == 0 || !or.p.bounds.offered(d) {
			continue // it holds nothing of this dimension: its share there is 0
		}
		if s := or.p.memory.Share(or.p.l, q, d, held, or.p.bounds.deserved(q, d)); s.Compare(most) > 0 {
			most = s
		}
	}
	r.share, r.sharedAt, r.sharedIn, r.sharedOf, r.remembered = most, queue.Moved, or.p.rounds, or.p.moved(), version
	return most
}

// CompareVictimQueues puts the queue first that shares the deeper ancestor with the reclaimer: room
// moves within a team before it moves between teams (seed 001 §9). Flat queues share only root.
func (p *plugin) CompareVictimQueues(a, b, reclaimer ledger.QueueID) int {
	return cmp.Compare(p.order.together(b, reclaimer), p.order.together(a, reclaimer))
}

// together is the depth of the deepest common ancestor; -1 for a queue that takes no part.
func (or *order) together(a, b ledger.QueueID) int32 {
	if !or.p.bounds.known(a) || !or.p.bounds.known(b) || or.p.rows[a].depth == 0 || or.p.rows[b].depth == 0 {
		return -1
	}
	x, _ := or.fork(a, b)
	return or.p.rows[x].depth - 1
}
