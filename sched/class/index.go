package class

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Index answers questions about classes for one ledger and one set of plugins. It is not safe for concurrent use.
type Index struct {
	l              *ledger.Ledger
	set            *policy.Set
	TopologyGroups int // at most so many groups a class's nodes are divided into: see split
	Budget         int // bytes of rankings kept at most, and of result caches; what is in use always stays

	rows  []*row // by ClassID; nil: nothing is known
	lru   uint64
	bytes int // of all rows

	caches resultCaches
	labels labelColumns
	shards shards
	byName []ledger.NodeID // see ByName
	named  ledger.Cursor

	grades  int                // see defaultGrades
	flat    int                // see fewFlat
	longest int                // how many nodes are scored in one run; a multiple of group
	dense   bool               // all scores that depend on the tasks on a node are bulk: whole columns can be scored
	bulk    []policy.BulkOrder // scores of nodes by whole columns
	scratch
}

// scratch is memory that questions share. Nothing in it outlives a question.
type scratch struct {
	nodes, changed       []ledger.NodeID
	moved                []ledger.NodeID // see follow
	scores, run, changes []int64
	vain                 bitset // see notRefused
	popped               []entry
	list                 tournament
}

// DefaultBudget is the bound on the bytes of all rankings together.
const DefaultBudget = 256 << 20

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	x := &Index{l: l, set: set, Budget: DefaultBudget, TopologyGroups: DefaultTopologyGroups, grades: defaultGrades,
		longest: longestRun, flat: fewFlat, labels: labelColumns{l: l, byKey: map[string]*column{}}}
	x.caches = resultCaches{x: x, all: map[cacheKey]*resultCache{}}
	for _, o := range set.NodePlugins.NodeOrders {
		if bulk, ok := o.(policy.BulkOrder); ok {
			x.bulk = append(x.bulk, bulk)
		}
	}
	for _, o := range set.NodePlugins.StaticOrders {
		if moving, is := o.(policy.MovingOrder); is {
			x.caches.moving = append(x.caches.moving, moving)
		}
	}
	x.dense = len(x.bulk) == len(set.NodePlugins.NodeOrders)
	return x
}

// row is what is known about one class.
type row struct {
	feasibility
	all   ranking // of all nodes
	list  ranking // of the nodes of one list: see rankList
	later ranking // of the nodes with terminating tasks: see rankLater
	split split   // used where filters or scores look at domains

	network     policy.NetworkScores // nil: not asked for yet
	networkSize int                  // its bytes
	used        uint64               // for dropping the least recently used
	bytes       int                  // what it counts for in the budget
	sweeps      int                  // searches without a ranking so far

	tallies [numRooms]tally

	admittedNodes []bool // see Admitted
	admittedAt    ledger.Cursor

	whyAt ledger.Cursor // of nodes, when why was found; 0: never
	why   trace.Reason  // why no node took a task of the class
}

// look returns a class's row with its feasibility up to date. Its rankings are left as they are.
func (x *Index) look(c ledger.ClassID) *row {
	x.rows = stretch(x.rows, int(c)+1)
	r, class := x.rows[c], x.l.Class(c)
	if r == nil || r.born != class.Born {
		x.drop(c)
		r = &row{feasibility: feasibility{x: x, id: c, class: class, born: class.Born}}
		x.rows[c] = r
		r.compose()
		x.weigh(r)
		return r
	}
	r.class = class // rows of the ledger move
	facts, moved := r.static != x.l.Changes.NodeFacts.Now(), x.caches.moved()
	if !facts && r.moved == moved {
		return r
	}
	if r.moved = moved; (facts || r.movedSince()) && r.compose() {
		r.all.cursor, r.list.cursor, r.later.cursor, r.split.cursor = 0, 0, 0, 0
	}
	x.weigh(r)
	return r
}

// weigh counts the bytes that a row takes now, and drops other rows if the budget is exceeded.
func (x *Index) weigh(r *row) {
	if size := r.size(); size != r.bytes {
		x.bytes += size - r.bytes
		r.bytes = size
		x.trim(r.id)
	}
}

func (r *row) size() int {
	size := r.all.size() + r.list.size() + r.later.size() + r.split.size() +
		len(r.admittedNodes) + 8*len(r.own) + r.networkSize
	for i := range r.tallies {
		size += 4 * len(r.tallies[i].fit)
	}
	return size
}

// trim drops the least recently used rows until the budget holds.
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

// ByName lists the present nodes by name. The list is valid until the next question.
func (x *Index) ByName() []ledger.NodeID {
	if x.named == x.l.Changes.NodeFacts.Now() {
		return x.byName
	}
	x.byName = x.byName[:0]
	x.l.Nodes.Present(func(n ledger.NodeID) bool { x.byName = append(x.byName, n); return true })
	slices.SortFunc(x.byName, x.byNames)
	x.named = x.l.Changes.NodeFacts.Now()
	return x.byName
}

func (x *Index) byNames(a, b ledger.NodeID) int {
	return strings.Compare(x.l.Node(a).Name, x.l.Node(b).Name)
}

// shards divides the nodes into those of this scheduler's shard and those of others. The shard is part of the node's
// fact.
type shards struct {
	sides  [2][]ledger.NodeID // of this shard, and of others
	cursor ledger.Cursor      // of facts of nodes
}

// own returns the nodes of this scheduler's shard; all: every node is of it.
func (sh *shards) own(l *ledger.Ledger) (nodes []ledger.NodeID, all bool) {
	all = len(sh.others(l)) == 0
	return sh.sides[0], all
}

// others returns the nodes of other shards.
func (sh *shards) others(l *ledger.Ledger) []ledger.NodeID {
	if now := l.Changes.NodeFacts.Now(); sh.cursor != now {
		sh.cursor, sh.sides = now, [2][]ledger.NodeID{}
		for n := range l.Nodes.Present {
			side := 0
			if l.Node(n).Fact.Elsewhere {
				side = 1
			}
			sh.sides[side] = append(sh.sides[side], n)
		}
	}
	return sh.sides[1]
}

// stretch makes a slice n long, new elements zero.
func stretch[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}
