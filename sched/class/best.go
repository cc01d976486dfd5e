package class

import (
	"math/bits"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// When says which room is asked about.
type When bool

// The times.
const (
	Now      When = false // what is free
	InFuture When = true  // what is free once terminating tasks are gone
)

// Query asks for the best node for a task.
type Query struct {
	Task   ledger.TaskID
	Scope  Scope
	Future bool // the task would wait for room that terminating tasks hold: only nodes with such tasks count
}

// Scope says which nodes may be used. The zero value is all nodes. A list is a kind of its own: an empty or nil list
// has no node.
type Scope struct {
	kind  scopeKind
	nodes []ledger.NodeID
}

type scopeKind uint8

const (
	allNodes scopeKind = iota
	listedNodes
	ownShard
	otherShards
)

// The nodes of this scheduler's shard, and those of all others. AllNodes has both.
var (
	AllNodes    = Scope{kind: allNodes}
	OwnShard    = Scope{kind: ownShard}
	OtherShards = Scope{kind: otherShards}
)

// Among is the scope of the listed nodes, as those of a domain. The list must not change afterwards: what is known of
// a list is kept while the same list is asked about. Another domain is another list.
func Among(nodes []ledger.NodeID) Scope { return Scope{listedNodes, nodes} }

// List returns the nodes of a scope that Among made; of any other, listed is false.
func (s Scope) List() (nodes []ledger.NodeID, listed bool) { return s.nodes, s.kind == listedNodes }

// Choice is the answer to a Query.
type Choice struct {
	Node    ledger.NodeID   // NoNode: none takes the task
	Score   int64           // 0 without a node
	Refused *policy.Verdict // the verdict on all nodes that ended the search; nil without one
}

// lookup finds one answer.
type lookup struct {
	x       *Index
	r       *row
	task    ledger.TaskID
	future  bool
	network networkScores
	refused *policy.Verdict // see Choice
}

// Best returns the best node for a task: of the nodes that take it, the one with the highest score, then the lowest
// hash of class and node, then the first name; or the choice of a BestNode plugin.
//
// There are three ways to find it, with equal results. A ranking keeps the nodes of a class in tournaments, and is
// brought up to date with what changed: for all nodes, for a domain, or for topology groups where the scores of nodes
// depend on pods elsewhere. A sweep scores all nodes in one pass, for a class that has asked too rarely to be worth a
// ranking. A comparison looks at each node of a list and forgets it.
func (x *Index) Best(q Query) Choice {
	s := lookup{x: x, r: x.look(x.l.Task(q.Task).Class), task: q.Task, future: q.Future}
	s.network = x.networkScores(s.r, q.Task)
	nodes, all := x.resolve(q.Scope)
	best := noEntry
	switch {
	case q.Future && x.l.Nodes.ReleasingNodes() == 0 || !all && len(nodes) == 0:
	case all && q.Future:
		best = s.bestLater()
	case all && x.scans():
		best = s.compare(s.every(), false)
	case all:
		best = s.bestOfAll()
	default:
		best = s.bestOfList(nodes)
	}
	if best.node == ledger.NoNode {
		return Choice{Node: ledger.NoNode, Refused: s.refused}
	}
	return Choice{best.node, best.score, s.refused}
}

// resolve returns the nodes of a scope; all: they are all nodes, without a list.
func (x *Index) resolve(s Scope) (nodes []ledger.NodeID, all bool) {
	switch s.kind {
	case listedNodes:
		return s.nodes, false
	case ownShard:
		return x.shards.own(x.l)
	case otherShards:
		return x.shards.others(x.l), false
	default:
		return nil, true
	}
}

// bestOfAll finds the best of all nodes for a task that is to start now.
func (s *lookup) bestOfAll() entry {
	x, r := s.x, s.r
	asked, networked := len(r.taskFilters) > 0, s.network.scores != nil
	if r.byDomain() || networked && (asked || x.lasting(r)) {
		return s.bestOfGroups()
	}
	if asked {
		if left, few := s.notRefused(); few {
			return s.compare(left, false)
		}
	}
	if asked || !networked && (r.all.built > 0 || x.lasting(r)) {
		return s.winner(x.rankAll(r))
	}
	return s.sweep()
}

// bestLater finds the best of all nodes for a task that is to wait for room. Where a whole gang waits, many of its
// class ask one after the other, and each time one node has changed.
func (s *lookup) bestLater() entry {
	if !s.x.scans() && !s.r.byDomain() && s.network.scores == nil && s.r.class.Tasks() > 1 {
		if t := s.x.rankLater(s.r); t != nil {
			return s.winner(t)
		}
	}
	return s.compare(s.every(), true)
}

// fewListed is up to how many nodes of a list are compared for each task: for more it pays to keep a ranking.
const fewListed = 8

// bestOfList finds the best of some nodes. Tasks of a class are often placed in the same domain one after the other.
func (s *lookup) bestOfList(nodes []ledger.NodeID) entry {
	if s.future || s.x.scans() || s.r.byDomain() || s.network.scores != nil || len(nodes) <= fewListed ||
		s.r.class.Tasks() <= 1 {
		return s.compare(append(s.x.nodes[:0], nodes...), true)
	}
	return s.winner(s.x.rankList(s.r, nodes))
}

// lasting says that a class asks so often that it is worth keeping a ranking: a single task asks once.
func (x *Index) lasting(r *row) bool {
	return r.split.groups != nil || r.class.Tasks() > 1 || r.sweeps >= manySweeps
}

// manySweeps is how often a class with a single task is searched by looking at all nodes before a ranking is kept for
// its next tasks.
const manySweeps = 8

// scans says that some plugin compares all nodes with each other for every task, so that a ranking is of no use.
func (x *Index) scans() bool {
	return len(x.set.NodePlugins.BatchOrders)+len(x.set.NodePlugins.BestNodes) > 0
}

// winner returns the best node of a tournament that the filters of single tasks admit: they are asked about the best
// node, then about the next, until one passes. Nodes that are taken out of the tournament for that are put back.
func (s *lookup) winner(t *tournament) entry {
	if len(s.r.taskFilters) == 0 {
		return t.top()
	}
	popped := s.x.popped[:0]
	best := t.top()
	for ; best.node != ledger.NoNode; best = t.top() {
		v := s.ask(best.node)
		if v.Admits() {
			break
		}
		if v.Everywhere {
			best = noEntry
			break
		}
		popped = append(popped, best)
		t.set(int(best.at), out)
	}
	for _, e := range popped {
		t.set(int(e.at), e.score)
	}
	s.x.popped = popped
	return best
}

// ask asks the filters of single tasks about a node.
func (s *lookup) ask(n ledger.NodeID) policy.Verdict {
	v := s.r.refusedForTask(s.task, n, s.future)
	if v.Everywhere {
		verdict := v
		s.refused = &verdict
	}
	return v
}

// sweep finds the best of all nodes in one pass, unless it is known that none takes the class.
func (s *lookup) sweep() entry {
	x, r := s.x, s.r
	if r.tallies[roomNow].none > 0 && !x.any(r, roomNow) {
		return noEntry
	}
	best := noEntry
	if r.few {
		best = s.compare(s.every(), s.future)
	} else {
		sparse, nodes := false, x.l.Nodes.Len()
		for first := 0; first < nodes; first += x.longest {
			count := min(x.longest, nodes-first)
			x.run = stretch(x.run, count)
			scores, refused := x.run[:count], 0
			sure := r.scoreRun(first, scores, &sparse)
			s.network.add(nil, first, scores)
			best, refused = r.among(best, nil, first, scores, sure)
			sparse = sparse || refused > count/2
		}
	}
	if best.node == ledger.NoNode {
		r.tallies[roomNow].none = x.l.Changes.Nodes.Now()
	} else {
		r.sweeps++
	}
	return best
}

// every lists all nodes that may be the answer, for compare.
func (s *lookup) every() []ledger.NodeID {
	nodes := s.x.nodes[:0]
	switch {
	case s.future:
		for n := range ledger.NodeID(s.x.l.Nodes.Len()) {
			if s.x.l.Nodes.HasReleasing(n) {
				nodes = append(nodes, n)
			}
		}
		return nodes
	case s.x.scans():
		return append(nodes, s.x.ByName()...)
	default:
		return s.r.candidates(0, s.x.l.Nodes.Len(), nodes)
	}
}

// compare finds the best of some nodes by looking at each of them. The list is changed. single is as in scoreEach.
//
// Where plugins score nodes in relation to each other, only nodes that pass all filters may count, so the filters of
// single tasks are asked first. Otherwise they are asked about the best nodes only.
func (s *lookup) compare(nodes []ledger.NodeID, single bool) entry {
	x, r := s.x, s.r
	x.nodes = nodes // keep the memory
	if x.scans() {
		slices.SortFunc(nodes, x.byNames)
	}
	nodes = r.takers(nodes, s.future)
	relative := x.scans() || r.byDomain()
	if relative {
		nodes = s.allowed(nodes)
	}
	if len(nodes) == 0 {
		return noEntry
	}
	x.scores = r.scoreEach(nodes, x.scores, single)
	s.network.add(nodes, 0, x.scores)
	if !relative {
		return s.winner(x.list.hold(&r.feasibility, nodes, x.scores))
	}
	r.scoreDomains(nodes, len(nodes), x.scores, false)
	for _, o := range x.set.NodePlugins.BatchOrders {
		o.ScoreNodes(s.task, nodes, x.scores)
	}
	for _, p := range x.set.NodePlugins.BestNodes {
		if i, ok := p.PickNode(s.task, nodes, x.scores); ok && i >= 0 && i < len(nodes) {
			return entry{score: x.scores[i], node: nodes[i]}
		}
	}
	return x.list.hold(&r.feasibility, nodes, x.scores).top()
}

// allowed keeps of some nodes those that the filters of domains and of single tasks admit.
func (s *lookup) allowed(nodes []ledger.NodeID) []ledger.NodeID {
	kept := nodes[:0]
	for _, n := range nodes {
		if !s.r.refusedByDomain(n, s.future, nil).Admits() {
			continue
		}
		if v := s.ask(n); v.Admits() {
			kept = append(kept, n)
		} else if v.Everywhere {
			return nil
		}
	}
	return kept
}

// notRefused lists the nodes that filters of single tasks are not known to refuse for the task (policy.Refuser). few:
// these are at most half of all nodes, so that it costs less to compare them than to take the others out of a ranking.
func (s *lookup) notRefused() (left []ledger.NodeID, few bool) {
	x, r := s.x, s.r
	nodes, others := x.l.Nodes.Len(), false
	x.vain = stretch(x.vain[:0], words(nodes))
	clear(x.vain)
	for _, f := range r.taskFilters {
		refuser, is := f.(policy.Refuser)
		if others = others || !is; is {
			for i, known := range refuser.Refusing(s.task) {
				x.vain[i] |= known
			}
		}
	}
	if 2*x.vain.count() <= nodes {
		return nil, false
	}
	// A filter that knows nothing may refuse the task everywhere: it is asked about one of the nodes that are left out.
	if others && s.refusedEverywhere() {
		return nil, true
	}
	left = x.nodes[:0]
	for w, vain := range x.vain {
		for rest := ^vain; rest != 0; rest &= rest - 1 {
			if n := w*64 + bits.TrailingZeros64(rest); n < nodes {
				left = append(left, ledger.NodeID(n))
			}
		}
	}
	return left, true
}

// refusedEverywhere asks about the first node in x.vain that takes the class.
func (s *lookup) refusedEverywhere() bool {
	for w, vain := range s.x.vain {
		for left := vain; left != 0; left &= left - 1 {
			if n := ledger.NodeID(w*64 + bits.TrailingZeros64(left)); s.r.takes(n, false) {
				return s.ask(n).Everywhere
			}
		}
	}
	return false
}

// Takes says that a task may take a given node now, or in future: wait for room there. A nominated node is tried in
// this way.
func (x *Index) Takes(t ledger.TaskID, n ledger.NodeID, when When) bool {
	r, future := x.look(x.l.Task(t).Class), bool(when)
	return int(n) < x.l.Nodes.Len() && r.takes(n, future) && r.refusedByDomain(n, future, nil).Admits() &&
		r.refusedForTask(t, n, future).Admits()
}
