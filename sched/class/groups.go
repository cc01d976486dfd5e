package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// split is a ranking in topology groups: how a class finds the best node where filters or scores look at topology
// domains.
//
// A placement in a zone changes the answer for all nodes of the zone at once. So the nodes are divided into topology
// groups, by the labels that have few values, and by the network's smallest domains where domains of the network are
// scored. All nodes of a group are equal in these. Every group keeps its best node, and the filters and scores are
// asked about that node only. Labels with many values (such as the node's own name) cannot divide: filters are asked
// about each node when it enters the tournament of its group, and again when something changes in its domain. Where
// scores look at such a label, all nodes are scored for each task, unless one graded score is all that does so: then
// every group is divided further, by grade, and that score is asked about one node of each grade, too.
type split struct {
	ranking
	tree   uint64 // the version of the network's tree for which it was built; 0: without one
	mark   uint64 // see policy.DomainFilter
	sweeps bool   // scores look at a label with many values
	mixed  bool   // the nodes of a group are in several of the network's smallest domains

	coarse, fine [][]bool  // by filter: which of its keys divide into groups, and which do not
	divided      []int32   // by NodeID: its group, before grades
	mates        []*column // labels with many values, some shared: nodes with equal values are looked at together
	looked       []uint64  // by NodeID: the last pass in which it was looked at
	pass         uint64

	graded policy.GradedOrder // nil: no score is graded
	parts  []bool             // see policy.GradedOrder
	grade  []uint8            // by NodeID: its grade when it was last looked at
	grades int                // into how many groups a group is divided by grades; 1: not at all
}

// DefaultTopologyGroups is how many groups a class's nodes are divided into at most.
const DefaultTopologyGroups = 128

// defaultGrades is how many grades are told apart. The last one has all nodes of that grade or a higher one: as long
// as such a node takes the class, all nodes are scored for each task.
const defaultGrades = 8

// mostSmallest is into how many groups nodes are divided by the network's smallest domains at most: where there are
// more, nearly every node is in one of its own, and all nodes are scored for each task.
const mostSmallest = 1024

func (sp *split) size() int {
	return sp.ranking.size() + 4*len(sp.divided) + 8*len(sp.looked) + len(sp.grade)
}

// bestOfGroups finds the best of all nodes for a task of a class for which domains matter. Scores of domains are
// relative to all nodes that pass every filter but those of single tasks.
func (s *lookup) bestOfGroups() entry {
	x, r, sp := s.x, s.r, &s.r.split
	x.divide(r, &s.network)
	x.followGroups(r)
	every := sp.sweeps || sp.ungraded() || len(r.taskFilters) > 0 || s.network.scores != nil && sp.mixed
	nodes, scores, takers := x.nodes[:0], x.scores[:0], 0
	for i := range sp.groups {
		t := &sp.groups[i]
		top := t.top()
		if top.node == ledger.NoNode || !r.refusedByDomain(top.node, false, sp.coarse).Admits() {
			continue
		}
		takers += t.takers
		if !every {
			nodes, scores = append(nodes, top.node), append(scores, top.score)
			continue
		}
		for k, score := range t.scores {
			if score != out {
				nodes, scores = append(nodes, t.nodes[k]), append(scores, score)
			}
		}
	}
	x.nodes, x.scores = nodes, scores
	s.network.add(nodes, 0, scores)
	r.scoreDomains(nodes, takers, scores, true)
	return s.winner(x.list.hold(&r.feasibility, nodes, scores))
}

// followGroups brings the groups up to date.
func (x *Index) followGroups(r *row) {
	sp := &r.split
	mark := uint64(0)
	for i, f := range r.domainFilters {
		if slices.Contains(sp.fine[i], true) {
			mark = mark*1099511628211 ^ f.DomainMark(r.class, sp.fine[i])
		}
	}
	if sp.mark != mark {
		sp.mark, sp.cursor = mark, 0
	}
	sp.pass++
	x.follow(r, &sp.ranking, sp)
}

// admits asks about a node the filters of domains that do not divide into groups.
func (sp *split) admits(r *row, n ledger.NodeID) bool {
	return r.refusedByDomain(n, false, sp.fine).Admits()
}

// eachMate calls look for a node and for those that have a value of a label with many values in common with it, each
// node once in a pass.
func (sp *split) eachMate(n ledger.NodeID, look func(ledger.NodeID)) {
	once := func(n ledger.NodeID) {
		if sp.looked[n] != sp.pass {
			sp.looked[n] = sp.pass
			look(n)
		}
	}
	once(n)
	for _, c := range sp.mates {
		if id := c.of[n]; id != 0 {
			for m := c.first[id]; m != 0; m = c.next[m-1] {
				once(ledger.NodeID(m - 1))
			}
		}
	}
}

// groupOf is the group that a node is in.
func (sp *split) groupOf(n ledger.NodeID) *tournament {
	at := int(sp.divided[n]) * sp.grades
	if sp.graded != nil {
		at += int(sp.grade[n])
	}
	return &sp.groups[at]
}

// regrade is the group that a node belongs to from now on.
func (sp *split) regrade(r *row, n ledger.NodeID) *tournament {
	if sp.graded != nil {
		sp.grade[n] = uint8(min(sp.graded.Grade(r.class, n, sp.parts), int64(sp.grades-1)))
	}
	return sp.groupOf(n)
}

// ungraded says that nodes with different grades are in one group.
func (sp *split) ungraded() bool {
	if sp.graded == nil {
		return false
	}
	for i := sp.grades - 1; i < len(sp.groups); i += sp.grades {
		if sp.groups[i].takers > 0 {
			return true
		}
	}
	return false
}

// divide makes the topology groups for the present nodes.
func (x *Index) divide(r *row, network *networkScores) {
	sp := &r.split
	if sp.built == x.l.Changes.NodeFacts.Now() && sp.tree == network.version {
		return
	}
	sp.built, sp.tree, sp.cursor = x.l.Changes.NodeFacts.Now(), network.version, 0
	var keys []string
	for _, f := range r.domainFilters {
		keys = append(keys, f.DomainKeys(r.class)...)
	}
	for _, o := range r.domainOrders {
		keys = append(keys, o.DomainKeys(r.class)...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	count, few := x.group(sp, keys, network)
	many := func(keys []string) (parts []bool) {
		for _, k := range keys {
			parts = append(parts, !slices.Contains(few, k))
		}
		return parts
	}
	sp.coarse, sp.fine = nil, nil
	for _, f := range r.domainFilters {
		fine := many(f.DomainKeys(r.class))
		coarse := slices.Clone(fine)
		for i := range coarse {
			coarse[i] = !coarse[i]
		}
		sp.coarse, sp.fine = append(sp.coarse, coarse), append(sp.fine, fine)
	}
	x.gradeBy(sp, r, many)
	sp.mates = sp.mates[:0]
	for _, k := range keys {
		if c := x.labels.of(k); !slices.Contains(few, k) && c.shared() {
			sp.mates = append(sp.mates, c)
		}
	}
	x.makeGroups(r, count)
	x.weigh(r)
}

// gradeBy decides whether groups are divided by grades: all scores that look at a label with many values have to be one
// that is graded. many says which keys are such labels.
func (x *Index) gradeBy(sp *split, r *row, many func(keys []string) []bool) {
	sp.graded, sp.grades, sp.sweeps = nil, 1, false
	var fine []policy.DomainOrder
	for _, o := range r.domainOrders {
		if parts := many(o.DomainKeys(r.class)); slices.Contains(parts, true) {
			fine, sp.parts = append(fine, o), parts
		}
	}
	if len(fine) == 0 {
		return
	}
	if o, is := fine[0].(policy.GradedOrder); is && len(fine) == 1 && o.Graded(r.class, sp.parts) {
		sp.graded, sp.grades, sp.grade = o, x.grades, stretch(sp.grade[:0], x.l.Nodes.Len())
		return
	}
	sp.sweeps = true
}

// group divides the nodes by the network's smallest domains, where these are scored, and by as many labels as the
// bound on groups allows, in the order of the labels' names. It returns the number of groups, and these labels.
func (x *Index) group(sp *split, keys []string, network *networkScores) (count int, few []string) {
	nodes := x.l.Nodes.Len()
	sp.divided = stretch(sp.divided[:0], nodes)
	clear(sp.divided)
	count, sp.mixed = 1, false
	if network.version > 0 {
		count = regroup(sp.divided, func(n int) int32 { return int32(network.tree.Leaf(ledger.NodeID(n))) }, mostSmallest)
		if sp.mixed = count > mostSmallest; sp.mixed {
			count = 1
		}
	}
	most := max(x.TopologyGroups, count)
	for _, k := range keys {
		c := x.labels.of(k)
		if found := regroup(sp.divided, func(n int) int32 { return c.of[n] }, most); found <= most {
			count, few = found, append(few, k)
		}
	}
	return max(1, count), few
}

// regroup divides groups further by a value that nodes have, if that makes at most so many groups. It returns their
// number; with a higher one nothing has changed.
func regroup(groups []int32, by func(n int) int32, most int) int {
	found, next := map[[2]int32]int32{}, make([]int32, len(groups))
	for n := range groups {
		at := [2]int32{groups[n], by(n)}
		id, known := found[at]
		if !known {
			if len(found) == most {
				return most + 1
			}
			id = int32(len(found))
			found[at] = id
		}
		next[n] = id
	}
	copy(groups, next)
	return len(found)
}

// membersOf lists the nodes of each group.
func membersOf(groups []int32, count int) [][]ledger.NodeID {
	lists := make([][]ledger.NodeID, count)
	for n, g := range groups {
		lists[g] = append(lists[g], ledger.NodeID(n))
	}
	return lists
}

// makeGroups makes the tournaments, without a node that takes the class.
func (x *Index) makeGroups(r *row, count int) {
	sp := &r.split
	lists := membersOf(sp.divided, count)
	sp.at, sp.looked = stretch(sp.at[:0], x.l.Nodes.Len()), stretch(sp.looked, x.l.Nodes.Len())
	for _, list := range lists {
		for i, n := range list {
			sp.at[n] = int32(i + 1)
		}
	}
	sp.groups = make([]tournament, count*sp.grades)
	for i := range sp.groups {
		sp.groups[i] = tournament{of: &r.feasibility, exact: true, nodes: lists[i/sp.grades]}
	}
}
