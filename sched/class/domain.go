package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// domainIndex finds the best node of a class that looks at domains: topology groups, each with its scores.
type domainIndex struct {
	x *Index
}

// domains is how a row finds the best node where filters or scores look at topology domains.
//
// A placement in a zone changes the answer for all nodes of the zone at once. So the nodes are divided into
// topology groups, by the labels that have few values, and by the network's smallest domains where domains of
// the network are scored. All nodes of a group are equal in these. Every
// group keeps its best node, and the filters and scores are asked about that node only. Labels with many
// values (such as the node's own name) cannot divide: filters are asked about each node when it enters the
// tournament of its group, and again when something changes in its domain. Where scores look at such a label,
// all nodes are scored for each task, unless nodes can be told apart by grades (graded).
type domains struct {
	built  ledger.Cursor // of facts of nodes, when this was built; 0: never
	tree   uint64        // the version of the network's tree for which it was built; 0: without one
	cursor ledger.Cursor // of nodes: the groups are up to date up to it; 0: never filled
	mark   uint64        // see policy.DomainFilter
	sweeps bool          // scores look at a label with many values
	mixed  bool          // the nodes of a group are in several of the network's smallest domains

	coarse, fine [][]bool // by filter: which of its keys divide into groups, and which do not
	groupOf      []int32
	at           []int32 // the index within the group
	groups       []topologyGroup
	mates        []*column // of labels with many values: nodes with equal values are looked at together
	lists        [][][]ledger.NodeID
	again        []uint64 // by NodeID: the pass in which the node was looked at again
	pass         uint64
	graded       graded
}

// DefaultTopologyGroups is how many groups a class's nodes are divided into at most.
const DefaultTopologyGroups = 128

func (d *domains) size() int {
	size := 4*len(d.groupOf) + 4*len(d.at) + 8*len(d.again)
	for i := range d.groups {
		size += d.groups[i].size()
	}
	return size
}

// nearby says that filters or scores look at domains for the class.
func (r *row) nearby() bool { return len(r.domainFilters)+len(r.domainOrders) > 0 }

// domainVerdict returns what the filters that look at domains say of a node. parts is as in policy.DomainFilter, by
// filter.
func (v *feasibility) domainVerdict(class *ledger.Class, n ledger.NodeID, future bool, parts [][]bool) policy.Verdict {
	for i, f := range v.domainFilters {
		var part []bool
		if parts != nil {
			part = parts[i]
		}
		if v := f.FilterDomains(class, n, future, part); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

func (v *feasibility) admitsByDomain(class *ledger.Class, n ledger.NodeID, future bool) bool {
	return v.domainVerdict(class, n, future, nil).Admits()
}

// keepAdmitted keeps of the listed nodes those that the filters of domains admit.
func (di *domainIndex) keepAdmitted(r *row, class *ledger.Class) {
	if len(r.domainFilters) == 0 {
		return
	}
	di.x.nodes = slices.DeleteFunc(di.x.nodes, func(n ledger.NodeID) bool { return !r.admitsByDomain(class, n, false) })
}

// best is Best for a class for which domains matter. Scores of domains are relative to all nodes that
// pass every filter but those of single tasks; these filters are asked about the best node only.
func (di *domainIndex) best(r *row, t ledger.TaskID) (ledger.NodeID, int64) {
	class := di.x.l.Class(r.id)
	di.divide(r, class)
	di.followGroups(r, class)
	all := r.domains.sweeps || r.domains.ungraded() || len(r.taskFilters) > 0 || di.x.near.scores != nil && r.domains.mixed
	di.x.nodes, di.x.scores = di.x.nodes[:0], di.x.scores[:0]
	takers := 0
	for i := range r.groups {
		g := &r.groups[i]
		top := g.best()
		if top.node == ledger.NoNode || !r.domainVerdict(class, top.node, false, r.coarse).Admits() {
			continue
		}
		takers += g.takers
		if !all {
			di.x.nodes, di.x.scores = append(di.x.nodes, top.node), append(di.x.scores, top.score)
			continue
		}
		for k, score := range g.scores {
			if score != out {
				di.x.nodes, di.x.scores = append(di.x.nodes, g.nodes[k]), append(di.x.scores, score)
			}
		}
	}
	di.x.near.add(di.x.nodes, di.x.scores)
	di.scoreDomains(r, class, takers)
	if len(r.taskFilters) > 0 {
		return di.bestOfSweep(r, class, t)
	}
	return di.x.bestListed(class).found()
}

// scoreDomains adds the scores of domains. The listed nodes stand for all that take the class, which are takers.
func (di *domainIndex) scoreDomains(r *row, class *ledger.Class, takers int) {
	if len(di.x.nodes) == 0 {
		return
	}
	for _, o := range r.domainOrders {
		if g, is := o.(policy.GradedOrder); is {
			g.ScoreFor(class, di.x.nodes, takers, di.x.scores)
			continue
		}
		o.ScoreDomains(class, di.x.nodes, di.x.scores)
	}
}

// bestOfSweep returns the best of the listed nodes that the filters of single tasks admit.
func (di *domainIndex) bestOfSweep(r *row, class *ledger.Class, t ledger.TaskID) (ledger.NodeID, int64) {
	for {
		n, score := di.x.bestListed(class).found()
		if n == ledger.NoNode {
			return n, score
		}
		switch v := di.x.asked(&r.feasibility, t, n, false); {
		case v.Admits():
			return n, score
		case v.Everywhere:
			return ledger.NoNode, 0
		}
		i := slices.Index(di.x.nodes, n)
		di.x.nodes, di.x.scores = slices.Delete(di.x.nodes, i, i+1), slices.Delete(di.x.scores, i, i+1)
	}
}

// divide makes the topology groups for the present nodes.
func (di *domainIndex) divide(r *row, class *ledger.Class) {
	d := &r.domains
	if d.built == di.x.l.Changes.NodeFacts.Now() && d.tree == di.x.near.version {
		return
	}
	d.built, d.tree, d.cursor, d.sweeps = di.x.l.Changes.NodeFacts.Now(), di.x.near.version, 0, false
	var keys []string
	for _, f := range r.domainFilters {
		keys = append(keys, f.DomainKeys(class)...)
	}
	for _, o := range r.domainOrders {
		keys = append(keys, o.DomainKeys(class)...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	d.graded.order, d.graded.kinds = nil, 1
	few := di.fill(d, keys)
	for _, o := range r.domainOrders {
		for _, k := range o.DomainKeys(class) {
			d.sweeps = d.sweeps || !slices.Contains(few, k)
		}
	}
	if d.sweeps {
		di.x.grade(r, class, few)
	}
	d.coarse, d.fine = d.coarse[:0], d.fine[:0]
	for _, f := range r.domainFilters {
		var coarse, fine []bool
		for _, k := range f.DomainKeys(class) {
			divides := slices.Contains(few, k)
			coarse, fine = append(coarse, divides), append(fine, !divides)
		}
		d.coarse, d.fine = append(d.coarse, coarse), append(d.fine, fine)
	}
	d.mates, d.lists = d.mates[:0], d.lists[:0]
	for _, k := range keys {
		if !slices.Contains(few, k) {
			di.group(d, di.x.labels.of(k))
		}
	}
	di.x.rows.weigh(r)
}

// fill divides the nodes by as many labels as the bound on groups allows, in the order of the labels' names,
// and returns these labels.
func (di *domainIndex) fill(d *domains, keys []string) (few []string) {
	nodes := di.x.l.Nodes.Len()
	d.groupOf, d.at = stretch(d.groupOf[:0], nodes), stretch(d.at[:0], nodes)
	clear(d.groupOf)
	count := di.x.splitByNetwork(d)
	most := max(di.x.TopologyGroups, int(count))
	next := make([]int32, nodes)
	for _, k := range keys {
		c := di.x.labels.of(k)
		found := map[[2]int32]int32{}
		for n := range next {
			at := [2]int32{d.groupOf[n], c.of[n]}
			id, known := found[at]
			if !known {
				id = int32(len(found))
				found[at] = id
			}
			if next[n] = id; len(found) > most {
				break
			}
		}
		if len(found) <= most {
			copy(d.groupOf, next)
			count = int32(len(found))
			few = append(few, k)
		}
	}
	d.groups = make([]topologyGroup, max(1, count))
	for n, c := range d.groupOf {
		g := &d.groups[c]
		d.at[n] = int32(len(g.nodes))
		g.nodes = append(g.nodes, ledger.NodeID(n))
	}
	for i := range d.groups {
		d.groups[i].at = d.at
	}
	return few
}

// group lists the nodes that share a value of a label with other nodes.
func (di *domainIndex) group(d *domains, c *column) {
	seen := make([]bool, len(c.ids)+1)
	shared := false
	for _, id := range c.of {
		shared = shared || id != 0 && seen[id]
		seen[id] = true
	}
	if !shared {
		return
	}
	lists := make([][]ledger.NodeID, len(c.ids)+1)
	for n, id := range c.of {
		if id != 0 {
			lists[id] = append(lists[id], ledger.NodeID(n))
		}
	}
	d.mates, d.lists = append(d.mates, c), append(d.lists, lists)
}

// followGroups brings the groups up to date.
func (di *domainIndex) followGroups(r *row, class *ledger.Class) {
	d := &r.domains
	mark := uint64(0)
	for i, f := range r.domainFilters {
		if slices.Contains(d.fine[i], true) {
			mark = mark*1099511628211 ^ f.DomainMark(class, d.fine[i])
		}
	}
	if d.cursor == 0 || d.mark != mark || !di.catchUpGroups(r, class) {
		di.refillGroups(r, class)
	}
	d.mark, d.cursor = mark, di.x.l.Changes.Nodes.Now()
	di.x.rows.lru++
	r.used = di.x.rows.lru
	di.x.rows.weigh(r)
}

// catchUpGroups looks again at the nodes that changed, or that have a domain in which something changed; false
// when these are not known.
func (di *domainIndex) catchUpGroups(r *row, class *ledger.Class) bool {
	d := &r.domains
	if d.cursor == di.x.l.Changes.Nodes.Now() {
		return true
	}
	d.pass++
	d.again = stretch(d.again, di.x.l.Nodes.Len())
	look := func(n ledger.NodeID) {
		if d.again[n] == d.pass {
			return
		}
		d.again[n] = d.pass
		score := int64(out)
		if di.x.judge.takes(&r.feasibility, class, n) && r.domainVerdict(class, n, false, d.fine).Admits() {
			score = di.x.judge.score(&r.feasibility, class, n)
		}
		di.x.enterNode(d, class, n, score)
	}
	return di.x.l.Changes.Nodes.Each(d.cursor, func(n ledger.NodeID) {
		if len(d.mates) == 0 {
			look(n)
			return
		}
		look(n)
		for i, c := range d.mates {
			for _, m := range d.lists[i][c.of[n]] {
				look(m)
			}
		}
	})
}

// refillGroups builds all groups anew.
func (di *domainIndex) refillGroups(r *row, class *ledger.Class) {
	d := &r.domains
	di.x.order.takers(&r.feasibility, class, 0, di.x.l.Nodes.Len())
	di.x.scores = di.x.order.scoreAll(&r.feasibility, class, di.x.nodes, di.x.scores)
	for i := range d.groups {
		for k := range d.groups[i].scores {
			d.groups[i].scores[k] = out
		}
	}
	for i, n := range di.x.nodes {
		if r.domainVerdict(class, n, false, d.fine).Admits() {
			g := d.groupFor(class, n)
			g.open()
			g.scores[d.at[n]] = di.x.scores[i]
		}
	}
	for i := range d.groups {
		if d.groups[i].scores != nil {
			di.fillGroup(&d.groups[i], class)
		}
	}
}
