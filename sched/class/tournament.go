package class

import (
	"math"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// tournaments orders the nodes of a class by score.
type tournaments struct {
	x *Index

	longest int  // how many nodes are scored in one run; a multiple of group
	dense   bool // all scores that depend on the tasks on a node are bulk: whole columns can be scored
	sparse  bool // hardly any node has room: see run
	bulk    []policy.BulkOrder
	spread  []int64 // scores of the last run
	barred  bitset  // see bestAsked
	bars    int
}

// tournament knows the best of all nodes for a class. In the first round, each group of sixteen nodes, in the
// order of rows, has a winner; in the next round each group of sixteen winners has one, until one is left.
//
// When a winner gets worse, its group is not computed again at once: the old entry of the winner stays as a
// bound, which is better than every node of the group. Only a bound that wins the last round is replaced by
// the present best of its group. So a node on which another class placed a task costs a class nothing more
// than the new score, unless it was the node that the class would take next.
type tournament struct {
	scores []int64   // by NodeID; out, or where scores are dense anything, for a node that does not take the class
	rounds [][]entry // the last one has one entry; nil: not built yet
	bounds bitset    // the groups of the first round with a bound as winner
}

// entry is a node with its score. A class prefers the higher score, then the lower hash
// (tie), then the name (decision 19).
type entry struct {
	score int64
	hash  uint64
	node  ledger.NodeID
}

// group is how many entries a group of a tournament has.
const group = 16

// out is the score of a node that does not take the class.
const out = math.MinInt64

// nobody is the winner of a group in which no node takes the class.
var nobody = entry{score: out, node: ledger.NoNode}

func (c *tournament) size() int {
	size := 8*len(c.scores) + 8*len(c.bounds)
	for _, r := range c.rounds {
		size += 24 * len(r)
	}
	return size
}

// top returns the best of all nodes: node NoNode when there is none.
func (to *tournaments) top(r *row, class *ledger.Class) entry {
	for {
		top := r.rounds[len(r.rounds)-1][0]
		if top.node == ledger.NoNode || !r.bounds.has(int(top.node/group)) {
			return top
		}
		to.replay(r, class, top.node)
	}
}

// hold computes all rounds.
func (to *tournaments) hold(r *row, class *ledger.Class) {
	nodes := to.x.l.Nodes.Len()
	want := max(1, (nodes+group-1)/group)
	r.scores = stretch(r.scores, nodes)
	r.bounds = stretch(r.bounds, words(want))
	clear(r.bounds)
	to.round(r, 0, want)[0] = nobody
	to.sparse = false
	for first := 0; first < nodes; first += to.longest {
		scores, sure := to.run(&r.feasibility, class, first, min(to.longest, nodes-first))
		copy(r.scores[first:], scores)
		for at := 0; at < len(scores); at += group {
			part := scores[at:min(at+group, len(scores))]
			r.rounds[0][(first+at)/group] = to.among(&r.feasibility, class, nobody, first+at, part, sure)
		}
	}
	for k := 1; want > 1; k++ {
		want = (want + group - 1) / group
		winners := to.round(r, k, want)
		for g := range winners {
			winners[g] = to.winner(r, k, g)
		}
	}
}

// round returns round k, with as many winners as wanted.
func (to *tournaments) round(r *row, k, want int) []entry {
	if k == len(r.rounds) {
		r.rounds = append(r.rounds, nil)
	}
	r.rounds[k] = stretch(r.rounds[k], want)
	return r.rounds[k]
}

// enter sets a node's present score: any value, where the node does not take the class.
func (to *tournaments) enter(r *row, class *ledger.Class, n ledger.NodeID, score int64) {
	g := int(n / group)
	r.scores[n] = score
	w := &r.rounds[0][g]
	held := *w
	if n != held.node && score < held.score {
		return // nearly always
	}
	switch e := (entry{score, to.tie(class, n), n}); {
	case e == held:
		r.bounds.put(g, !to.x.judge.takes(&r.feasibility, class, n))
	case score > out && to.before(e, held) && to.x.judge.takes(&r.feasibility, class, n):
		*w = e
		r.bounds.put(g, false)
		to.siftUp(r, held, n)
	case n == held.node:
		r.bounds.put(g, true)
	}
}

// replay computes the rounds on a node's way again, from the first one on.
func (to *tournaments) replay(r *row, class *ledger.Class, n ledger.NodeID) {
	g := int(n / group)
	held := r.rounds[0][g]
	scores := r.scores[g*group : min((g+1)*group, len(r.scores))]
	r.rounds[0][g] = to.among(&r.feasibility, class, nobody, g*group, scores, !to.dense)
	r.bounds.put(g, false)
	to.siftUp(r, held, n)
}

// siftUp goes on after the winner of a node's group in the first round has changed; before is the old winner.
func (to *tournaments) siftUp(r *row, before entry, n ledger.NodeID) {
	at := int(n / group)
	now := r.rounds[0][at]
	for k := 1; k < len(r.rounds) && now != before; k++ {
		at /= group
		w := &r.rounds[k][at]
		held := *w
		switch {
		case to.before(now, held):
			*w = now
		case held.node == before.node:
			*w = to.winner(r, k, at)
		default:
			return
		}
		now, before = *w, held
	}
}

// winner returns the best of a group of the round before k.
func (to *tournaments) winner(r *row, k, g int) entry {
	part := r.rounds[k-1][g*group : min((g+1)*group, len(r.rounds[k-1]))]
	best := &part[0]
	for i := range part {
		e := &part[i]
		if e.score < best.score || e.score == best.score && e.hash > best.hash {
			continue
		}
		if e.score > best.score || e.hash < best.hash || to.before(*e, *best) {
			best = e
		}
	}
	return *best
}
