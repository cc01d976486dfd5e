package devices

import (
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// refused knows, for the claims of a shape, which nodes refuse them as these stand: a bit for each node. A pod
// that waits is asked about again whenever anything changes somewhere. The bits make that cost the nodes that
// changed, and not all of them. They say nothing that memory does not know, and what memory is asked
// leaves no trace in it, so that no decision depends on them.
type refused struct {
	of     map[digest]*refusals
	still  touches       // changes of what nodes are and reach
	use    touches       // changes of what is taken of the pools of one node, or of few
	given  touches       // devices given back of any pool
	shared uint64        // what is taken of the pools that many nodes reach, as a sum
	spread []pool        // the pools that several nodes reach
	few    map[pool]bool // those of them that are known to be of few nodes
	facts  []*model.Node // of all nodes, when they were last compared
	seen   ledger.Cursor // of Changes.NodeFacts then

	reached map[digest]*reached // by the selector of an allocation
}

// touches are the nodes of which something changed.
type touches struct {
	log  []ledger.NodeID // the oldest change first
	base uint64          // how many changes were before those in log
}

// refusals are the nodes that refuse the claims of one shape, by what could lift that.
type refusals struct {
	nodes   []uint64  // bit n%64 of word n/64: all of these
	lasting []uint64  // what the node is and reaches
	since   []uint64  // a device that is given back, too
	exact   []exactly // any change of what is taken, by what is taken of shared pools; the last asked about first
	still   uint64    // up to which change of what nodes are they hold,
	use     uint64    // of what is taken of pools of a node's own, or of few nodes,
	given   uint64    // and up to which device that was given back
}

// exactly are the nodes that refuse where so much is taken of the pools that many nodes reach.
type exactly struct {
	shared uint64
	nodes  []uint64
}

// basis has one bit for each kind of fact that a refusal follows from.
type basis uint8

const (
	onStill basis = 1 << iota // the node and what it reaches: it would also refuse if no device were taken
	onGiven                   // the first, and no device was given back since
	onTaken                   // the first, and exactly these devices are taken
)

// mostShapes bounds for how many shapes nodes are remembered, mostTouched how many changes. mostExact is for how many
// states of the shared pools they are: where a shape has been asked about in more, memory has room for no more than
// mostFindings/mostExact nodes and shapes, so that no cycle looks up more than that.
const (
	mostShapes  = 1 << 12
	mostTouched = 1 << 14
	mostExact   = 16
)

// touch notes that a node changed.
func (t *touches) touch(n ledger.NodeID) {
	if len(t.log) >= mostTouched {
		t.base += mostTouched / 2
		t.log = t.log[:copy(t.log, t.log[mostTouched/2:])]
	}
	t.log = append(t.log, n)
}

// touchAll notes that any node may have changed.
func (t *touches) touchAll() {
	t.base += uint64(len(t.log)) + 1
	t.log = t.log[:0]
}

func (t *touches) now() uint64 { return t.base + uint64(len(t.log)) }

// after calls one for each node that changed after a change; all says instead that any node may have.
func (t *touches) after(change uint64, one func(word int, bit uint64)) (all bool) {
	if change < t.base {
		return true
	}
	for _, n := range t.log[change-t.base:] {
		one(int(n)/64, 1<<(n%64))
	}
	return false
}

// shape returns what holds now for claims of a shape.
func (r *refused) shape(shape digest, nodes int) *refusals {
	s := r.of[shape]
	if s == nil {
		if r.of == nil || len(r.of) >= mostShapes {
			r.of = map[digest]*refusals{}
		}
		s = &refusals{}
		r.of[shape] = s
	}
	words := (nodes + 63) / 64
	s.nodes, s.lasting, s.since = widened(s.nodes, words), widened(s.lasting, words), widened(s.since, words)
	dirty := s.still != r.still.now() || s.given != r.given.now() || s.use != r.use.now()
	if r.still.after(s.still, s.drop) {
		clear(s.lasting)
		clear(s.since)
		s.exact = s.exact[:0]
	}
	if r.given.after(s.given, func(word int, bit uint64) { s.since[word] &^= bit }) {
		clear(s.since)
	}
	if r.use.after(s.use, s.used) {
		s.exact = s.exact[:0]
	}
	s.still, s.use, s.given = r.still.now(), r.use.now(), r.given.now()
	if s.now(r.shared, words) || dirty {
		for i := range s.nodes {
			s.nodes[i] = s.lasting[i] | s.since[i] | s.exact[0].nodes[i]
		}
	}
	return s
}

func widened(bits []uint64, words int) []uint64 {
	if len(bits) < words {
		bits = append(bits, make([]uint64, words-len(bits))...)
	}
	return bits
}

// now puts first what holds exactly as much is taken as is; other: it was not.
func (s *refusals) now(shared uint64, words int) (other bool) {
	at := slices.IndexFunc(s.exact, func(e exactly) bool { return e.shared == shared })
	first := exactly{shared: shared}
	switch {
	case at >= 0:
		first = s.exact[at]
	case len(s.exact) < mostExact:
		s.exact = append(s.exact, exactly{})
		at = len(s.exact) - 1
	default:
		at = len(s.exact) - 1
		first.nodes = s.exact[at].nodes
		clear(first.nodes)
	}
	other = at > 0 || s.exact[0].shared != shared || len(s.exact[0].nodes) == 0
	copy(s.exact[1:at+1], s.exact[:at])
	first.nodes = widened(first.nodes, words)
	s.exact[0] = first
	return other
}

// drop forgets a node that is another than it was.
func (s *refusals) drop(word int, bit uint64) {
	if word < len(s.nodes) {
		s.lasting[word] &^= bit
		s.since[word] &^= bit
		s.used(word, bit)
	}
}

// used forgets what rested on exactly what was taken of pools of a node's own, or of few nodes.
func (s *refusals) used(word int, bit uint64) {
	for _, e := range s.exact {
		if word < len(e.nodes) {
			e.nodes[word] &^= bit
		}
	}
}

// add notes that a node refuses.
func (s *refusals) add(n ledger.NodeID, on basis) {
	word, bit := n/64, uint64(1)<<(n%64)
	if on&onStill != 0 {
		s.lasting[word] |= bit
	}
	if on&onGiven != 0 {
		s.since[word] |= bit
	}
	if on&onTaken != 0 {
		s.exact[0].nodes[word] |= bit
	}
	if on != 0 {
		s.nodes[word] |= bit
	}
}

func (s *refusals) has(n ledger.NodeID) bool {
	return int(n)/64 < len(s.nodes) && s.nodes[n/64]>>(n%64)&1 != 0
}

// catchUp notes the nodes of which something changed since the last question: their facts, the slices that
// they reach, or what is taken of their pools.
func (d *Devices) catchUp() {
	r := &d.refused
	if now := d.l.Changes.NodeFacts.Now(); r.seen != now || len(r.facts) != d.l.Nodes.Len() {
		r.seen = now
		for n := range ledger.NodeID(d.l.Nodes.Len()) {
			fact := d.l.Node(n).Fact
			if int(n) == len(r.facts) {
				r.facts = append(r.facts, nil)
				r.still.touch(n)
			}
			if r.facts[n] != fact {
				r.facts[n] = fact
				r.still.touch(n)
			}
		}
	}
	if d.inventory.everywhere {
		r.still.touchAll()
		r.spread = d.inventory.shared(r.spread[:0])
		clear(r.few)
	}
	if d.used.everywhere {
		r.use.touchAll()
		r.given.touchAll()
	}
	for _, name := range d.inventory.changed {
		d.touchNode(&r.still, name)
	}
	several := map[pool]bool{} // the pools of several nodes; true: a device was given back
	for _, c := range d.used.changed {
		node := d.inventory.only(c.pool)
		switch {
		case node != "":
			d.touchNode(&r.use, node)
			if c.given {
				d.touchNode(&r.given, node)
			}
		case len(d.inventory.pools[c.pool]) > 0:
			several[c.pool] = several[c.pool] || c.given
		}
	}
	if len(several) > 0 {
		r.usedOf(d, several)
	}
	if len(d.used.changed) > 0 || d.used.everywhere || d.inventory.everywhere {
		r.shared = 0
		for _, p := range r.spread {
			if !r.few[p] {
				r.shared += d.used.pool(p).taken
			}
		}
	}
	d.inventory.everywhere, d.inventory.changed = false, d.inventory.changed[:0]
	d.used.everywhere, d.used.changed = false, d.used.changed[:0]
}

// usedOf notes the nodes that reach pools of which something was taken or (true) given back. A pool that few nodes
// reach counts as their own from then on: what is taken of it lifts nothing on other nodes, and is in no sum. Where
// many nodes reach it, what is given back is noted as of all, since each shape looks at each node that is noted.
func (r *refused) usedOf(d *Devices, pools map[pool]bool) {
	nodes := d.inventory.reaching(d.l, pools)
	for p, given := range pools { // order-free: each is noted by itself
		if len(nodes[p]) > d.l.Nodes.Len()/8 {
			if given {
				r.given.touchAll()
			}
			if r.few[p] {
				delete(r.few, p)
				r.use.touchAll()
			}
			continue
		}
		if r.few == nil {
			r.few = map[pool]bool{}
		}
		r.few[p] = true
		for _, n := range nodes[p] {
			r.use.touch(n)
			if given {
				r.given.touch(n)
			}
		}
	}
}

// reaching are the nodes that reach each of some pools, as far as is known.
func (s *inventory) reaching(l *ledger.Ledger, pools map[pool]bool) map[pool][]ledger.NodeID {
	out := map[pool][]ledger.NodeID{}
	for n := range ledger.NodeID(l.Nodes.Len()) {
		known := s.near[l.Node(n).Name]
		if known == nil {
			for p := range pools { // order-free: into a map
				out[p] = append(out[p], n)
			}
			continue
		}
		for _, p := range known.pools {
			if _, asked := pools[p]; asked {
				out[p] = append(out[p], n)
			}
		}
	}
	return out
}

func (d *Devices) touchNode(of *touches, name string) {
	if n, known := d.l.Nodes.Find(name); known {
		of.touch(n)
	}
}

// refusing are the nodes that are known to refuse a pod's claims; nil where that is known of none.
func (d *Devices) refusing(q *question) *refusals {
	if d.explains() || !q.refusal.Admits() || !q.lacks || len(q.left) > 0 {
		return nil
	}
	d.catchUp()
	s := d.refused.shape(q.kind, d.l.Nodes.Len())
	for i := range q.needs {
		if n := &q.needs[i]; n.allocated && !n.movable && n.reach != nil {
			for word, reached := range d.refused.reachedBy(d, n) {
				s.lasting[word] |= ^reached
				s.nodes[word] |= ^reached
			}
			if rest := d.l.Nodes.Len() % 64; rest != 0 {
				s.lasting[len(s.nodes)-1] &= 1<<rest - 1
				s.nodes[len(s.nodes)-1] &= 1<<rest - 1
			}
		}
	}
	return s
}

// Refusing implements policy.Refuser.
func (d *Devices) Refusing(t ledger.TaskID) []uint64 {
	s := d.refusing(d.questions.ask(d.l.Task(t)))
	switch {
	case s == nil:
		return nil
	case !d.ahead:
		return s.nodes
	}
	out := slices.Clone(s.nodes)
	for n := range d.leaves.pods { // order-free: each is asked about, see FilterTask
		if int(n)/64 < len(out) {
			out[n/64] &^= 1 << (n % 64)
		}
	}
	return out
}
