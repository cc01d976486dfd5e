package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// feasibility is what the static filters and scores say of the nodes for one class: its result caches, put together. It
// judges and scores nodes.
type feasibility struct {
	x      *Index
	class  *ledger.Class
	id     ledger.ClassID
	born   uint64
	static ledger.Cursor // of facts of nodes: it is up to date up to it

	mask   bitset  // the nodes that the static filters admit; nil: all of them
	own    bitset  // the memory of mask, unless mask is a result cache's
	few    bool    // so few nodes that they are gone through one by one
	flat   int64   // the sum of scores that are equal for all nodes
	varied []scale // the scores that differ
	moving []movingScore
	moved  uint64 // see policy.MovingOrder: up to which it is up to date

	nodeFilters   []policy.NodeFilter
	domainFilters []policy.DomainFilter
	domainOrders  []policy.DomainOrder
	taskFilters   []policy.TaskFilter
}

// scale turns the raw scores of a result cache into points, relative to the best node. Nodes that the static
// filters admit count, not those that have room at the moment: so a score does not jump when a node fills up
// (docs/design/0001).
type scale struct {
	*resultCache
	most  int64
	moved uint64 // see policy.MovingOrder
}

// movingScore is a score that changes without a fact, and the version of it that a feasibility was composed with.
// The cache is shared with other classes, and may be newer than the feasibility.
type movingScore struct {
	cache *resultCache
	moved uint64 // see policy.MovingOrder
}

// compose puts a class's result caches together. It returns true when nodes that did not change themselves may
// score otherwise than before.
func (v *feasibility) compose() bool {
	x, class := v.x, v.class
	before, flat := v.varied, v.flat
	v.mask, v.varied, v.flat, v.moving, v.moved = nil, nil, 0, nil, x.caches.moved()
	for part := -1; part < len(x.set.NodePlugins.StaticFilters); part++ {
		if f := x.caches.of(part, class); f.some > 0 {
			v.confine(f.admits)
		}
	}
	v.few = v.mask != nil && v.mask.count() < x.l.Nodes.Len()/fewAdmitted
	for i, o := range x.set.NodePlugins.StaticOrders {
		f := x.caches.of(len(x.set.NodePlugins.StaticFilters)+i, class)
		if f.moving != nil {
			v.moving = append(v.moving, movingScore{f, f.moved})
		}
		if f.some == 0 {
			v.flat += normalized(0, 0, o)
			continue
		}
		s := scale{resultCache: f, moved: f.moved}
		if f.moving != nil {
			s.most = policy.MaxNodeScore
		}
		for n, raw := range f.raw {
			if raw > s.most && v.admits(ledger.NodeID(n)) {
				s.most = raw
			}
		}
		v.varied = append(v.varied, s)
	}
	if v.static == 0 {
		v.concern()
	}
	tasks := func(f policy.TaskFilter) bool { return f.Concerns(class.Spec) }
	v.taskFilters = those(x.set.NodePlugins.TaskFilters, tasks)
	v.static = x.l.Changes.NodeFacts.Now()
	x.caches.trim()
	return v.flat != flat || !slices.Equal(before, v.varied)
}

// movedSince says that a score in the feasibility has changed without a fact.
func (v *feasibility) movedSince() bool {
	return slices.ContainsFunc(v.moving, func(s movingScore) bool {
		return s.cache.moving.MovedFor(s.cache.spec) != s.moved
	})
}

// fewAdmitted is the part of all nodes below which the admitted ones are gone through one by one. Reading
// columns is several times as fast for each node.
const fewAdmitted = 8

// confine removes from the admitted nodes those that a result cache does not admit. A mask from one result
// cache only is that cache's own set.
func (v *feasibility) confine(admits bitset) {
	if v.mask == nil {
		v.mask = admits
		return
	}
	v.own = append(v.own[:0], v.mask...)
	v.own.and(admits)
	v.mask = v.own
}

// concern finds the filters of classes that apply to this class at all.
func (v *feasibility) concern() {
	nodes, c := &v.x.set.NodePlugins, v.class
	v.nodeFilters = those(nodes.NodeFilters, func(f policy.NodeFilter) bool { return f.Concerns(c.Spec) })
	v.domainFilters = those(nodes.DomainFilters, func(f policy.DomainFilter) bool { return f.ConcernsDomains(c) })
	v.domainOrders = those(nodes.DomainOrders, func(o policy.DomainOrder) bool { return o.ConcernsDomains(c) })
}

// those returns the elements of a list for which a condition holds.
func those[T any](list []T, hold func(T) bool) (out []T) {
	for _, e := range list {
		if hold(e) {
			out = append(out, e)
		}
	}
	return out
}

// admits says that the static filters admit a node, and that it is present.
func (v *feasibility) admits(n ledger.NodeID) bool { return v.mask == nil || v.mask.has(int(n)) }

// base is the score that a node has by facts alone.
func (v *feasibility) base(n ledger.NodeID) int64 {
	sum := v.flat
	for _, s := range v.varied {
		sum += normalized(s.raw[n], s.most, s.order)
	}
	return sum
}

// normalized is Kubernetes' default normalisation: the best node gets all points, with reverse the worst gets
// none. When all raw scores are zero, every node gets none, or with reverse all.
func normalized(raw, most int64, o policy.StaticOrder) int64 {
	points := int64(0)
	if most > 0 {
		points = raw * policy.MaxNodeScore / most
	}
	if o.Reverse() {
		points = policy.MaxNodeScore - points
	}
	return points * o.Weight()
}

// takes says that a node takes one more task of the class now, or with future once terminating tasks are gone. Filters
// of domains and of single tasks are not asked.
func (v *feasibility) takes(n ledger.NodeID, future bool) bool {
	return !v.class.Invalid && v.fits(n, future) && v.admits(n) && v.passes(n, future)
}

// fits says that a node has room for one more task of the class.
func (v *feasibility) fits(n ledger.NodeID, future bool) bool {
	for _, need := range v.class.Need {
		if future && v.x.l.Nodes.FutureIdle(need.Dim, n) < need.Amount ||
			!future && v.x.l.Nodes.Room(need.Dim)[n] < need.Amount {
			return false
		}
	}
	return true
}

// passes says that the filters that depend on the tasks on a node admit it.
func (v *feasibility) passes(n ledger.NodeID, future bool) bool {
	for _, f := range v.nodeFilters {
		if !f.FilterNode(v.class, n, future).Admits() {
			return false
		}
	}
	return true
}

// score is a node's score, without what depends on domains or single tasks.
func (v *feasibility) score(n ledger.NodeID) int64 {
	s := v.base(n)
	for _, o := range v.x.set.NodePlugins.NodeOrders {
		s += o.ScoreNode(v.class, n)
	}
	return s
}

// byDomain says that filters or scores look at domains for the class.
func (v *feasibility) byDomain() bool { return len(v.domainFilters)+len(v.domainOrders) > 0 }

// refusedByDomain returns what the filters that look at domains say of a node. parts is as in policy.DomainFilter, by
// filter; nil: whole answers.
func (v *feasibility) refusedByDomain(n ledger.NodeID, future bool, parts [][]bool) policy.Verdict {
	for i, f := range v.domainFilters {
		var part []bool
		if parts != nil {
			part = parts[i]
		}
		if v := f.FilterDomains(v.class, n, future, part); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

// refusedForTask returns what the filters of single tasks say of a node.
func (v *feasibility) refusedForTask(t ledger.TaskID, n ledger.NodeID, future bool) policy.Verdict {
	for _, f := range v.taskFilters {
		if v := f.FilterTask(t, n, future); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

// refusedStatically returns what the static filters say of a node.
func (v *feasibility) refusedStatically(n ledger.NodeID) policy.Verdict {
	fact := v.x.l.Node(n).Fact
	for _, f := range v.x.set.NodePlugins.StaticFilters {
		if v := f.FilterStatic(v.class.Spec, fact); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}
