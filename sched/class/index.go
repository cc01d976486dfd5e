package class

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Index answers for one ledger and one set of plugins. It is not safe for concurrent
// use.
type Index struct {
	l              *ledger.Ledger
	set            *policy.Set
	rows           []*row
	lru            uint64
	bytes          int
	TopologyGroups int // into which a class's nodes are divided at most: see domains
	Budget         int // bytes of contests kept at most, and of result caches; what is in use always stays

	caches     map[cacheKey]*resultCache
	cacheAge   []*resultCache // the oldest in front
	cacheBytes int
	labels     map[string]*column
	term       bitset // scratch
	marked     bitset

	longest int  // how many nodes are scored in one go; a multiple of group
	dense   bool // all scores by who sits on a node are bulk: whole columns can be scored
	bulk    []policy.BulkOrder
	moving  []policy.MovingOrder
	nodes   []ledger.NodeID // that were listed last, with their
	scores  []int64
	spread  []int64         // of the last run
	sparse  bool            // hardly a node has room: see run
	touched []ledger.NodeID // see catchUp
	changes []int64
	barred  bitset // see bestAsked
	bars    int
	byName  []ledger.NodeID // see ByName
	named   uint64

	refused veto // see Refused

	sides   [2][]ledger.NodeID // see side
	sidedAt uint64
}

// DefaultBudget is the bound on the bytes of all contests together.
const DefaultBudget = 256 << 20

// longestRun is how many nodes' scores a core's nearest cache holds beside what they are
// made of.
const longestRun = 512

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	x := &Index{l: l, set: set, Budget: DefaultBudget, TopologyGroups: DefaultTopologyGroups, caches: map[cacheKey]*resultCache{}, labels: map[string]*column{}, longest: longestRun}
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
	domains                   // where filters or scores look at domains
	cursor       uint64       // the journal up to which the contest is fresh
	used         uint64       // for dropping the least recently used
	bytes        int          // what of the budget it counts for
	sweeps       int          // nodes found without a contest
	popped       []entry      // see bestAsked
	domainScores domainScores // among the nodes of a domain

	tallies [2]tally // of room now, and of room once those who leave are gone

	whole whole // see Whole

	admitted   []bool // see Admitted
	admittedAt uint64

	whyAt uint64       // the journal at which why was found; 0: never
	why   trace.Reason // why no node took a task of the class
}

// manySweeps is how often a single task of a class finds its node by looking at all of
// them before a contest is kept for those to come.
const manySweeps = 8

// look returns a class's row with its view brought up to date, and the contest, if it
// has one, as it was.
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
	} else if r.static != x.l.StaticNow() {
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

// indexed brings a row's contest up to date, where it is of use: a single task asks once.
func (x *Index) indexed(r *row) {
	if r.rounds != nil || x.l.Class(r.id).Tasks() > 1 || r.sweeps >= manySweeps {
		x.ranked(r)
	}
}

// ranked brings a row's contest up to date.
func (x *Index) ranked(r *row) *row {
	class := x.l.Class(r.id)
	switch {
	case r.rounds == nil || r.cursor == 0:
		x.refill(r, class)
	case r.cursor != x.l.Now():
		x.catchUp(r, class)
	}
	x.lru++
	r.used = x.lru
	x.weigh(r)
	return r
}

// weigh counts a row for what it takes by now, and drops others where that is too much.
func (x *Index) weigh(r *row) {
	if size := r.size(); size != r.bytes {
		x.bytes += size - r.bytes
		r.bytes = size
		x.trim(r.id)
	}
}

func (r *row) size() int {
	return r.tournament.size() + r.domains.size() + r.domainScores.size() + 4*len(r.tallies[0].fit) + 4*len(r.tallies[1].fit) + 4*len(r.whole.fit) + len(r.admitted) + 8*len(r.own)
}

// trim drops the least recently used contests until the budget holds.
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

// catchUp looks again at the nodes that changed since the contest was last asked.
func (x *Index) catchUp(r *row, class *ledger.Class) {
	x.touched = x.touched[:0]
	if len(r.scores) < x.l.NumNodes() ||
		!x.l.Since(r.cursor, func(n ledger.NodeID) { x.touched = append(x.touched, n) }) || len(x.touched) > x.l.NumNodes() {
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
	r.cursor = x.l.Now()
}

// fewTouched is how many nodes are scored one by one: for more it pays to prepare.
const fewTouched = 4

// refill makes the contest anew from all nodes, in one pass.
func (x *Index) refill(r *row, class *ledger.Class) {
	x.hold(r, class)
	r.cursor = x.l.Now()
}

// tie is a fixed hash of class and node: the order among nodes that score alike.
func (x *Index) tie(class *ledger.Class, n ledger.NodeID) uint64 {
	h := x.l.NodeHash(n) ^ class.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// before is the total order of nodes for a class: best first. Nobody comes last.
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
