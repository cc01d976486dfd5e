package devices

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// refused knows, for the claims of a shape, which nodes refuse them as these stand: a bit for each node. A pod
// that waits is asked about again whenever anything changes somewhere. The bits make that cost the nodes that
// changed, and not all of them. They say nothing that memory does not know, so that no decision
// depends on them: a node has its bit only while memory has the answer for what it stands on.
type refused struct {
	of    map[digest]*refusals
	still touches       // changes of what nodes are and reach
	use   touches       // changes of what is taken of that
	facts []*model.Node // of all nodes, when they were last compared
	seen  ledger.Cursor // of Changes.NodeFacts then
}

// touches are the nodes of which something changed.
type touches struct {
	log  []ledger.NodeID // the oldest change first
	base uint64          // how many changes were before those in log
}

// refusals are the nodes that refuse the claims of one shape.
type refusals struct {
	nodes   []uint64 // bit n%64 of word n/64
	lasting []uint64 // of those the nodes that would refuse if nothing were taken, too
	still   uint64   // up to which change of what nodes are they hold,
	use     uint64   // and up to which change of what is taken
}

// mostShapes bounds for how many shapes nodes are remembered, mostTouched how many changes.
const (
	mostShapes  = 1 << 12
	mostTouched = 1 << 14
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
	if want := (nodes + 63) / 64; len(s.nodes) < want {
		s.nodes = append(s.nodes, make([]uint64, want-len(s.nodes))...)
		s.lasting = append(s.lasting, make([]uint64, want-len(s.lasting))...)
	}
	if r.still.after(s.still, s.drop) {
		clear(s.nodes)
		clear(s.lasting)
	}
	if r.use.after(s.use, s.used) {
		copy(s.nodes, s.lasting)
	}
	s.still, s.use = r.still.now(), r.use.now()
	return s
}

// drop forgets a node that is another than it was.
func (s *refusals) drop(word int, bit uint64) {
	if word < len(s.nodes) {
		s.nodes[word] &^= bit
		s.lasting[word] &^= bit
	}
}

// used forgets a node of which other devices are taken, unless it would refuse whatever is taken.
func (s *refusals) used(word int, bit uint64) {
	if word < len(s.nodes) && s.lasting[word]&bit == 0 {
		s.nodes[word] &^= bit
	}
}

// add notes that a node refuses.
func (s *refusals) add(n ledger.NodeID, lasting bool) {
	s.nodes[n/64] |= 1 << (n % 64)
	if lasting {
		s.lasting[n/64] |= 1 << (n % 64)
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
	}
	if d.used.everywhere {
		r.use.touchAll()
	}
	for _, name := range d.inventory.changed {
		d.touchNode(&r.still, name)
	}
	d.inventory.everywhere, d.inventory.changed = false, d.inventory.changed[:0]
	for _, p := range d.used.changed {
		if node := d.inventory.only(p); node != "" {
			d.touchNode(&r.use, node)
		} else if len(d.inventory.pools[p]) > 0 {
			r.use.touchAll()
		}
	}
	d.used.everywhere, d.used.changed = false, d.used.changed[:0]
}

func (d *Devices) touchNode(of *touches, name string) {
	if n, known := d.l.Nodes.Find(name); known {
		of.touch(n)
	}
}

// refusing are the nodes that are known to refuse all of a pod's claims; nil where that is known of none: some
// of its claims have devices, so that which of them lack some differs by node.
func (d *Devices) refusing(q *question) *refusals {
	if d.explains() || !q.refusal.Admits() || q.has || !q.lacks {
		return nil
	}
	d.catchUp()
	return d.refused.shape(q.shape, d.l.Nodes.Len())
}

// Refusing implements policy.Refuser.
func (d *Devices) Refusing(t ledger.TaskID) []uint64 {
	if s := d.refusing(d.questions.ask(d.l.Task(t))); s != nil {
		return s.nodes
	}
	return nil
}
