package class

import "ashlar.sh/sched/ledger"

// domainScores is a class's scores of the nodes of one domain. A class keeps one domain: members of a job are
// placed in the same domain one after the other.
type domainScores struct {
	domain []ledger.NodeID
	scores []int64       // by index in domain; out: the node does not take the class
	at     []int32       // by NodeID, the index in domain plus one; 0: not in it
	cursor ledger.Cursor // of nodes
	static ledger.Cursor // of facts of nodes
	stale  bool          // scores that change without a fact have changed
}

func (p *domainScores) size() int { return 8*len(p.scores) + 4*len(p.at) }

// fewWithin is up to how many nodes of a domain are looked at one by one for every task: for more it pays to
// keep their scores.
const fewWithin = 8

// BestWithin is Best among the nodes of a domain only. The list must not change afterwards: another domain is
// another list. A node may join or leave domains at any time without renumbering.
func (x *Index) BestWithin(t ledger.TaskID, domain []ledger.NodeID) (ledger.NodeID, int64) {
	c := x.l.Task(t).Class
	r, class := x.rows.look(c), x.l.Class(c)
	if len(domain) > 0 && (x.scans() || r.nearby()) {
		return x.bestScanned(t, domain, false)
	}
	x.placeNear(r, t)
	if len(domain) <= fewWithin || class.Tasks() <= 1 || len(r.taskFilters) > 0 {
		return x.bestAmong(r, class, t, domain)
	}
	p, best := x.scoredInDomain(r, class, domain), nobody
	for i, score := range p.scores {
		if score == out {
			continue
		}
		if score += x.near.of(domain[i]); score < best.score {
			continue
		}
		if e := (entry{score, x.order.tie(class, domain[i]), domain[i]}); best.node == ledger.NoNode || x.order.before(e, best) {
			best = e
		}
	}
	if best.node == ledger.NoNode {
		return ledger.NoNode, 0
	}
	return best.node, best.score
}

// bestAmong looks at every node of a domain.
func (x *Index) bestAmong(r *row, class *ledger.Class, t ledger.TaskID, domain []ledger.NodeID) (ledger.NodeID, int64) {
	best := entry{node: ledger.NoNode}
	for _, n := range domain {
		if int(n) >= x.l.Nodes.Len() || !x.judge.takes(&r.feasibility, class, n) {
			continue
		}
		e := entry{x.judge.score(&r.feasibility, class, n) + x.near.of(n), x.order.tie(class, n), n}
		if best.node != ledger.NoNode && !x.order.before(e, best) {
			continue
		}
		if v := x.asked(&r.feasibility, t, n, false); v.Admits() {
			best = e
		} else if v.Everywhere {
			break
		}
	}
	return best.node, best.score
}

// scoredInDomain returns the class's scores of the nodes of a domain, up to date.
func (x *Index) scoredInDomain(r *row, class *ledger.Class, domain []ledger.NodeID) *domainScores {
	p := &r.domainScores
	same := !p.stale && len(p.domain) == len(domain) && &p.domain[0] == &domain[0] && p.static == x.l.Changes.NodeFacts.Now() &&
		len(p.at) == x.l.Nodes.Len()
	if same && x.l.Changes.Nodes.Each(p.cursor, func(n ledger.NodeID) {
		if at := p.at[n]; at > 0 {
			p.scores[at-1] = x.judge.worth(r, class, n)
		}
	}) {
		p.cursor = x.l.Changes.Nodes.Now()
		return p
	}
	for _, n := range p.domain {
		p.at[n] = 0
	}
	p.at, p.scores = stretch(p.at, x.l.Nodes.Len()), p.scores[:0]
	for i, n := range domain {
		p.at[n] = int32(i + 1)
		p.scores = append(p.scores, x.judge.worth(r, class, n))
	}
	p.domain, p.cursor, p.static, p.stale = domain, x.l.Changes.Nodes.Now(), x.l.Changes.NodeFacts.Now(), false
	x.rows.weigh(r)
	return p
}

// worth is a node's score for a class, out where it does not take the class.
func (ju *nodeJudge) worth(r *row, class *ledger.Class, n ledger.NodeID) int64 {
	if !ju.takes(&r.feasibility, class, n) {
		return out
	}
	return ju.score(&r.feasibility, class, n)
}

// BestFutureWithin is BestFuture among the nodes of a domain only.
func (x *Index) BestFutureWithin(t ledger.TaskID, domain []ledger.NodeID) (ledger.NodeID, int64) {
	best := entry{node: ledger.NoNode}
	if x.l.Nodes.ReleasingNodes() == 0 {
		return best.node, 0
	}
	c := x.l.Task(t).Class
	r, class := x.rows.look(c), x.l.Class(c)
	if len(domain) > 0 && (x.scans() || r.nearby()) {
		return x.bestScanned(t, domain, true)
	}
	x.placeNear(r, t)
	for _, n := range domain {
		on := false
		if best, on = x.betterFuture(best, r, class, t, n); !on {
			break
		}
	}
	return best.node, best.score
}

// Fits is, by NodeID, for how many tasks of a class each node has room now, or with future once terminating
// tasks are gone. Filters that look at single tasks or at domains, and tasks placed next to each other, may
// lower the true number. It is valid until the next question.
func (x *Index) Fits(c ledger.ClassID, future bool) []int32 {
	r, class := x.rows.look(c), x.l.Class(c)
	t := &r.tallies[0]
	if future {
		t = &r.tallies[1]
	}
	if t.cursor != x.l.Changes.Nodes.Now() {
		x.room.count(t, r, func(n ledger.NodeID) int32 { return x.room.fit(r, class, n, future) })
	}
	return t.fit
}
