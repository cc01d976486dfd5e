package model

import "slices"

// Booking is a number of nodes that are booked in advance: for maintenance, or for an owner.
type Booking struct {
	Meta
	Maintenance bool
	Owner       BookingOwner  // of which jobs the nodes are meanwhile; for maintenance of none
	Selector    []Requirement // on labels of nodes, all of them hold; none: all nodes
	Count       int32         // so many of the selected nodes; 0: all of them
	Flex        bool          // pods of the owner need not have ended when the window does
	// IgnoreRunning says that what runs on its nodes is meant to run on: it is in no conflict.
	IgnoreRunning bool
	StartDelay    int64 // nanoseconds: so long after a window began pods of others may still run
	// DrainBefore is from how long before a window, in nanoseconds, pods without a limit are not started on its nodes.
	DrainBefore int64
	// PurgeAfter ends a window once no pod of the owner was on the nodes for so long, in nanoseconds; 0: none ends early.
	PurgeAfter int64
	// Purged is when the window began that was ended early, as its status says; 0: none was.
	Purged int64
	// Windows are those that have not ended when the fact was made, in order, without overlaps: a bounded number.
	Windows []Window
	Every   *Recurrence // by which further windows follow; nil: there are no others
}

// BookingOwner is of which jobs the booked nodes are: those of which all hold that is given.
type BookingOwner struct {
	Queue     string // jobs of this queue, and of those below it
	Namespace string // jobs of this namespace
	Group     string // with Namespace: the one PodGroup
	User      string // jobs with this value of UserLabel
}

// Window is a time from which, and until which, nodes are booked: nanoseconds since the epoch.
type Window struct{ From, To int64 }

// Overlaps says that two windows have a moment in common.
func (w Window) Overlaps(o Window) bool { return w.From < o.To && o.From < w.To }

// Recurrence says when windows begin, again and again. The engine does not read it: what tells it facts finds the
// windows (internal/booking).
type Recurrence struct {
	Cron  string // minute, hour, day of the month, month, day of the week
	Zone  string // an IANA name; "" is UTC
	Lasts int64  // nanoseconds
}

// UserLabel is the label of a PodGroup, or of a pod, that says of which user it is: objects of Kubernetes do not.
const UserLabel = "ashlar.sh/user"

// At is the first window that has not ended at a time; false when none is known.
func (b *Booking) At(now int64) (Window, bool) {
	for _, w := range b.Windows {
		if w.To > now {
			return w, true
		}
	}
	return Window{}, false
}

// Alike says that two facts about a booking are equal in everything that decisions read.
func (b *Booking) Alike(o *Booking) bool {
	_, bad := b.SetAside()
	_, worse := o.SetAside()
	return bad == worse && b.Created == o.Created && b.Maintenance == o.Maintenance && b.Owner == o.Owner &&
		b.Count == o.Count && b.Flex == o.Flex && b.IgnoreRunning == o.IgnoreRunning &&
		b.StartDelay == o.StartDelay && b.DrainBefore == o.DrainBefore &&
		b.PurgeAfter == o.PurgeAfter && b.Purged == o.Purged &&
		slices.Equal(b.Windows, o.Windows) && slices.EqualFunc(b.Selector, o.Selector, Requirement.equal)
}

func (r Requirement) equal(o Requirement) bool {
	return r.Key == o.Key && r.Op == o.Op && r.Field == o.Field && slices.Equal(r.Values, o.Values)
}
