package ledger

import (
	"cmp"
	"slices"

	"ashlar.sh/sched/model"
)

// Bookings holds the bookings of nodes in advance.
type Bookings struct {
	l *Ledger

	byName map[string]*model.Booking
	epoch  uint64
}

// Any says that there are bookings.
func (bs *Bookings) Any() bool { return len(bs.byName) > 0 }

// Epoch is a version of all bookings together.
func (bs *Bookings) Epoch() uint64 { return bs.epoch }

// All are the bookings that are not set aside, by age, the oldest first, then by name.
func (bs *Bookings) All() []*model.Booking {
	var out []*model.Booking
	for _, b := range bs.byName { // order-free: sorted below
		if _, bad := b.SetAside(); !bad {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *model.Booking) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// Each calls f for all bookings, also those that are set aside, in no order.
func (bs *Bookings) Each(f func(*model.Booking)) {
	for _, b := range bs.byName { // order-free: callers sort
		f(b)
	}
}

// apply takes in what is said of a booking. Every node may then get another answer, unless nothing that is decided on
// has changed.
func (bs *Bookings) apply(name string, b *model.Booking) {
	was := bs.byName[name]
	switch {
	case b == nil && was == nil:
		return
	case b == nil:
		delete(bs.byName, name)
	default:
		if bs.byName == nil {
			bs.byName = map[string]*model.Booking{}
		}
		bs.byName[name] = b
	}
	if b != nil && was != nil && b.Alike(was) {
		return
	}
	bs.epoch++
	bs.l.Nodes.restateAll()
}
