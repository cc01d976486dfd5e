package booking

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/match"
	"ashlar.sh/sched/model"
)

// place finds which nodes each booking holds, if that may have changed.
//
// Of two bookings for owners with windows at the same time the older one holds a node that both select; maintenance
// is of any node, whatever else it is booked for. Where a booking asks for a number of nodes, these are the first
// by a hash of its name and theirs among those that are there and not cordoned or failed: so they stay the same
// while other nodes come and go, another one takes the place of one that fails, and nothing has to be remembered.
func (p *plugin) place() {
	if p.epoch == p.l.Bookings.Epoch() && p.facts == p.l.Changes.NodeFacts.Now() && p.from <= p.now && p.now < p.until &&
		!(p.begins && p.purgesMoved()) {
		p.begins = false
		return
	}
	p.epoch, p.facts, p.from, p.until = p.l.Bookings.Epoch(), p.l.Changes.NodeFacts.Now(), p.now, model.Never
	p.held, p.purges = p.held[:0], p.purges[:0]
	p.placed++
	p.begins = false
	for _, b := range p.l.Bookings.All() {
		w, ok := b.At(p.now)
		if ok && b.PurgeAfter > 0 {
			p.purges = append(p.purges, purge{b, w, p.purged(b, w)})
			p.until = min(p.until, w.To)
			w, ok = p.window(b, p.now)
		}
		if !ok {
			continue
		}
		p.until = min(p.until, w.To)
		h := held{Booking: b, window: w}
		p.choose(&h)
		p.held = append(p.held, h)
	}
}

// choose finds the nodes of a booking beside those of older ones.
func (p *plugin) choose(h *held) {
	var free []ledger.NodeID
	var lost held
	wish, taken := int32(0), p.taken(h)
	p.l.Nodes.Present(func(n ledger.NodeID) bool {
		node := p.l.Node(n).Fact
		if len(h.Selector) > 0 && !match.Term(model.Term{All: h.Selector}, node) {
			return true
		}
		if h.all++; h.Count > 0 && out(node) {
			h.out++
			return true
		}
		wish++
		if taken.has(n) {
			lost.put(n)
		} else {
			free = append(free, n)
		}
		return true
	})
	p.lostTo(h, &lost)
	if h.Count > 0 {
		wish = min(wish, h.Count)
		p.sortByHash(free, h.Name)
		free = free[:min(len(free), int(h.Count))]
	}
	for _, n := range free {
		h.put(n)
	}
	h.taken = max(0, wish-h.on)
}

// sortByHash orders nodes by a hash of a booking's name and theirs, which is made once for each: there may be many.
func (p *plugin) sortByHash(nodes []ledger.NodeID, booking string) {
	type hashed struct {
		hash uint64
		node ledger.NodeID
	}
	order := make([]hashed, len(nodes))
	for i, n := range nodes {
		order[i] = hashed{ledger.Hash(booking + "/" + p.l.Node(n).Name), n}
	}
	slices.SortFunc(order, func(a, b hashed) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Compare(p.l.Node(a.node).Name, p.l.Node(b.node).Name)
	})
	for i := range order {
		nodes[i] = order[i].node
	}
}

// older says that a booking's next window overlaps one of an older booking, which has the nodes that both select.
func older(o, h *held) bool {
	return !h.Maintenance && !o.Maintenance && slices.ContainsFunc(o.Windows, h.window.Overlaps)
}

// taken is the nodes that older bookings hold in windows that a booking's next one overlaps.
func (p *plugin) taken(h *held) *held {
	var out held
	for i := range p.held {
		if older(&p.held[i], h) {
			out.add(&p.held[i])
		}
	}
	return &out
}

// add adds the nodes of another booking.
func (h *held) add(o *held) {
	h.nodes = append(h.nodes, make([]uint64, max(0, len(o.nodes)-len(h.nodes)))...)
	for w, nodes := range o.nodes {
		h.nodes[w] |= nodes
	}
}

// lostTo notes which older bookings hold nodes that a booking selects.
func (p *plugin) lostTo(h, lost *held) {
	for i := range p.held {
		if o := &p.held[i]; lost.on > 0 && older(o, h) && o.shares(lost) {
			h.by = append(h.by, o.Name)
		}
	}
}

// shares says that two bookings have a node in common.
func (h *held) shares(o *held) bool {
	for w := range min(len(o.nodes), len(h.nodes)) {
		if o.nodes[w]&h.nodes[w] != 0 {
			return true
		}
	}
	return false
}

// out says that a node takes no pods now: it is cordoned, or not ready.
func out(n *model.Node) bool {
	return n.Unschedulable || slices.ContainsFunc(n.Taints, func(t model.Taint) bool {
		return t.Key == "node.kubernetes.io/not-ready" || t.Key == "node.kubernetes.io/unreachable"
	})
}
