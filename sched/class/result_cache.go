package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/policy"
)

// resultCaches holds what single filters and scores say of all nodes, for specs that are equal in what these read.
type resultCaches struct {
	x *Index

	all    map[cacheKey]*resultCache
	age    []*resultCache // the oldest first
	bytes  int
	moving []policy.MovingOrder
}

// resultCache is what one static filter or score says of every node for one part of specs. What it says of
// nodes that are not present means nothing: the result cache of presence, which has neither filter nor score,
// refuses those.
type resultCache struct {
	key    cacheKey
	filter policy.StaticFilter
	order  policy.StaticOrder
	spec   *model.Spec        // a spec with this part
	cursor ledger.Cursor      // of facts of nodes
	moving policy.MovingOrder // nil: the score does not change without a fact
	moved  uint64             // see policy.MovingOrder
	used   bool               // since dropping it was last considered

	nodes  int // the number of nodes it covers
	admits bitset
	raw    []int64
	some   int // the number of nodes that are refused, or that score
}

// cacheKey identifies a result cache: the number of the filter or score, -1 for presence, and the part of the
// spec, or the class where the plugin names no part.
type cacheKey struct {
	part   int
	aspect string
}

// of returns the result cache of a filter or score for a class, up to date.
func (rc *resultCaches) of(part int, class *ledger.Class) *resultCache {
	var f resultCache
	var plugin any
	switch filters := len(rc.x.set.NodePlugins.StaticFilters); {
	case part < 0:
	case part < filters:
		f.filter = rc.x.set.NodePlugins.StaticFilters[part]
		plugin = f.filter
	default:
		f.order = rc.x.set.NodePlugins.StaticOrders[part-filters]
		plugin = f.order
		f.moving, _ = plugin.(policy.MovingOrder)
	}
	f.key.part = part
	if a, ok := plugin.(policy.Aspect); ok {
		f.key.aspect = a.Aspect(class.Spec)
	} else if part >= 0 {
		f.key.aspect = class.Key
	}
	known := rc.all[f.key]
	if known == nil {
		known = &f
		known.spec = class.Spec
		rc.all[f.key] = known
		rc.age = append(rc.age, known)
		rc.bytes += known.size()
	}
	known.used = true
	rc.refresh(known)
	return known
}

// size is the bytes of a result cache, with its entry in the map.
func (f *resultCache) size() int {
	return cacheSize + len(f.key.aspect) + 8*len(f.admits) + 8*len(f.raw)
}

// cacheSize is roughly the bytes of an empty result cache.
const cacheSize = 256

// refresh asks again about the nodes with changed facts.
func (rc *resultCaches) refresh(f *resultCache) {
	had, n := f.size(), rc.x.l.Nodes.Len()
	if f.moving != nil {
		rc.refillMoving(f, n)
		rc.bytes += f.size() - had
		return
	}
	fresh := f.cursor > 0 && rc.x.l.Changes.NodeFacts.Each(f.cursor, func(ledger.NodeID) {})
	if f.order == nil {
		f.admits = f.admits.grow(f.nodes, n)
	} else {
		f.raw = stretch(f.raw, n)
	}
	switch {
	case fresh:
		rc.x.l.Changes.NodeFacts.Each(f.cursor, func(n ledger.NodeID) { rc.ask(f, n) })
	case !rc.x.labels.ask(f):
		f.some = 0
		clear(f.raw)
		if f.order == nil {
			f.admits.all(n)
		}
		for i := range n {
			rc.ask(f, ledger.NodeID(i))
		}
	}
	f.cursor, f.nodes = rc.x.l.Changes.NodeFacts.Now(), n
	rc.bytes += f.size() - had
}

// refillMoving asks a score that changes without a fact about all nodes, if it has changed.
func (rc *resultCaches) refillMoving(f *resultCache, nodes int) {
	moved := f.moving.MovedFor(f.spec)
	if f.moved == moved && f.nodes == nodes {
		return
	}
	f.raw = stretch(f.raw, nodes)
	clear(f.raw)
	f.moving.Fill(f.spec, f.raw)
	f.some = 0
	for _, raw := range f.raw {
		f.some += differ(raw != 0, false)
	}
	f.moved, f.nodes, f.cursor = moved, nodes, rc.x.l.Changes.NodeFacts.Now()
}

// ask asks about one node.
func (rc *resultCaches) ask(f *resultCache, n ledger.NodeID) {
	node := rc.x.l.Node(n)
	if f.order != nil {
		was := f.raw[n]
		if f.raw[n] = 0; node.Present() {
			f.raw[n] = f.order.RawScore(f.spec, node.Fact)
		}
		f.some += differ(f.raw[n] != 0, was != 0)
		return
	}
	was, is := f.admits.has(int(n)), true
	switch {
	case f.filter == nil:
		is = node.Present()
	case node.Present():
		is = f.filter.FilterStatic(f.spec, node.Fact).Admits()
	}
	f.admits.put(int(n), is)
	f.some += differ(!is, !was)
}

func differ(is, was bool) int {
	switch {
	case is && !was:
		return 1
	case was && !is:
		return -1
	default:
		return 0
	}
}

// moved is the sum of the versions of all scores that change without a fact.
func (rc *resultCaches) moved() (sum uint64) {
	for _, o := range rc.moving {
		sum += o.Moved()
	}
	return sum
}

// trim drops result caches until the budget holds: the oldest first, except that those which were used
// since this was last considered are kept for another round.
func (rc *resultCaches) trim() {
	for rounds := 2 * len(rc.age); rc.bytes > rc.x.Budget && rounds > 0; rounds-- {
		f := rc.age[0]
		rc.age = rc.age[1:]
		if f.used {
			f.used = false
			rc.age = append(rc.age, f)
			continue
		}
		delete(rc.all, f.key)
		rc.bytes -= f.size()
	}
}
