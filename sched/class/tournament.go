package class

import (
	"math"

	"ashlar.sh/sched/ledger"
)

// tournament knows the best of all nodes for a class. In the first round every sixteen nodes,
// in the order of rows, send their best; in the next every sixteen of those, until one is
// left.
//
// When a winner gets worse its group is not looked at again: the winner as it was stays as
// a bound, which all others of the group come behind. Only a bound that wins the last
// round is replaced by who is the best of its group now. So a node that others took costs
// a class nothing more than its score, unless it was the next that the class would take.
type tournament struct {
	scores []int64   // by NodeID; of those that do not take the class, anything (where scores are dense) or out
	rounds [][]entry // the last has one entry; nil: nothing is known yet
	bounds bitset    // the groups of the first round of which the winner is a bound
}

// entry is a node with its score. A class prefers the higher score, then the lower hash
// (tie), then the name (decision 19).
type entry struct {
	score int64
	hash  uint64
	node  ledger.NodeID
}

// group is how many take part in one match of a contest.
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

// top is the best of all: node NoNode when no node takes part.
func (x *Index) top(r *row, class *ledger.Class) entry {
	for {
		top := r.rounds[len(r.rounds)-1][0]
		if top.node == ledger.NoNode || !r.bounds.has(int(top.node/group)) {
			return top
		}
		x.replay(r, class, top.node)
	}
}

// hold plays all rounds anew.
func (x *Index) hold(r *row, class *ledger.Class) {
	nodes := x.l.NumNodes()
	want := max(1, (nodes+group-1)/group)
	r.scores = stretch(r.scores, nodes)
	r.bounds = stretch(r.bounds, words(want))
	clear(r.bounds)
	x.round(r, 0, want)[0] = nobody
	x.sparse = false
	for first := 0; first < nodes; first += x.longest {
		scores, sure := x.run(&r.feasibility, class, first, min(x.longest, nodes-first))
		copy(r.scores[first:], scores)
		for at := 0; at < len(scores); at += group {
			part := scores[at:min(at+group, len(scores))]
			r.rounds[0][(first+at)/group] = x.among(&r.feasibility, class, nobody, first+at, part, sure)
		}
	}
	for k := 1; want > 1; k++ {
		want = (want + group - 1) / group
		winners := x.round(r, k, want)
		for g := range winners {
			winners[g] = x.winner(r, k, g)
		}
	}
}

// round is round k of a contest, with as many winners as wanted.
func (x *Index) round(r *row, k, want int) []entry {
	if k == len(r.rounds) {
		r.rounds = append(r.rounds, nil)
	}
	r.rounds[k] = stretch(r.rounds[k], want)
	return r.rounds[k]
}

// enter tells a contest what a node scores by now: anything, where it does not take the
// class.
func (x *Index) enter(r *row, class *ledger.Class, n ledger.NodeID, score int64) {
	g := int(n / group)
	r.scores[n] = score
	w := &r.rounds[0][g]
	held := *w
	if n != held.node && score < held.score {
		return // as nearly always
	}
	switch e := (entry{score, x.tie(class, n), n}); {
	case e == held:
		r.bounds.put(g, !x.takes(&r.feasibility, class, n))
	case score > out && x.before(e, held) && x.takes(&r.feasibility, class, n):
		*w = e
		r.bounds.put(g, false)
		x.siftUp(r, held, n)
	case n == held.node:
		r.bounds.put(g, true)
	}
}

// replay plays the rounds of a node's way again, from the first on.
func (x *Index) replay(r *row, class *ledger.Class, n ledger.NodeID) {
	g := int(n / group)
	held := r.rounds[0][g]
	scores := r.scores[g*group : min((g+1)*group, len(r.scores))]
	r.rounds[0][g] = x.among(&r.feasibility, class, nobody, g*group, scores, !x.dense)
	r.bounds.put(g, false)
	x.siftUp(r, held, n)
}

// siftUp plays on after the winner of a node's first match has changed; before is who won.
func (x *Index) siftUp(r *row, before entry, n ledger.NodeID) {
	at := int(n / group)
	now := r.rounds[0][at]
	for k := 1; k < len(r.rounds) && now != before; k++ {
		at /= group
		w := &r.rounds[k][at]
		held := *w
		switch {
		case x.before(now, held):
			*w = now
		case held.node == before.node:
			*w = x.winner(r, k, at)
		default:
			return
		}
		now, before = *w, held
	}
}

// winner is the best of a group of the round before k.
func (x *Index) winner(r *row, k, g int) entry {
	part := r.rounds[k-1][g*group : min((g+1)*group, len(r.rounds[k-1]))]
	best := &part[0]
	for i := range part {
		e := &part[i]
		if e.score < best.score || e.score == best.score && e.hash > best.hash {
			continue
		}
		if e.score > best.score || e.hash < best.hash || x.before(*e, *best) {
			best = e
		}
	}
	return *best
}
