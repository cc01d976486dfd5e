package booking

import (
	"slices"
	"strings"

	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// purge is a booking that ends a window early, once it was idle for some time: the window that is not over, and whether
// it was ended when the nodes were found.
type purge struct {
	*model.Booking
	window model.Window
	ended  bool
}

// idleSince is the name under which it is remembered since when a booking is idle in its present window.
func idleSince(b *model.Booking) string { return Name + " " + b.UID }

// window is the first window of a booking that has not ended at a time, and was not ended early.
func (p *plugin) window(b *model.Booking, at int64) (model.Window, bool) {
	for _, w := range b.Windows {
		if w.To > at && !p.purged(b, w) {
			return w, true
		}
	}
	return model.Window{}, false
}

// purged says that a window was ended early: the booking has been idle in it for long enough, or its status says that
// it was ended by an engine of which nothing else is known.
func (p *plugin) purged(b *model.Booking, w model.Window) bool {
	if b.PurgeAfter == 0 {
		return false
	}
	since, idle := p.idle(b, w)
	return b.Purged == w.From && w.From <= p.now || idle && model.After(since, b.PurgeAfter) <= p.now
}

// idle is since when a booking is idle in a window; false where it is not, or the window has not begun.
func (p *plugin) idle(b *model.Booking, w model.Window) (since int64, is bool) {
	since = p.l.Rounds.Get(idleSince(b))
	return since, since >= w.From && since < w.To && since <= p.now
}

// purgesMoved says that a window was ended early, or was not after all, since the nodes were found.
func (p *plugin) purgesMoved() bool {
	for i := range p.purges {
		if x := &p.purges[i]; p.purged(x.Booking, x.window) != x.ended {
			return true
		}
	}
	return false
}

// idlers is what watchIdle found last, and of which state.
type idlers struct {
	of    version
	known uint64 // the epoch of bookings for which what is remembered of them was looked through
	next  int64
}

// version is a state of the ledger, with which nodes are booked, between two borders of windows.
type version struct {
	state, placed uint64
	from, until   int64
}

// holds says that nothing has changed since.
func (v *version) holds(p *plugin) bool {
	return v.placed == p.placed && v.state == p.l.Changes.StateEpoch() && v.from <= p.now && p.now < v.until
}

// version is that of now.
func (p *plugin) version() version {
	v := version{p.l.Changes.StateEpoch(), p.placed, p.now, p.until}
	for i := range p.held {
		if from := p.held[i].window.From; from > p.now {
			v.until = min(v.until, from)
		}
	}
	return v
}

// watchIdle notes which bookings are idle in their window: no pod of the owner holds room on their nodes. It returns
// when the next window is to be ended for that; 0: none is.
func (p *plugin) watchIdle() (next int64) {
	switch {
	case len(p.purges) == 0 && p.idlers.known == p.epoch:
		return 0
	case p.idlers.of.holds(p):
		return p.idlers.next
	}
	if p.idlers.known != p.epoch {
		p.idlers.known = p.epoch
		p.forget()
	}
	defer func() { p.idlers.of, p.idlers.next = p.version(), next }()
	for i := range p.held {
		h := &p.held[i]
		if h.PurgeAfter == 0 {
			continue
		}
		since, idle := p.idle(h.Booking, h.window)
		switch {
		case h.window.From > p.now:
			continue // what is remembered may be of the window before, which was ended early
		case p.used(h):
			if since != ledger.NoRound {
				p.l.Rounds.Drop(idleSince(h.Booking))
			}
			continue
		case !idle:
			since = p.now
			p.l.Rounds.Set(idleSince(h.Booking), since)
		}
		if at := model.After(since, h.PurgeAfter); next == 0 || at < next {
			next = at
		}
	}
	return next
}

// used says that a pod of the owner holds room on a node of a booking.
func (p *plugin) used(h *held) (is bool) {
	p.each(h, func(n ledger.NodeID) {
		if is {
			return
		}
		p.l.Nodes.Tasks(n, func(t ledger.TaskID) bool {
			is = p.owns(h, p.l.Task(t))
			return !is
		})
	})
	return is
}

// forget drops what is remembered of bookings that are gone, or do not end early any more.
func (p *plugin) forget() {
	for _, r := range slices.Clone(p.l.Rounds.All()) {
		if strings.HasPrefix(r.Name, Name+" ") &&
			!slices.ContainsFunc(p.purges, func(x purge) bool { return idleSince(x.Booking) == r.Name }) {
			p.l.Rounds.Drop(r.Name)
		}
	}
}
