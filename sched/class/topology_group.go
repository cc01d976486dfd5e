package class

import "ashlar.sh/sched/ledger"

// topologyGroup knows the best of some nodes for a class. It works as a tournament without bounds: in most
// cases a group is asked right after one of its nodes changed.
type topologyGroup struct {
	nodes  []ledger.NodeID
	at     []int32   // by NodeID, the index in nodes; all groups share this list
	scores []int64   // by index; out: the node does not take the class; nil: no node was ever in it
	takers int       // how many nodes take the class
	rounds [][]entry // the last one has one entry; nil: not built yet
}

func (c *topologyGroup) size() int {
	size := 12 * len(c.scores)
	for _, r := range c.rounds {
		size += 24 * len(r)
	}
	return size
}

// best returns the winner of the last round: node NoNode when no node takes the class.
func (c *topologyGroup) best() entry {
	if c.takers == 0 {
		return nobody
	}
	return c.rounds[len(c.rounds)-1][0]
}

// open gives a group scores. No node takes the class yet.
func (c *topologyGroup) open() {
	if c.scores == nil {
		c.scores = make([]int64, len(c.nodes))
		for i := range c.scores {
			c.scores[i] = out
		}
	}
}

// fillGroup computes all rounds.
func (di *domainIndex) fillGroup(c *topologyGroup, class *ledger.Class) {
	want := max(1, (len(c.scores)+group-1)/group)
	c.takers = 0
	for _, score := range c.scores {
		c.takers += differ(score != out, false)
	}
	for k := 0; ; k++ {
		if k == len(c.rounds) {
			c.rounds = append(c.rounds, nil)
		}
		c.rounds[k] = stretch(c.rounds[k], want)
		for g := range c.rounds[k] {
			c.rounds[k][g] = di.bestOfGroup(c, class, k, g)
		}
		if want == 1 {
			return
		}
		want = (want + group - 1) / group
	}
}

// enterGroup sets a node's score, and computes again what depends on it.
func (di *domainIndex) enterGroup(c *topologyGroup, class *ledger.Class, n ledger.NodeID, score int64) {
	if c.scores == nil {
		if score == out {
			return
		}
		c.open()
		di.fillGroup(c, class)
	}
	at := int(c.at[n])
	was := c.scores[at]
	if was == score {
		return
	}
	c.scores[at] = score
	c.takers += differ(score != out, was != out)
	now, before := nobody, nobody
	if score != out {
		now = entry{score, di.x.order.tie(class, n), n}
	}
	if was != out {
		before = entry{was, di.x.order.tie(class, n), n}
	}
	for k := range c.rounds {
		at /= group
		w := &c.rounds[k][at]
		held := *w
		switch {
		case now.node != ledger.NoNode && di.x.order.before(now, held):
			*w = now
		case held.node == before.node && before.node != ledger.NoNode:
			*w = di.bestOfGroup(c, class, k, at)
		default:
			return
		}
		now, before = *w, held
	}
}

// bestOfGroup returns the best of a group: of nodes in round 0, of the winners of the round before otherwise.
func (di *domainIndex) bestOfGroup(c *topologyGroup, class *ledger.Class, k, g int) entry {
	best := nobody
	if k > 0 {
		for _, e := range c.rounds[k-1][g*group : min((g+1)*group, len(c.rounds[k-1]))] {
			if di.x.order.before(e, best) {
				best = e
			}
		}
		return best
	}
	for i, score := range c.scores[g*group : min((g+1)*group, len(c.scores))] {
		if score == out || score < best.score {
			continue
		}
		n := c.nodes[g*group+i]
		if e := (entry{score, di.x.order.tie(class, n), n}); di.x.order.before(e, best) {
			best = e
		}
	}
	return best
}
