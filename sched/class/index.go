package class

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/policy"
	"ashlar.sh/sched/trace"
)

// Index answers for one ledger and one set of plugins. It is not safe for concurrent
// use.
type Index struct {
	l      *ledger.Ledger
	set    *policy.Set
	rows   []*row
	lru    uint64
	bytes  int
	Budget int // bytes of heaps kept at most, and of facets; what is in use always stays

	facets     map[facetKey]*facet
	facetAge   []*facet // the oldest in front
	facetBytes int
	labels     map[string]*column
	term       []bool
	values     []bool

	nodes  []ledger.NodeID // of the last sweep, with their
	scores []int64
	byName []ledger.NodeID // see names
	named  uint64
}

// DefaultBudget is the bound on the bytes of all heaps together.
const DefaultBudget = 256 << 20

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	return &Index{l: l, set: set, Budget: DefaultBudget, facets: map[facetKey]*facet{}, labels: map[string]*column{}}
}

// row is what is known about one class.
type row struct {
	view
	heap   []entry
	pos    []int32 // where a node is in the heap, -1: not there; nil: there is no heap
	cursor uint64  // the journal up to which the heap is fresh
	used   uint64  // for dropping the least recently used
	bytes  int     // what of the budget it counts for
	sweeps int     // nodes found without a heap
	stash  []entry

	tallies [2]tally // of room now, and of room once those who leave are gone

	admitted   []bool // see Admitted
	admittedAt uint64

	whyAt uint64       // the journal at which why was found; 0: never
	why   trace.Reason // why no node took a task of the class
}

// entry is a node with room, as the heap orders them.
type entry struct {
	score int64
	tie   uint64
	node  ledger.NodeID
}

// manySweeps is how often a single task of a class finds its node by looking at all of
// them before a heap is kept for those to come.
const manySweeps = 8

// look returns a class's row with its view brought up to date, and the heap, if it has
// one, as it was.
func (x *Index) look(c ledger.ClassID) *row {
	for int(c) >= len(x.rows) {
		x.rows = append(x.rows, nil)
	}
	r, class := x.rows[c], x.l.Class(c)
	if r == nil || r.born != class.Born {
		x.drop(c)
		r = &row{view: view{id: c, born: class.Born}}
		x.rows[c] = r
		x.compose(&r.view, class)
	} else if r.static != x.l.StaticNow() && x.compose(&r.view, class) {
		r.cursor = 0
	}
	return r
}

// indexed returns a class's row, brought up to date, with its heap where it is of use:
// a single task asks once.
func (x *Index) indexed(c ledger.ClassID) *row {
	r := x.look(c)
	if r.pos == nil && x.l.Class(c).Tasks() <= 1 && r.sweeps < manySweeps {
		return r
	}
	return x.heaped(r)
}

// heaped brings a row's heap up to date.
func (x *Index) heaped(r *row) *row {
	class := x.l.Class(r.id)
	switch {
	case r.pos == nil || r.cursor == 0:
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
	return 4*len(r.pos) + 24*cap(r.heap) + 4*len(r.tallies[0].fit) + 4*len(r.tallies[1].fit) + len(r.admitted)
}

// trim drops the least recently used heaps until the budget holds.
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

// catchUp looks again at the nodes that changed since the heap was last used.
func (x *Index) catchUp(r *row, class *ledger.Class) {
	for i := len(r.pos); i < x.l.NumNodes(); i++ {
		r.pos = append(r.pos, -1)
	}
	if !x.l.Since(r.cursor, func(n ledger.NodeID) { x.place(r, class, n) }) {
		x.refill(r, class)
		return
	}
	r.cursor = x.l.Now()
}

// refill makes the heap anew from all nodes, in one pass and one ordering.
func (x *Index) refill(r *row, class *ledger.Class) {
	x.sweep(&r.view, class)
	r.pos = stretch(r.pos, x.l.NumNodes())
	for i := range r.pos {
		r.pos[i] = -1
	}
	if cap(r.heap) < len(x.nodes) {
		r.heap = make([]entry, 0, len(x.nodes))
	}
	r.heap = r.heap[:len(x.nodes)]
	for i, n := range x.nodes {
		r.heap[i] = entry{x.scores[i], x.tie(class, n), n}
		r.pos[n] = int32(i)
	}
	r.cursor = x.l.Now()
	for i := (len(r.heap) - 2) / arity; i >= 0 && len(r.heap) > 1; i-- {
		r.down(x, i)
	}
}

// place puts a node where it belongs in the heap, or takes it out.
func (x *Index) place(r *row, class *ledger.Class, n ledger.NodeID) {
	if !x.takes(&r.view, class, n) {
		r.remove(x, n)
		return
	}
	r.put(x, entry{x.score(&r.view, class, n), x.tie(class, n), n})
}

// tie is a fixed hash of class and node: the order among nodes that score alike.
func (x *Index) tie(class *ledger.Class, n ledger.NodeID) uint64 {
	h := x.l.NodeHash(n) ^ class.Hash
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return (h ^ h>>33) * 0xc4ceb9fe1a85ec53
}

// before is the total order of nodes for a class: best first.
func (x *Index) before(a, b entry) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	if a.tie != b.tie {
		return a.tie < b.tie
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
