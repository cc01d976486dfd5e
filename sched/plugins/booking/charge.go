package booking

import (
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/resource"
)

// charge has idle room of nodes that are in a window of their owner remembered as used by that owner, for which it is
// kept free. What its own pods hold there counts as theirs, and what others still hold is not idle.
func (p *plugin) charge() {
	if !p.charges() && !p.charged.some || p.charged.of.holds(p) {
		return
	}
	var rooms []ledger.BookedRoom
	for i := range p.held {
		h := &p.held[i]
		if h.Maintenance || h.window.From > p.now {
			continue
		}
		if idle := p.idleRoom(h); len(idle) > 0 {
			rooms = append(rooms, ledger.BookedRoom{Owner: h.Owner, Idle: idle})
		}
	}
	p.l.Usage.Book(rooms)
	p.charged.of, p.charged.some = p.version(), len(rooms) > 0
}

// charges says that idle room of some booking counts, now or in its next window.
func (p *plugin) charges() bool {
	if !p.l.Usage.On() {
		return false
	}
	for i := range p.held {
		if !p.held[i].Maintenance {
			return true
		}
	}
	return false
}

// idleRoom is what no pod holds on the nodes of a booking that take pods now, places for pods left out.
func (p *plugin) idleRoom(h *held) (idle resource.Vec) {
	for d := range resource.Dim(p.l.Dims.Len()) {
		if d == resource.Pods {
			continue
		}
		column := p.l.Nodes.Idle(d)
		p.each(h, func(n ledger.NodeID) {
			if x := column[n]; x > 0 && !out(p.l.Node(n).Fact) {
				idle = idle.Set(d, idle.Get(d)+x)
			}
		})
	}
	return idle
}

// charged is what charge found last: of which state, and whether it was anything.
type charged struct {
	of   version
	some bool
}
