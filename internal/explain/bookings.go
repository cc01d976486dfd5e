package explain

import (
	"fmt"
	"strconv"
	"strings"

	"ashlar.sh/sched"
	"ashlar.sh/sched/model"
)

// Booking is how a booking of nodes in advance stands. From and To are its present window, or the next one, as RFC
// 3339; "" where none is to come. Conflicts are the first of Conflicting pods that may run on when it is to have the
// nodes.
type Booking struct {
	Name     string   `json:"name"`
	For      string   `json:"for"` // maintenance, or of which jobs the nodes are
	Phase    string   `json:"phase"`
	From     string   `json:"from,omitempty"`
	To       string   `json:"to,omitempty"`
	Nodes    []string `json:"nodes"`
	Overlaps []string `json:"overlaps,omitempty"`

	Conflicts   []Conflict `json:"conflicts,omitempty"`
	Conflicting int        `json:"conflictCount"`

	EndedEarly string `json:"endedEarly,omitempty"` // when the window began that was ended for being idle

	Message string `json:"message,omitempty"` // why it has fewer nodes than it asks for, or none

	window model.Window
}

// Conflict is a pod that may run on in the window of a booking.
type Conflict struct {
	Namespace string `json:"namespace"`
	Pod       string `json:"pod"`
	Node      string `json:"node"`
}

// NewBooking says how a booking stands.
func NewBooking(b *sched.BookingReport) Booking {
	out := Booking{Name: b.Name, For: BookedFor(b.Booking), Phase: string(b.Phase), Nodes: append([]string{}, b.Nodes...),
		Overlaps: b.Overlaps, Conflicting: b.Conflicting, Message: BookingSentence(b), window: b.Window,
		EndedEarly: moment(b.EndedEarly)}
	if b.Window != (model.Window{}) {
		out.From, out.To = moment(b.Window.From), moment(b.Window.To)
	}
	for _, c := range b.Conflicts {
		out.Conflicts = append(out.Conflicts, Conflict(c))
	}
	return out
}

// BookedFor is what nodes are booked for: maintenance, or of which jobs they are.
func BookedFor(b *model.Booking) string {
	if b.Maintenance {
		return "maintenance"
	}
	var words []string
	for _, w := range [...][2]string{{"queue", b.Owner.Queue}, {"namespace", b.Owner.Namespace},
		{"PodGroup", b.Owner.Group}, {"user", b.Owner.User}} {
		if w[1] != "" {
			words = append(words, w[0]+" "+w[1])
		}
	}
	return strings.Join(words, ", ")
}

// BookingSentence says why a booking has fewer nodes than it asks for, or none; "" where it has them.
func BookingSentence(b *sched.BookingReport) string {
	if f, bad := b.SetAside(); bad {
		return f.Field + ": " + f.Message
	}
	return b.Short.String()
}

// axis is how many columns the time axis of bookings has.
const axis = 60

// booked lists the bookings, and draws their next windows on an axis of time, from now to the end of the last of these.
func (p *page) booked(r *Report) {
	if len(r.Bookings) == 0 {
		return
	}
	p.title("BOOKINGS")
	rows := [][]cell{{left("BOOKING"), left("FOR"), left("PHASE"), right("NODES"), right("CONFLICTS"), left("FROM"),
		left("TO")}}
	for i := range r.Bookings {
		b := &r.Bookings[i]
		rows = append(rows, []cell{left(b.Name), left(b.For), left(b.Phase), right(strconv.Itoa(len(b.Nodes))),
			right(strconv.Itoa(b.Conflicting)), left(b.From), left(b.To)})
	}
	p.table(rows)
	p.windows(r)
	for i := range r.Bookings {
		b := &r.Bookings[i]
		if b.EndedEarly != "" {
			p.paragraph(4, b.Name+": its window from "+b.EndedEarly+" was ended early: it was idle")
		}
		if len(b.Overlaps) > 0 {
			p.paragraph(4, b.Name+": it overlaps "+strings.Join(b.Overlaps, ", "))
		}
		for _, c := range b.Conflicts {
			p.paragraph(4, fmt.Sprintf("%s: pod %s/%s on %s may run on in the window", b.Name, c.Namespace, c.Pod, c.Node))
		}
		if more := b.Conflicting - len(b.Conflicts); more > 0 {
			p.paragraph(4, fmt.Sprintf("%s: and %s more", b.Name, Count(more, "pod")))
		}
	}
}

// windows draws the axis; nothing where no window is to come.
func (p *page) windows(r *Report) {
	until := r.now
	for i := range r.Bookings {
		until = max(until, r.Bookings[i].window.To)
	}
	if until == r.now {
		return
	}
	end := moment(until)
	p.line("  now%s%s", strings.Repeat(" ", axis-len("now")-len(end)), end)
	for i := range r.Bookings {
		if b := &r.Bookings[i]; b.window != (model.Window{}) {
			p.line("  %s  %s", stretch(b.window, r.now, until), b.Name)
		}
	}
}

// stretch draws a window on an axis from a time to another; it takes one column at least.
func stretch(w model.Window, now, until int64) string {
	column := func(at int64) int {
		return int(axis * float64(max(0, model.Between(now, at))) / float64(model.Between(now, until)))
	}
	from := min(column(w.From), axis-1)
	to := min(max(column(w.To), from+1), axis)
	return strings.Repeat("·", from) + strings.Repeat("█", to-from) + strings.Repeat("·", axis-to)
}
