package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
)

// ranking is the nodes of a scope in tournaments for one class, brought up to date with what changed: all nodes in one
// tournament, those of a list in one, or all nodes in one for each topology group (split).
type ranking struct {
	groups []tournament
	at     []int32       // by NodeID: its position in its group, plus one; 0: it is in none. nil: all nodes in one group
	cursor ledger.Cursor // of nodes: it is up to date up to it; 0: not at all
	built  ledger.Cursor // of facts of nodes, when the nodes were listed; 0: never
	future bool          // for tasks that wait for room that terminating tasks hold
}

func (k *ranking) size() int {
	size := 4 * len(k.at)
	for i := range k.groups {
		size += k.groups[i].size()
	}
	return size
}

// rankAll returns the tournament of all nodes, up to date.
func (x *Index) rankAll(r *row) *tournament {
	k := &r.all
	if k.built == 0 {
		k.groups = []tournament{{of: &r.feasibility, exact: !x.dense}}
	}
	if t := &k.groups[0]; len(t.scores) < x.l.Nodes.Len() {
		t.scores, k.cursor = stretch(t.scores, x.l.Nodes.Len()), 0
	}
	k.built = x.l.Changes.NodeFacts.Now()
	x.follow(r, k, nil)
	return &k.groups[0]
}

// rankList returns the tournament of a list of nodes, up to date. A class keeps one list.
func (x *Index) rankList(r *row, nodes []ledger.NodeID) *tournament {
	k := &r.list
	if k.built == 0 {
		k.groups = []tournament{{of: &r.feasibility, exact: true}}
	}
	t, facts := &k.groups[0], x.l.Changes.NodeFacts.Now()
	if k.built != facts || len(t.nodes) != len(nodes) || &t.nodes[0] != &nodes[0] {
		for _, n := range t.nodes {
			k.at[n] = 0
		}
		k.at = stretch(k.at, x.l.Nodes.Len())
		for i, n := range nodes {
			k.at[n] = int32(i + 1)
		}
		t.nodes, t.scores, t.flat = nodes, stretch(t.scores, len(nodes))[:len(nodes)], len(nodes) <= x.flat
		k.built, k.cursor = facts, 0
	}
	x.follow(r, k, nil)
	return t
}

// rankLater returns the tournament of the nodes with terminating tasks, up to date, for a class that is to wait for
// room there; nil where these are so few that comparing them costs no more.
func (x *Index) rankLater(r *row) *tournament {
	if x.l.Nodes.ReleasingNodes() <= x.flat {
		return nil
	}
	k := &r.later
	if k.built == 0 {
		k.groups, k.future = []tournament{{of: &r.feasibility, exact: true}}, true
	}
	facts := x.l.Changes.NodeFacts.Now()
	if k.built != facts || k.cursor == 0 || k.lacksReleasing(x.l) {
		t := &k.groups[0]
		for _, n := range t.nodes {
			k.at[n] = 0
		}
		k.at, t.nodes = stretch(k.at, x.l.Nodes.Len()), t.nodes[:0]
		for n := range ledger.NodeID(x.l.Nodes.Len()) {
			if x.l.Nodes.HasReleasing(n) {
				t.nodes = append(t.nodes, n)
				k.at[n] = int32(len(t.nodes))
			}
		}
		t.scores = stretch(t.scores, len(t.nodes))[:len(t.nodes)]
		k.built, k.cursor = facts, 0
	}
	x.follow(r, k, nil)
	return &k.groups[0]
}

// lacksReleasing says that a node outside the list of a ranking may have a terminating task by now.
func (k *ranking) lacksReleasing(l *ledger.Ledger) bool {
	changed, known := l.Changes.Nodes.Since(k.cursor)
	return !known || slices.ContainsFunc(changed, func(n ledger.NodeID) bool {
		return int(n) >= len(k.at) || k.at[n] == 0 && l.Nodes.HasReleasing(n)
	})
}

// takes says that a node takes the class, now or in the future that the ranking is for.
func (k *ranking) takes(r *row, n ledger.NodeID) bool {
	return (!k.future || r.x.l.Nodes.HasReleasing(n)) && r.takes(n, k.future)
}

// follow brings a ranking up to date: it looks again at the nodes that changed, or at all nodes where these are not
// known. sp is the split that the ranking is part of, nil for another ranking.
func (x *Index) follow(r *row, k *ranking, sp *split) {
	x.lru++
	r.used = x.lru
	now := x.l.Changes.Nodes.Now()
	if k.cursor == now {
		return
	}
	changed, known, kept := x.l.Changes.Nodes.Rows(k.cursor, x.moved)
	x.moved = kept
	switch {
	case known && len(changed) <= x.l.Nodes.Len():
		if x.lookAgain(r, k, sp, changed); sp == nil {
			k.cursor = now
			return // it takes as many bytes as before
		}
	case k.at == nil:
		k.groups[0].fillInRuns()
	default:
		x.refill(r, k, sp)
	}
	k.cursor = now
	x.weigh(r)
}

// lookAgain sets the scores of nodes that changed.
func (x *Index) lookAgain(r *row, k *ranking, sp *split, changed []ledger.NodeID) {
	x.changed = x.changed[:0]
	exact := k.groups[0].exact
	look := func(n ledger.NodeID) {
		if exact && !(k.takes(r, n) && (sp == nil || sp.admits(r, n))) {
			k.set(r, sp, n, out)
		} else {
			x.changed = append(x.changed, n)
		}
	}
	for _, n := range changed {
		switch {
		case k.at != nil && k.at[n] == 0:
		case sp != nil:
			sp.eachMate(n, look)
		default:
			look(n)
		}
	}
	x.changes = r.scoreEach(x.changed, x.changes, k.future)
	for i, n := range x.changed {
		k.set(r, sp, n, x.changes[i])
	}
}

// set sets a node's score. A node with another grade than before leaves its group.
func (k *ranking) set(r *row, sp *split, n ledger.NodeID, score int64) {
	if k.at == nil {
		k.groups[0].set(int(n), score)
		return
	}
	t, at := &k.groups[0], int(k.at[n]-1)
	if sp != nil {
		was := sp.groupOf(n)
		if t = sp.regrade(r, n); t != was {
			was.enter(at, out)
		}
	}
	t.enter(at, score)
}

// enter is set for a tournament that may have been empty so far.
func (t *tournament) enter(at int, score int64) {
	if t.rounds == nil && !t.flat {
		if score == out {
			return
		}
		t.clear()
		t.fill()
	}
	t.set(at, score)
}

// clear takes all nodes out. The rounds are not computed.
func (t *tournament) clear() {
	t.scores = stretch(t.scores, len(t.nodes))[:len(t.nodes)]
	for i := range t.scores {
		t.scores[i] = out
	}
}

// refill looks at all nodes of a ranking that has lists of nodes.
func (x *Index) refill(r *row, k *ranking, sp *split) {
	if sp == nil {
		x.nodes = append(x.nodes[:0], k.groups[0].nodes...)
	} else {
		x.nodes = r.candidates(0, x.l.Nodes.Len(), x.nodes[:0])
	}
	nodes := r.takers(x.nodes, k.future)
	x.scores = r.scoreEach(nodes, x.scores, sp == nil)
	for i := range k.groups {
		if t := &k.groups[i]; t.rounds != nil || sp == nil {
			t.clear()
		}
	}
	for i, n := range nodes {
		t := &k.groups[0]
		if sp != nil {
			if !sp.admits(r, n) {
				continue
			}
			if t = sp.regrade(r, n); t.scores == nil {
				t.clear()
			}
		}
		t.scores[k.at[n]-1] = x.scores[i]
	}
	for i := range k.groups {
		if t := &k.groups[i]; t.scores != nil {
			t.fill()
		}
	}
}

// fillInRuns computes the tournament of all nodes anew, in one pass.
func (t *tournament) fillInRuns() {
	t.open()
	sparse, x := false, t.of.x
	for first := 0; first < len(t.scores); first += x.longest {
		scores, refused := t.scores[first:min(first+x.longest, len(t.scores))], 0
		sure := t.of.scoreRun(first, scores, &sparse)
		for at := 0; at < len(scores); at += group {
			w := &t.rounds[0][(first+at)/group]
			*w, refused = t.of.among(noEntry, nil, first+at, scores[at:min(at+group, len(scores))], sure)
			sparse = sparse || refused > group/2
		}
	}
	if len(t.scores) == 0 {
		t.rounds[0][0] = noEntry
	}
	t.climb()
}
