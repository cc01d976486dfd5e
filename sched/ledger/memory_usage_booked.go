package ledger

import (
	"ashlar.sh/sched/model"
	"ashlar.sh/sched/resource"
)

// BookedRoom is room that is idle on nodes in a window of which their owner is the only one to use it.
type BookedRoom struct {
	Owner model.BookingOwner
	Idle  resource.Vec
}

// Book has idle booked room counted as held by its owners, in place of what was before: of the owner's queue and those
// above it, and of the owner as a tenant. It takes effect at the end of the cycle, as what holders hold does.
func (u *Usage) Book(rooms []BookedRoom) {
	queues, tenants := map[UsageKey]resource.Vec{}, map[UsageKey]resource.Vec{}
	for _, r := range rooms {
		queue, tenant := u.ownersQueue(r.Owner), u.tenantOf(r.Owner)
		for at := queue; at != NoQueue; at = u.l.Queues.rows[at].up {
			k := UsageKey{Queue: u.l.Queues.rows[at].Name}
			queues[k] = queues[k].Add(r.Idle)
		}
		for _, k := range u.tenantsOf(queue, tenant) {
			tenants[k] = tenants[k].Add(r.Idle)
		}
	}
	u.queues.book(queues)
	u.tenants.book(tenants)
}

// book replaces the idle booked room of all holders of one kind.
func (m *meter) book(booked map[UsageKey]resource.Vec) {
	if m.halfLife == 0 {
		return
	}
	for k := range m.booked { // order-free: touched rows accrue each by itself
		if i, known := m.byKey[k]; known {
			m.touch(i)
		}
	}
	for k := range booked { // order-free: as above
		m.touch(m.row(k))
	}
	m.booked = booked
}

// ownersQueue is the queue that a booking names; NoQueue where it names none. The queue of a PodGroup does not count:
// its author may write any queue there, and would have that queue yield for room that it leaves idle itself.
func (u *Usage) ownersQueue(o model.BookingOwner) QueueID {
	if q, there := u.l.Queues.byName[o.Queue]; there {
		return q
	}
	return NoQueue
}

// tenantOf is the owner of a booking as tenants are told apart; "" where it does not say which tenant it is.
func (u *Usage) tenantOf(o model.BookingOwner) string {
	switch u.by.Label {
	case "":
		return o.Namespace
	case model.UserLabel:
		return o.User
	}
	return ""
}

// tenantsOf are the holders that a tenant is: in a queue, or without one in each queue in which it has jobs.
func (u *Usage) tenantsOf(q QueueID, tenant string) (out []UsageKey) {
	switch {
	case tenant == "" || u.tenants.halfLife == 0:
	case q != NoQueue:
		out = append(out, UsageKey{u.l.Queues.rows[q].Name, tenant})
	default:
		for k, i := range u.tenants.byKey { // order-free: a set
			if k.Tenant == tenant && u.tenants.rows[i].jobs > 0 {
				out = append(out, k)
			}
		}
	}
	return out
}
