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
	l      *ledger.Ledger
	set    *policy.Set
	rows   []*row
	lru    uint64
	bytes  int
	Budget int // bytes of rows kept at most; the row in use always stays

	nodeHash []uint64
	nodeName []string // whose hash it is: rows of nodes are reused
}

// DefaultBudget is the bound on the bytes of all rows together.
const DefaultBudget = 256 << 20

// New returns an empty index.
func New(l *ledger.Ledger, set *policy.Set) *Index {
	return &Index{l: l, set: set, Budget: DefaultBudget}
}

// row is what is known about one class. Slices by node are as long as NumNodes was
// when the row was last brought up to date.
type row struct {
	id     ledger.ClassID
	born   uint64
	cursor uint64 // the journal up to which the row is fresh
	used   uint64 // for dropping the least recently used
	bytes  int    // what of the budget it counts for

	admits []bool    // the static filters' answer
	raw    [][]int64 // raw static scores, by StaticOrder
	most   []int64   // the highest of each among admitted nodes
	base   []int64   // composed static score
	heap   []entry
	pos    []int32 // where a node is in the heap, -1: not there

	nodeFilters []policy.NodeFilter
	taskFilters []policy.TaskFilter
	stash       []entry

	whyAt uint64       // the journal at which why was found; 0: never
	why   trace.Reason // why no node took a task of the class
}

// entry is a node with room, as the heap orders them.
type entry struct {
	score int64
	tie   uint64
	node  ledger.NodeID
}

// fresh returns a class's row, brought up to date.
func (x *Index) fresh(c ledger.ClassID) *row {
	for int(c) >= len(x.rows) {
		x.rows = append(x.rows, nil)
	}
	r := x.rows[c]
	class := x.l.Class(c)
	if r == nil || r.born != class.Born {
		x.drop(c)
		r = x.build(c, class)
	} else if r.cursor != x.l.Now() {
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

// build makes a class's row by one scan of all nodes.
func (x *Index) build(c ledger.ClassID, class *ledger.Class) *row {
	r := &row{id: c, born: class.Born}
	for _, f := range x.set.NodeFilters {
		if f.Concerns(class.Spec) {
			r.nodeFilters = append(r.nodeFilters, f)
		}
	}
	for _, f := range x.set.TaskFilters {
		if f.Concerns(class.Spec) {
			r.taskFilters = append(r.taskFilters, f)
		}
	}
	r.raw = make([][]int64, len(x.set.StaticOrders))
	r.most = make([]int64, len(x.set.StaticOrders))
	x.rows[c] = r
	x.rescan(r, class)
	return r
}

func (r *row) size() int { return len(r.pos)*(8*len(r.raw)+8+4+1) + cap(r.heap)*24 }

// trim drops the least recently used rows until the budget holds.
func (x *Index) trim(keep ledger.ClassID) {
	for x.bytes > x.Budget {
		oldest := ledger.NoClass
		for c, r := range x.rows {
			if r != nil && ledger.ClassID(c) != keep && (oldest < 0 || r.used < x.rows[oldest].used) {
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

// rescan looks at every node anew.
func (x *Index) rescan(r *row, class *ledger.Class) {
	x.widen(r)
	for n := range r.pos {
		x.judge(r, class, ledger.NodeID(n))
	}
	x.compose(r, class)
	r.cursor = x.l.Now()
}

// widen makes room for nodes that are new.
func (x *Index) widen(r *row) {
	had, n := len(r.pos), x.l.NumNodes()
	r.pos = stretch(r.pos, n)
	r.admits = stretch(r.admits, n)
	r.base = stretch(r.base, n)
	for i := range r.raw {
		r.raw[i] = stretch(r.raw[i], n)
	}
	for i := had; i < n; i++ {
		r.pos[i] = -1
	}
	x.nodeHash = stretch(x.nodeHash, n)
	x.nodeName = stretch(x.nodeName, n)
}

// stretch makes a slice n long, new elements zero.
func stretch[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// catchUp looks again at the nodes that changed since the row was last used.
func (x *Index) catchUp(r *row, class *ledger.Class) {
	grew := len(r.pos) != x.l.NumNodes()
	x.widen(r)
	recompose := false
	known := x.l.Since(r.cursor, func(n ledger.NodeID, static bool) {
		if static {
			recompose = x.judge(r, class, n) || recompose
		}
	})
	if !known {
		x.rescan(r, class)
		return
	}
	if recompose || grew && len(r.raw) > 0 {
		x.compose(r, class)
	} else {
		x.l.Since(r.cursor, func(n ledger.NodeID, _ bool) { x.place(r, class, n) })
	}
	r.cursor = x.l.Now()
}

// judge asks the static filters and scores about a node. It returns true when other
// nodes' composed scores may depend on the change.
func (x *Index) judge(r *row, class *ledger.Class, n ledger.NodeID) bool {
	node := x.l.Node(n)
	was := r.admits[n]
	r.admits[n] = node.Present() && !class.Invalid && x.refusedStatically(class, n).Admits()
	changed := was != r.admits[n]
	for i, o := range x.set.StaticOrders {
		score := int64(0)
		if r.admits[n] {
			score = o.RawScore(class.Spec, node.Fact)
		}
		changed = changed || score != r.raw[i][n]
		r.raw[i][n] = score
	}
	return changed && len(r.raw) > 0
}

func (x *Index) refusedStatically(class *ledger.Class, n ledger.NodeID) policy.Verdict {
	fact := x.l.Node(n).Fact
	for _, f := range x.set.StaticFilters {
		if v := f.FilterStatic(class.Spec, fact); !v.Admits() {
			return v
		}
	}
	return policy.Verdict{}
}

// compose turns raw static scores into points, relative to the best admitted node,
// and places every node anew. The measure is what the static filters admit, not what
// has room this moment, so that a score does not jump when some node fills up.
func (x *Index) compose(r *row, class *ledger.Class) {
	clear(r.most)
	for i := range r.raw {
		for n, s := range r.raw[i] {
			if r.admits[n] {
				r.most[i] = max(r.most[i], s)
			}
		}
	}
	for n := range r.base {
		r.base[n] = 0
		for i, o := range x.set.StaticOrders {
			r.base[n] += normalized(r.raw[i][n], r.most[i], o)
		}
	}
	x.refill(r, class)
}

// refill makes the heap anew from all nodes, in one pass and one ordering.
func (x *Index) refill(r *row, class *ledger.Class) {
	r.heap = slices.Grow(r.heap[:0], len(r.pos))
	for i := range r.pos {
		n := ledger.NodeID(i)
		r.pos[i] = -1
		if x.takes(r, class, n) {
			r.pos[i] = int32(len(r.heap))
			r.heap = append(r.heap, entry{x.score(r, class, n), x.tie(class, n), n})
		}
	}
	if len(r.heap) < 2 {
		return
	}
	for i := (len(r.heap) - 2) / arity; i >= 0; i-- {
		r.down(x, i)
	}
}

// normalized is Kubernetes' default normalisation: the best gets all points, reversed
// the worst gets none; when nobody scores, nobody gets any, or reversed all do.
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

// place puts a node where it belongs in the heap, or takes it out.
func (x *Index) place(r *row, class *ledger.Class, n ledger.NodeID) {
	if !x.takes(r, class, n) {
		r.remove(x, n)
		return
	}
	r.put(x, entry{x.score(r, class, n), x.tie(class, n), n})
}

func (x *Index) takes(r *row, class *ledger.Class, n ledger.NodeID) bool {
	return r.admits[n] && x.fits(class, n) && x.filtersPass(r, class, n, false)
}

// fits says that a node has room now for one more task of a class.
func (x *Index) fits(class *ledger.Class, n ledger.NodeID) bool {
	for _, need := range class.Need {
		if x.l.Room(need.Dim)[n] < need.Amount {
			return false
		}
	}
	return true
}

func (x *Index) filtersPass(r *row, class *ledger.Class, n ledger.NodeID, future bool) bool {
	for _, f := range r.nodeFilters {
		if !f.FilterNode(class, n, future).Admits() {
			return false
		}
	}
	return true
}

func (x *Index) score(r *row, class *ledger.Class, n ledger.NodeID) int64 {
	s := r.base[n]
	for _, o := range x.set.NodeOrders {
		s += o.ScoreNode(class, n)
	}
	return s
}

// tie is a fixed hash of class and node: the order among nodes that score alike.
func (x *Index) tie(class *ledger.Class, n ledger.NodeID) uint64 {
	if name := x.l.Node(n).Name; x.nodeName[n] != name {
		x.nodeName[n], x.nodeHash[n] = name, ledger.Hash(name)
	}
	h := x.nodeHash[n] ^ class.Hash
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
