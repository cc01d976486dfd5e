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
	log   []ledger.NodeID // the nodes that changed, the oldest change first
	base  uint64          // how many changes were before those in log
	facts []*model.Node   // of all nodes, when they were last compared
	seen  ledger.Cursor   // of Changes.NodeFacts then
}

// refusals are the nodes that refuse the claims of one shape.
type refusals struct {
	nodes []uint64 // bit n%64 of word n/64
	at    uint64   // the change up to which they hold
}

// mostShapes bounds for how many shapes nodes are remembered, mostTouched how many changes.
const (
	mostShapes  = 1 << 12
	mostTouched = 1 << 14
)

// touch notes that a node changed.
func (r *refused) touch(n ledger.NodeID) {
	if len(r.log) >= mostTouched {
		r.base += mostTouched / 2
		r.log = r.log[:copy(r.log, r.log[mostTouched/2:])]
	}
	r.log = append(r.log, n)
}

// touchAll notes that any node may have changed.
func (r *refused) touchAll() {
	r.base += uint64(len(r.log)) + 1
	r.log = r.log[:0]
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
	}
	if s.at < r.base {
		clear(s.nodes)
	} else {
		for _, n := range r.log[s.at-r.base:] {
			if int(n)/64 < len(s.nodes) {
				s.nodes[n/64] &^= 1 << (n % 64)
			}
		}
	}
	s.at = r.base + uint64(len(r.log))
	return s
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
				r.touch(n)
			}
			if r.facts[n] != fact {
				r.facts[n] = fact
				r.touch(n)
			}
		}
	}
	if d.inventory.everywhere || d.used.everywhere {
		r.touchAll()
	}
	for _, name := range d.inventory.changed {
		d.touchNode(name)
	}
	d.inventory.everywhere, d.inventory.changed = false, d.inventory.changed[:0]
	for _, p := range d.used.changed {
		if node := d.inventory.only(p); node != "" {
			d.touchNode(node)
		} else if len(d.inventory.pools[p]) > 0 {
			r.touchAll()
		}
	}
	d.used.everywhere, d.used.changed = false, d.used.changed[:0]
}

func (d *Devices) touchNode(name string) {
	if n, known := d.l.Nodes.Find(name); known {
		d.refused.touch(n)
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
