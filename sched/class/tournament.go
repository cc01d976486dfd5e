package class

import (
	"math"
	"math/bits"

	"ashlar.sh/sched/ledger"
)

// tournament knows the best of some nodes for a class: of all nodes, of a list, or of a topology group. In the first
// round, each group of sixteen nodes, in the order of positions, has a winner; in the next round each group of sixteen
// winners has one, until one is left.
//
// When a winner gets worse, its group is not computed again at once: the old entry of the winner stays as a bound,
// which is better than every node of the group. Only a bound that wins the last round is replaced by the present best
// of its group. So a node on which another class placed a task costs a class nothing more than the new score, unless
// it was the node that the class would take next.
type tournament struct {
	of     *feasibility
	nodes  []ledger.NodeID // by position; nil: all nodes, each at the position of its number
	exact  bool            // every node that does not take the class scores out; otherwise a winner is asked for that
	scores []int64         // by position; out, or where not exact anything, for a node that does not take the class
	takers int             // where exact and set by set or fill: how many nodes take the class
	rounds [][]entry       // the last one has one entry; nil: no node was ever in it
	bounds bitset          // the groups of the first round with a bound as winner
	flat   bool            // a list of so few nodes (fewFlat) that the best is found by looking at all: without rounds
}

// entry is a node with its score. A class prefers the higher score, then the lower hash (tie), then the name
// (decision 19).
type entry struct {
	score int64
	hash  uint64
	node  ledger.NodeID
	at    int32 // position
}

// group is how many entries a group of a tournament has.
const group = 16

// fewFlat is up to how many nodes of a list are looked at for each task: a domain has often so few.
const fewFlat = 64

// mostReplayed is how many bounds are replaced one by one for one question.
const mostReplayed = 16

// out is the score of a node that does not take the class.
const out = math.MinInt64

// noEntry is the winner where no node takes the class.
var noEntry = entry{score: out, node: ledger.NoNode, at: -1}

func (t *tournament) size() int {
	size := 8*len(t.scores) + 8*len(t.bounds)
	for _, r := range t.rounds {
		size += 24 * len(r)
	}
	return size
}

// top returns the best node; noEntry when there is none.
func (t *tournament) top() entry {
	if t.flat {
		best, _ := t.of.among(noEntry, t.nodes, 0, t.scores, t.exact)
		return best
	}
	for replayed := 0; len(t.rounds) > 0; replayed++ {
		top := t.rounds[len(t.rounds)-1][0]
		if top.node == ledger.NoNode || !t.bounds.has(int(top.at)/group) {
			return top
		}
		if replayed == mostReplayed {
			t.replayAll()
			continue
		}
		t.replay(int(top.at) / group)
	}
	return noEntry
}

// replayAll replaces all bounds at once, which costs less than to replay one group after the other where many wins are
// bounds: after a time in which other classes took nodes.
func (t *tournament) replayAll() {
	for i := range t.bounds {
		for rest := t.bounds[i]; rest != 0; rest &= rest - 1 {
			g := i*64 + bits.TrailingZeros64(rest)
			t.rounds[0][g] = t.best(g)
		}
	}
	clear(t.bounds)
	t.climb()
}

// hold makes it a tournament of some nodes that all take the class, with their scores. It keeps both lists.
func (t *tournament) hold(v *feasibility, nodes []ledger.NodeID, scores []int64) *tournament {
	t.of, t.nodes, t.scores, t.exact, t.flat = v, nodes, scores, true, len(nodes) <= v.x.flat
	t.fill()
	return t
}

// fill computes all rounds of an exact tournament from the scores.
func (t *tournament) fill() {
	if t.flat {
		return
	}
	t.open()
	t.takers = 0
	for g := range t.rounds[0] {
		t.rounds[0][g] = t.best(g)
	}
	for _, score := range t.scores {
		t.takers += differ(score != out, false)
	}
	t.climb()
}

// open makes room for the rounds, without bounds.
func (t *tournament) open() {
	want := max(1, (len(t.scores)+group-1)/group)
	t.bounds = stretch(t.bounds[:0], words(want))
	clear(t.bounds)
	for k := 0; ; k++ {
		if k == len(t.rounds) {
			t.rounds = append(t.rounds, nil)
		}
		t.rounds[k] = stretch(t.rounds[k], want)[:want]
		if want == 1 {
			t.rounds = t.rounds[:k+1]
			return
		}
		want = (want + group - 1) / group
	}
}

// climb computes all rounds after the first.
func (t *tournament) climb() {
	for k := 1; k < len(t.rounds); k++ {
		for g := range t.rounds[k] {
			t.rounds[k][g] = t.winner(k, g)
		}
	}
}

// set sets the present score of the node at a position: any value, where the tournament is not exact and the node does
// not take the class.
func (t *tournament) set(at int, score int64) {
	if t.exact {
		t.takers += differ(score != out, t.scores[at] != out)
	}
	t.scores[at] = score
	if t.flat {
		return
	}
	g := at / group
	w := &t.rounds[0][g]
	held := *w
	if at != int(held.at) && score < held.score {
		return // nearly always
	}
	switch e := t.of.entry(t.nodes, at, score); {
	case e == held:
		t.bounds.put(g, !t.takes(e.node))
	case score > out && t.of.x.before(e, held) && t.takes(e.node):
		*w = e
		t.bounds.put(g, false)
		t.siftUp(g, held)
	case at == int(held.at):
		t.bounds.put(g, true)
	}
}

func (t *tournament) takes(n ledger.NodeID) bool { return t.exact || t.of.takes(n, false) }

// replay computes a group of the first round again, and what follows from it.
func (t *tournament) replay(g int) {
	held := t.rounds[0][g]
	t.rounds[0][g] = t.best(g)
	t.bounds.put(g, false)
	t.siftUp(g, held)
}

// best returns the best of a group of nodes.
func (t *tournament) best(g int) entry {
	best, _ := t.of.among(noEntry, t.nodes, g*group, t.scores[g*group:min((g+1)*group, len(t.scores))], t.exact)
	return best
}

// siftUp goes on after the winner of a group in the first round has changed; before is the old winner.
func (t *tournament) siftUp(at int, before entry) {
	now := t.rounds[0][at]
	for k := 1; k < len(t.rounds) && now != before; k++ {
		at /= group
		w := &t.rounds[k][at]
		held := *w
		switch {
		case t.of.x.before(now, held):
			*w = now
		case held.node == before.node:
			*w = t.winner(k, at)
		default:
			return
		}
		now, before = *w, held
	}
}

// winner returns the best of a group of the round before k.
func (t *tournament) winner(k, g int) entry {
	part := t.rounds[k-1][g*group : min((g+1)*group, len(t.rounds[k-1]))]
	best := &part[0]
	for i := range part {
		e := &part[i]
		if e.score < best.score || e.score == best.score && e.hash > best.hash {
			continue
		}
		if e.score > best.score || e.hash < best.hash || t.of.x.before(*e, *best) {
			best = e
		}
	}
	return *best
}

// entry is the entry of the node at a position. nodes is as in tournament.
func (v *feasibility) entry(nodes []ledger.NodeID, at int, score int64) entry {
	n := ledger.NodeID(at)
	if nodes != nil {
		n = nodes[at]
	}
	return entry{score, v.tie(n), n, int32(at)}
}

// tie is a fixed hash of class and node: it orders nodes with equal scores.
func (v *feasibility) tie(n ledger.NodeID) uint64 {
	h := v.x.l.Nodes.Hash(n) ^ v.class.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// before is the total order of nodes for a class, the best first. An entry without a node is last.
func (x *Index) before(a, b entry) bool {
	if a.score != b.score || a.score == out {
		return a.score > b.score
	}
	if a.hash != b.hash {
		return a.hash < b.hash
	}
	return x.l.Node(a.node).Name < x.l.Node(b.node).Name
}
