package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Index answers questions about classes for one ledger and one set of plugins. It is not safe for concurrent
// use.
type Index struct {
	l              *ledger.Ledger
	set            *policy.Set
	rows           []*row
	lru            uint64
	bytes          int
	TopologyGroups int // at most so many groups a class's nodes are divided into: see domains
	Budget         int // bytes of tournaments kept at most, and of result caches; what is in use always stays

	caches     map[cacheKey]*resultCache
	cacheAge   []*resultCache // the oldest first
	cacheBytes int
	labels     map[string]*column
	term       bitset // scratch
	marked     bitset

	grades  int  // see graded
	longest int  // how many nodes are scored in one run; a multiple of group
	dense   bool // all scores that depend on the tasks on a node are bulk: whole columns can be scored
	bulk    []policy.BulkOrder
	moving  []policy.MovingOrder
	nodes   []ledger.NodeID // the nodes listed last, with their …
	scores  []int64
	spread  []int64         // scores of the last run
	sparse  bool            // hardly any node has room: see run
	touched []ledger.NodeID // see catchUp
	changes []int64
	barred  bitset // see bestAsked
	bars    int
	vain    bitset          // see refusing
	byName  []ledger.NodeID // see ByName
	named   ledger.Cursor

	refused veto // see Refused

	sides   [2][]ledger.NodeID // see side
	sidedAt ledger.Cursor

	near nearScores
}

// DefaultBudget is the bound on the bytes of all tournaments together.
const DefaultBudget = 256 << 20

// longestRun is for how many nodes the scores and what they are computed from fit a core's nearest cache.
const longestRun = 512

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	x := &Index{l: l, set: set, Budget: DefaultBudget, TopologyGroups: DefaultTopologyGroups, caches: map[cacheKey]*resultCache{}, labels: map[string]*column{}, longest: longestRun, grades: defaultGrades}
	for _, o := range set.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			x.bulk = append(x.bulk, bulk)
		}
	}
	for _, o := range set.StaticOrders {
		if moving, is := o.(policy.MovingOrder); is {
			x.moving = append(x.moving, moving)
		}
	}
	x.dense = len(x.bulk) == len(set.NodeOrders)
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
func (x *Index) look(c ledger.ClassID) *row {
	for int(c) >= len(x.rows) {
		x.rows = append(x.rows, nil)
	}
	r, class := x.rows[c], x.l.Class(c)
	if r == nil || r.born != class.Born {
		x.drop(c)
		r = &row{feasibility: feasibility{id: c, born: class.Born}}
		x.rows[c] = r
		x.compose(&r.feasibility, class)
		x.weigh(r)
	} else if r.static != x.l.Changes.NodeFacts.Now() {
		if x.compose(&r.feasibility, class) {
			r.cursor = 0
		}
		x.weigh(r)
	} else if now := x.moved(); r.moved != now {
		if r.moved = now; r.stirred() && x.compose(&r.feasibility, class) {
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
func (x *Index) ranked(r *row) *row {
	class := x.l.Class(r.id)
	switch {
	case r.rounds == nil || r.cursor == 0:
		x.refill(r, class)
	case r.cursor != x.l.Changes.Nodes.Now():
		x.catchUp(r, class)
	}
	x.lru++
	r.used = x.lru
	x.weigh(r)
	return r
}

// weigh counts the bytes that a row takes now, and drops other rows' tournaments if the budget is exceeded.
func (x *Index) weigh(r *row) {
	if size := r.size(); size != r.bytes {
		x.bytes += size - r.bytes
		r.bytes = size
		x.trim(r.id)
	}
}

func (r *row) size() int {
	return r.tournament.size() + r.domains.size() + r.domainScores.size() + 4*len(r.tallies[0].fit) + 4*len(r.tallies[1].fit) + 4*len(r.whole.fit) + len(r.admitted) + 8*len(r.own) + r.networkSize
}

// trim drops the least recently used tournaments until the budget holds.
func (x *Index) trim(keep ledger.ClassID) {
	for x.bytes > x.Budget {
		oldest := ledger.NoClass
		for c, r := range x.rows {
			if r != nil && r.bytes > 0 && ledger.ClassID(c) != keep && (oldest < 0 || r.used < x.rows[oldest].used) {
				oldest = ledger.ClassID(c)
			}
		}
		if oldest < 0 {
			return
		}
		x.drop(oldest)
	}
}

func (x *Index) drop(c ledger.ClassID) {
	if r := x.rows[c]; r != nil {
		x.bytes -= r.bytes
		x.rows[c] = nil
	}
}

// catchUp looks again at the nodes that changed since the tournament was last used.
func (x *Index) catchUp(r *row, class *ledger.Class) {
	x.touched = x.touched[:0]
	if len(r.scores) < x.l.NumNodes() ||
		!x.l.Changes.Nodes.Each(r.cursor, func(n ledger.NodeID) { x.touched = append(x.touched, n) }) || len(x.touched) > x.l.NumNodes() {
		x.refill(r, class)
		return
	}
	if !x.dense {
		x.touched = slices.DeleteFunc(x.touched, func(n ledger.NodeID) bool {
			takes := x.takes(&r.feasibility, class, n)
			if !takes {
				x.enter(r, class, n, out)
			}
			return !takes
		})
	}
	if len(x.touched) < fewTouched {
		for _, n := range x.touched {
			x.enter(r, class, n, x.score(&r.feasibility, class, n))
		}
	} else {
		x.changes = x.scoreAll(&r.feasibility, class, x.touched, x.changes)
		for i, n := range x.touched {
			x.enter(r, class, n, x.changes[i])
		}
	}
	r.cursor = x.l.Changes.Nodes.Now()
}

// fewTouched is up to how many nodes are scored one by one: for more, preparation pays.
const fewTouched = 4

// refill makes the tournament anew from all nodes, in one pass.
func (x *Index) refill(r *row, class *ledger.Class) {
	x.hold(r, class)
	r.cursor = x.l.Changes.Nodes.Now()
}

// tie is a fixed hash of class and node: it orders nodes with equal scores.
func (x *Index) tie(class *ledger.Class, n ledger.NodeID) uint64 {
	h := x.l.NodeHash(n) ^ class.Hash
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

// stretch makes a slice n long, new elements zero.
func stretch[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}
