package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
)

// nodeJudge judges and scores single nodes for a class.
type nodeJudge struct {
	x *Index
}

// feasibility is what the static filters and scores say of the nodes for one class: its result caches, put
// together.
type feasibility struct {
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
func (ju *nodeJudge) compose(v *feasibility, class *ledger.Class) bool {
	before, flat := v.varied, v.flat
	v.mask, v.varied, v.flat, v.moving, v.moved = nil, nil, 0, nil, ju.x.caches.moved()
	for part := -1; part < len(ju.x.set.NodePlugins.StaticFilters); part++ {
		if f := ju.x.caches.of(part, class); f.some > 0 {
			v.confine(f.admits)
		}
	}
	v.few = v.mask != nil && v.mask.count() < ju.x.l.Nodes.Len()/fewAdmitted
	for i, o := range ju.x.set.NodePlugins.StaticOrders {
		f := ju.x.caches.of(len(ju.x.set.NodePlugins.StaticFilters)+i, class)
		if f.moving != nil {
			v.moving = append(v.moving, movingScore{f, f.moved})
		}
		if f.some == 0 {
			v.flat += normalized(0, 0, o)
			continue
		}
		s := scale{resultCache: f, moved: f.moved}
		if f.moving != nil {
			s.most = policy.Points
		}
		for n, raw := range f.raw {
			if raw > s.most && v.admits(ledger.NodeID(n)) {
				s.most = raw
			}
		}
		v.varied = append(v.varied, s)
	}
	if v.static == 0 {
		ju.concern(v, class)
	}
	v.taskFilters = v.taskFilters[:0]
	for _, f := range ju.x.set.NodePlugins.TaskFilters {
		if f.Concerns(class.Spec) {
			v.taskFilters = append(v.taskFilters, f)
		}
	}
	v.static = ju.x.l.Changes.NodeFacts.Now()
	ju.x.caches.trim()
	return v.flat != flat || !slices.Equal(before, v.varied)
}

// moved is the sum of the versions of all scores that change without a fact.
func (rc *resultCaches) moved() (sum uint64) {
	for _, o := range rc.moving {
		sum += o.Moved()
	}
	return sum
}

// movedSince says that a score in the feasibility has changed without a fact.
func (v *feasibility) movedSince() bool {
	return slices.ContainsFunc(v.moving, func(s movingScore) bool { return s.cache.moving.MovedFor(s.cache.spec) != s.moved })
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
func (ju *nodeJudge) concern(v *feasibility, class *ledger.Class) {
	for _, f := range ju.x.set.NodePlugins.NodeFilters {
		if f.Concerns(class.Spec) {
			v.nodeFilters = append(v.nodeFilters, f)
		}
	}
	for _, f := range ju.x.set.NodePlugins.DomainFilters {
		if f.ConcernsDomains(class) {
			v.domainFilters = append(v.domainFilters, f)
		}
	}
	for _, o := range ju.x.set.NodePlugins.DomainOrders {
		if o.ConcernsDomains(class) {
			v.domainOrders = append(v.domainOrders, o)
		}
	}
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
		points = raw * policy.Points / most
	}
	if o.Reverse() {
		points = policy.Points - points
	}
	return points * o.Weight()
}

func (ju *nodeJudge) takes(v *feasibility, class *ledger.Class, n ledger.NodeID) bool {
	return !class.Invalid && ju.fits(class, n) && v.admits(n) && v.passes(class, n, false)
}

// fits says that a node has room now for one more task of a class.
func (ju *nodeJudge) fits(class *ledger.Class, n ledger.NodeID) bool {
	for _, need := range class.Need {
		if ju.x.l.Nodes.Room(need.Dim)[n] < need.Amount {
			return false
		}
	}
	return true
}

// passes says that the filters that depend on the tasks on a node admit it.
func (v *feasibility) passes(class *ledger.Class, n ledger.NodeID, future bool) bool {
	for _, f := range v.nodeFilters {
		if !f.FilterNode(class, n, future).Admits() {
			return false
		}
	}
	return true
}

func (ju *nodeJudge) score(v *feasibility, class *ledger.Class, n ledger.NodeID) int64 {
	s := v.base(n)
	for _, o := range ju.x.set.NodePlugins.NodeOrders {
		s += o.ScoreNode(class, n)
	}
	return s
}

func (ju *nodeJudge) refusedStatically(class *ledger.Class, n ledger.NodeID) policy.Verdict {
	fact := ju.x.l.Node(n).Fact
	for _, f := range ju.x.set.NodePlugins.StaticFilters {
		if v := f.FilterStatic(class.Spec, fact); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}
