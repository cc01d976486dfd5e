package story

import (
	"fmt"
	"strings"
	"time"

	"ashlar.sh/sched"
	"ashlar.sh/sched/policy"
)

// bookings lists how bookings of nodes stand: the phase, the present or next window, the nodes that are held in it, how
// many fewer these are than asked for, the pods that may run on then, and the bookings that it overlaps.
var bookingsVerb = verb{syntax: "bookings", ask: bookings}

func bookings(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range r.Bookings {
		out = append(out, bookingLine(&r.Bookings[i]))
	}
	return out, w.end()
}

func bookingLine(b *sched.BookingReport) string {
	text := b.Name + " " + string(b.Phase)
	if b.Phase == policy.BookingPending || b.Phase == policy.BookingActive {
		text += fmt.Sprintf(" %s to %s on %s",
			clock(time.Duration(b.Window.From)), clock(time.Duration(b.Window.To)), strings.Join(b.Nodes, ", "))
	}
	if s := b.Short; s.Asked > 0 {
		text += fmt.Sprintf("; %d of %d nodes, %d match, %d taken, %d out", s.Found, s.Asked, s.Selected, s.Taken, s.Out)
	}
	if b.Conflicting > 0 {
		var pods []string
		for _, c := range b.Conflicts {
			pods = append(pods, c.Namespace+"/"+c.Pod+" on "+c.Node)
		}
		text += fmt.Sprintf("; %d in conflict: %s", b.Conflicting, strings.Join(pods, ", "))
	}
	if b.EndedEarly > 0 {
		text += "; the window of " + clock(time.Duration(b.EndedEarly)) + " was ended early"
	}
	if len(b.Overlaps) > 0 {
		text += "; overlaps " + strings.Join(b.Overlaps, ", ")
	}
	return text
}
