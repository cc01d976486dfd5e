package class

import (
	"math"

	"ashlar.sh/sched/ledger"
)

// contest knows the best of all nodes for a class. In the first round every sixteen
// nodes, in the order of rows, send their best; in the next every sixteen of those, until
// one is left. When a node's score changes only the groups on its way are looked at
// again, and none once a winner stays; a heap would move the node through a deep array
// instead, and with many classes that is what the cores' caches do not hold.
type contest struct {
	scores []int64   // by NodeID, out: it does not take part
	rounds [][]entry // the last has one entry; nil: nothing is known yet

	// Of a contest among some of the nodes: which they are, by place in scores, and the
	// place of each by NodeID, in a list that such contests share.
	nodes []ledger.NodeID
	at    []int32
}

// group is how many take part in one match of a contest.
const group = 16

// out is the score of a node that does not take the class.
const out = math.MinInt64

// nobody is the winner of a group in which no node takes part.
var nobody = entry{score: out, node: ledger.NoNode}

func (c *contest) size() int {
	size := 8 * len(c.scores)
	for _, r := range c.rounds {
		size += 24 * len(r)
	}
	return size
}

// best is the winner of the last round: node NoNode when no node takes part.
func (c *contest) best() entry { return c.rounds[len(c.rounds)-1][0] }

// hold plays all rounds anew.
func (x *Index) hold(c *contest, class *ledger.Class) {
	want := max(1, (len(c.scores)+group-1)/group)
	for k := 0; ; k++ {
		if k == len(c.rounds) {
			c.rounds = append(c.rounds, nil)
		}
		c.rounds[k] = stretch(c.rounds[k], want)
		for g := range c.rounds[k] {
			c.rounds[k][g] = x.winner(c, class, k, g)
		}
		if want == 1 {
			return
		}
		want = (want + group - 1) / group
	}
}

// enter gives a node its score, and plays again what that decides.
func (x *Index) enter(c *contest, class *ledger.Class, n ledger.NodeID, score int64) {
	at := int(n)
	if c.at != nil {
		at = int(c.at[n])
	}
	was := c.scores[at]
	if was == score {
		return
	}
	c.scores[at] = score
	now, before := nobody, nobody
	if score != out {
		now = entry{score, x.tie(class, n), n}
	}
	if was != out {
		before = entry{was, x.tie(class, n), n}
	}
	for k := range c.rounds {
		at /= group
		w := &c.rounds[k][at]
		held := *w
		switch {
		case now.node != ledger.NoNode && (held.node == ledger.NoNode || x.before(now, held)):
			*w = now
		case held.node == before.node && before.node != ledger.NoNode:
			*w = x.winner(c, class, k, at)
		default:
			return
		}
		now, before = *w, held
	}
}

// winner is the best of a group: of nodes in round 0, of the round before's winners
// otherwise.
func (x *Index) winner(c *contest, class *ledger.Class, k, g int) entry {
	best := nobody
	if k > 0 {
		for _, e := range c.rounds[k-1][g*group : min((g+1)*group, len(c.rounds[k-1]))] {
			if e.node != ledger.NoNode && (best.node == ledger.NoNode || x.before(e, best)) {
				best = e
			}
		}
		return best
	}
	for i, score := range c.scores[g*group : min((g+1)*group, len(c.scores))] {
		if score == out || score < best.score {
			continue
		}
		n := ledger.NodeID(g*group + i)
		if c.nodes != nil {
			n = c.nodes[g*group+i]
		}
		if e := (entry{score, x.tie(class, n), n}); best.node == ledger.NoNode || x.before(e, best) {
			best = e
		}
	}
	return best
}
