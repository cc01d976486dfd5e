package policy

import (
	"fmt"

	"ashlar.sh/sched/model"
)

// BookingReporter says how bookings of nodes in advance stand.
type BookingReporter interface {
	// Bookings are all that are known, by name, as of the last cycle. It decides nothing.
	Bookings() []BookingReport
}

// BookingReport is how a booking of nodes stands.
type BookingReport struct {
	*model.Booking

	Phase BookingPhase
	// Window is the one in which it is, or the next one; zero where none is to come.
	Window model.Window
	// EndedEarly is when the window began that is not over and was ended for being idle; 0: none was.
	EndedEarly int64
	Nodes      []string // that it holds in that window, by name
	Short      BookingShort
	// Conflicts are pods on its nodes that may still run when it would have the nodes free, by namespace and name; the
	// first MostConflicts of Conflicting.
	Conflicts   []BookingConflict
	Conflicting int
	// Overlaps are the bookings, by name, of which a window overlaps its own on a node that both select: older ones that
	// have the node, and maintenance.
	Overlaps []string
}

// BookingPhase is where in its time a booking is.
type BookingPhase string

// The phases.
const (
	BookingPending BookingPhase = "Pending" // its next window has not begun
	BookingActive  BookingPhase = "Active"  // it is in a window
	BookingEnded   BookingPhase = "Ended"   // no window is to come
	BookingInvalid BookingPhase = "Invalid" // a fault sets it aside: it books nothing
)

// BookingShort is how a booking came to fewer nodes than it asks for; Asked is 0 where it has them all.
type BookingShort struct {
	Asked    int32 // nodes: the number that it names, or all that match
	Found    int32
	Selected int32 // nodes that match
	Taken    int32 // of these, those that older bookings have at the same time
	Out      int32 // of these, those that are cordoned or not ready, and are replaced for that
}

// String says why a booking has fewer nodes than it asks for; "" where it has them all.
func (s BookingShort) String() string {
	switch {
	case s.Asked == 0:
		return ""
	case s.Selected == 0:
		return "no node matches its selector"
	}
	text := fmt.Sprintf("%d of %s that it asks for: %d %s its selector", s.Found, nodes(s.Asked), s.Selected,
		verb(s.Selected, "matches", "match"))
	if s.Taken > 0 {
		text += fmt.Sprintf(", %d of these %s booked at the same time by older bookings", s.Taken, verb(s.Taken, "is", "are"))
	}
	if s.Out > 0 {
		text += fmt.Sprintf(", %d %s cordoned or not ready", s.Out, verb(s.Out, "is", "are"))
	}
	return text
}

func nodes(n int32) string { return fmt.Sprintf("%d %s", n, verb(n, "node", "nodes")) }

// verb is a word for one, or for several.
func verb(n int32, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// BookingConflict is a pod that may run on in a window.
type BookingConflict struct {
	Namespace, Pod, Node string
}

// MostConflicts bounds the conflicts that are named.
const MostConflicts = 10

// Bookings are how all bookings stand, by name.
func (s *Set) Bookings() (out []BookingReport) {
	for _, p := range s.bookings {
		out = append(out, p.Bookings()...)
	}
	return out
}
