package capacity

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/fair"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// CompareQueues puts the higher priority first, then (in the tree) leaves before other queues, then the
// smaller share (seed 001 §4.2, §4.3). Two leaves of a tree compare by the queues just below their
// deepest common ancestor; when those are equal, the older of these goes first, then the name. If other
// plugins decided between equals, the order of leaves could be circular.
func (p *plugin) CompareQueues(a, b ledger.QueueID) int {
	if c := cmp.Compare(p.l.Queue(b).Priority(), p.l.Queue(a).Priority()); c != 0 {
		return c
	}
	rank := p.rank(a)
	if c := cmp.Compare(rank, p.rank(b)); c != 0 || rank == outside {
		return c
	}
	if rank == inner {
		return p.compareShares(a, b)
	}
	x, y := p.fork(a, b)
	if !p.tree {
		return p.compareShares(x, y)
	}
	return p.compareSiblings(x, y)
}

// Standing is what a queue is ordered by among its siblings: see compareSiblings.
func (p *plugin) Standing(q int32) policy.Standing {
	rank := p.l.Seniority(ledger.QueueID(q))
	if len(p.rows[q].counts) == 0 {
		rank += bestEffort
	}
	return policy.Standing{Share: p.share(ledger.QueueID(q)), Weight: 1, Rank: rank}
}

// bestEffort in a rank puts a queue behind all queues that deserve something.
const bestEffort = 1 << 30

// Way is a leaf's ancestors below root and the leaf itself; a higher priority is a lower band.
func (p *plugin) Way(q ledger.QueueID, buf []int32) (band int64, way []int32, ok bool) {
	if p.rank(q) != leaf || p.rows[q].depth == 0 {
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
	return p.deep > 0
}

// The ranks of queues, the first served first.
const (
	leaf = iota
	inner
	outside // not among the plugin's queues: nothing is placed for it
)

func (p *plugin) rank(q ledger.QueueID) int {
	switch {
	case !p.known(q):
		return outside
	case p.l.Queue(q).Leaf():
		return leaf
	default:
		return inner
	}
}

// fork returns the queues just below the deepest common ancestor of two leaves, one on each side. For
// flat queues that ancestor is root.
func (p *plugin) fork(a, b ledger.QueueID) (ledger.QueueID, ledger.QueueID) {
	for p.rows[a].depth > p.rows[b].depth {
		a = p.rows[a].up
	}
	for p.rows[b].depth > p.rows[a].depth {
		b = p.rows[b].up
	}
	for p.rows[a].up != p.rows[b].up {
		a, b = p.rows[a].up, p.rows[b].up
	}
	return a, b
}

// compareSiblings orders two queues with the same parent: see CompareQueues.
func (p *plugin) compareSiblings(a, b ledger.QueueID) int {
	return cmp.Or(p.compareShares(a, b), p.compareAges(a, b))
}

// compareShares puts the smaller share first; of equal ones the queue that deserves something (seed 001
// §4.2).
func (p *plugin) compareShares(a, b ledger.QueueID) int {
	if c := p.share(a).Compare(p.share(b)); c != 0 {
		return c
	}
	x, y := len(p.rows[a].counts) > 0, len(p.rows[b].counts) > 0
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
func (p *plugin) compareAges(a, b ledger.QueueID) int {
	x, y := p.l.Queue(a), p.l.Queue(b)
	if c := cmp.Compare(x.Fact.Created, y.Fact.Created); c != 0 {
		return c
	}
	return cmp.Compare(x.Name, y.Name)
}

// share is the largest allocated / deserved of a queue over its dimensions, with all queues below it,
// as it stands now (seed 001 §4.1). A best-effort queue's share is 1, so that every queue below what it
// deserves goes before it. It is computed again only after the queue's figures changed: a rotation of
// many queues compares each of them many times.
func (p *plugin) share(q ledger.QueueID) fair.Ratio {
	r := &p.rows[q]
	if len(r.counts) == 0 {
		return fair.Share(1, 1)
	}
	queue := p.l.Queue(q)
	if r.sharedAt == queue.Moved && r.sharedIn == p.rounds && r.sharedOf == p.moved() {
		return r.share
	}
	var most fair.Ratio
	for _, d := range r.counts {
		held := p.holds(q, d)
		if held <= 0 || !p.offered(d) {
			continue // it holds nothing of this dimension: its share there is 0
		}
		if s := fair.Share(held, p.deserved(q, d)); s.Compare(most) > 0 {
			most = s
		}
	}
	r.share, r.sharedAt, r.sharedIn, r.sharedOf = most, queue.Moved, p.rounds, p.moved()
	return most
}

// CompareVictimQueues puts the queue first that shares the deeper ancestor with the reclaimer: room
// moves within a team before it moves between teams (seed 001 §9). Flat queues share only root.
func (p *plugin) CompareVictimQueues(a, b, reclaimer ledger.QueueID) int {
	return cmp.Compare(p.together(b, reclaimer), p.together(a, reclaimer))
}

// together is the depth of the deepest common ancestor; -1 for a queue that takes no part.
func (p *plugin) together(a, b ledger.QueueID) int32 {
	if !p.known(a) || !p.known(b) || p.rows[a].depth == 0 || p.rows[b].depth == 0 {
		return -1
	}
	x, _ := p.fork(a, b)
	return p.rows[x].depth - 1
}
