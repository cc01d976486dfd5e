package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// rowTable holds the rows of classes, within a budget of memory.
type rowTable struct {
	x *Index

	all     []*row
	lru     uint64
	bytes   int
	touched []ledger.NodeID // see catchUp
	changes []int64
}

// Index answers questions about classes for one ledger and one set of plugins. It is not safe for concurrent
// use.
type Index struct {
	l              *ledger.Ledger
	set            *policy.Set
	TopologyGroups int // at most so many groups a class's nodes are divided into: see domains
	Budget         int // bytes of tournaments kept at most, and of result caches; what is in use always stays

	grades int             // see graded
	nodes  []ledger.NodeID // the nodes listed last, with their …
	scores []int64
	vain   bitset          // see refusing
	byName []ledger.NodeID // see ByName
	named  ledger.Cursor

	refused veto // see Refused

	near    nearScores
	caches  resultCaches
	labels  labelColumns
	rows    rowTable
	order   tournaments
	domains domainIndex
	room    roomCounts
	shards  shards
	judge   nodeJudge
}

// DefaultBudget is the bound on the bytes of all tournaments together.
const DefaultBudget = 256 << 20

// longestRun is for how many nodes the scores and what they are computed from fit a core's nearest cache.
const longestRun = 512

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	x := (&Index{l: l, set: set, Budget: DefaultBudget, TopologyGroups: DefaultTopologyGroups, grades: defaultGrades,
		caches: resultCaches{all: map[cacheKey]*resultCache{}}, labels: labelColumns{byKey: map[string]*column{}},
		order: tournaments{longest: longestRun}}).wire()
	for _, o := range set.NodePlugins.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			x.order.bulk = append(x.order.bulk, bulk)
		}
	}
	for _, o := range set.NodePlugins.StaticOrders {
		if moving, is := o.(policy.MovingOrder); is {
			x.caches.moving = append(x.caches.moving, moving)
		}
	}
	x.order.dense = len(x.order.bulk) == len(set.NodePlugins.NodeOrders)
	return x
}

// row is what is known about one class.
type row struct {
	feasibility
	tournament
	domains                           // used where filters or scores look at domains
	network      policy.NetworkScores // nil: not asked for yet
	networkSize  int                  // its bytes
	cursor       ledger.Cursor        // of nodes: the tournament is up to date up to it; 0: not at all
	used         uint64               // for dropping the least recently used
	bytes        int                  // what it counts for in the budget
	sweeps       int                  // searches without a tournament so far
	popped       []entry              // see bestAsked
	domainScores domainScores         // scores among the nodes of a domain

	tallies [2]tally // of room now, and of room once terminating tasks are gone

	whole whole // see Whole

	admitted   []bool // see Admitted
	admittedAt ledger.Cursor

	whyAt ledger.Cursor // of nodes, when why was found; 0: never
	why   trace.Reason  // why no node took a task of the class
}

// manySweeps is how often a class with a single task is searched by looking at all nodes before a tournament
// is kept for its next tasks.
const manySweeps = 8

// look returns a class's row with its feasibility up to date. Its tournament, if it has one, is left as it is.
func (rt *rowTable) look(c ledger.ClassID) *row {
	for int(c) >= len(rt.all) {
		rt.all = append(rt.all, nil)
	}
	r, class := rt.all[c], rt.x.l.Class(c)
	if r == nil || r.born != class.Born {
		rt.drop(c)
		r = &row{feasibility: feasibility{id: c, born: class.Born}}
		rt.all[c] = r
		rt.x.judge.compose(&r.feasibility, class)
		rt.weigh(r)
	} else if r.static != rt.x.l.Changes.NodeFacts.Now() {
		if rt.x.judge.compose(&r.feasibility, class) {
			r.cursor = 0
		}
		rt.weigh(r)
	} else if now := rt.x.caches.moved(); r.moved != now {
		if r.moved = now; r.movedSince() && rt.x.judge.compose(&r.feasibility, class) {
			r.cursor, r.domains.cursor, r.domainScores.stale = 0, 0, true
		}
	}
	return r
}

// lasting says that a class asks so often that it is worth keeping its scores: a single task asks once.
func (x *Index) lasting(r *row) bool {
	return r.groups != nil || x.l.Class(r.id).Tasks() > 1 || r.sweeps >= manySweeps
}

// ranked brings a row's tournament up to date.
func (rt *rowTable) ranked(r *row) *row {
	class := rt.x.l.Class(r.id)
	switch {
	case r.rounds == nil || r.cursor == 0:
		rt.refill(r, class)
	case r.cursor != rt.x.l.Changes.Nodes.Now():
		rt.catchUp(r, class)
	}
	rt.lru++
	r.used = rt.lru
	rt.weigh(r)
	return r
}

// weigh counts the bytes that a row takes now, and drops other rows' tournaments if the budget is exceeded.
func (rt *rowTable) weigh(r *row) {
	if size := r.size(); size != r.bytes {
		rt.bytes += size - r.bytes
		r.bytes = size
		rt.trim(r.id)
	}
}

func (r *row) size() int {
	return r.tournament.size() + r.domains.size() + r.domainScores.size() + 4*len(r.tallies[0].fit) + 4*len(r.tallies[1].fit) + 4*len(r.whole.fit) + len(r.admitted) + 8*len(r.own) + r.networkSize
}

// trim drops the least recently used tournaments until the budget holds.
func (rt *rowTable) trim(keep ledger.ClassID) {
	for rt.bytes > rt.x.Budget {
		oldest := ledger.NoClass
		for c, r := range rt.all {
			if r != nil && r.bytes > 0 && ledger.ClassID(c) != keep && (oldest < 0 || r.used < rt.all[oldest].used) {
				oldest = ledger.ClassID(c)
			}
		}
		if oldest < 0 {
			return
		}
		rt.drop(oldest)
	}
}

func (rt *rowTable) drop(c ledger.ClassID) {
	if r := rt.all[c]; r != nil {
		rt.bytes -= r.bytes
		rt.all[c] = nil
	}
}

// catchUp looks again at the nodes that changed since the tournament was last used.
func (rt *rowTable) catchUp(r *row, class *ledger.Class) {
	rt.touched = rt.touched[:0]
	if len(r.scores) < rt.x.l.Nodes.Len() ||
		!rt.x.l.Changes.Nodes.Each(r.cursor, func(n ledger.NodeID) { rt.touched = append(rt.touched, n) }) || len(rt.touched) > rt.x.l.Nodes.Len() {
		rt.refill(r, class)
		return
	}
	if !rt.x.order.dense {
		rt.touched = slices.DeleteFunc(rt.touched, func(n ledger.NodeID) bool {
			takes := rt.x.judge.takes(&r.feasibility, class, n)
			if !takes {
				rt.x.order.enter(r, class, n, out)
			}
			return !takes
		})
	}
	if len(rt.touched) < fewTouched {
		for _, n := range rt.touched {
			rt.x.order.enter(r, class, n, rt.x.judge.score(&r.feasibility, class, n))
		}
	} else {
		rt.changes = rt.x.order.scoreAll(&r.feasibility, class, rt.touched, rt.changes)
		for i, n := range rt.touched {
			rt.x.order.enter(r, class, n, rt.changes[i])
		}
	}
	r.cursor = rt.x.l.Changes.Nodes.Now()
}

// fewTouched is up to how many nodes are scored one by one: for more, preparation pays.
const fewTouched = 4

// refill makes the tournament anew from all nodes, in one pass.
func (rt *rowTable) refill(r *row, class *ledger.Class) {
	rt.x.order.hold(r, class)
	r.cursor = rt.x.l.Changes.Nodes.Now()
}

// tie is a fixed hash of class and node: it orders nodes with equal scores.
func (to *tournaments) tie(class *ledger.Class, n ledger.NodeID) uint64 {
	h := to.x.l.Nodes.Hash(n) ^ class.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// before is the total order of nodes for a class, the best first. An entry without a node is last.
func (to *tournaments) before(a, b entry) bool {
	if a.score != b.score || a.score == out {
		return a.score > b.score
	}
	if a.hash != b.hash {
		return a.hash < b.hash
	}
	return to.x.l.Node(a.node).Name < to.x.l.Node(b.node).Name
}

// stretch makes a slice n long, new elements zero.
func stretch[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// wire tells the parts what they are parts of.
func (x *Index) wire() *Index {
	x.caches.x = x
	x.labels.x = x
	x.rows.x = x
	x.order.x = x
	x.domains.x = x
	x.room.x = x
	x.shards.x = x
	x.judge.x = x
	return x
}
