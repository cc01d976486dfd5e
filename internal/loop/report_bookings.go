package loop

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ashlar.sh/internal/explain"
	"ashlar.sh/internal/kube/api"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/internal/kube/observe"
	"ashlar.sh/sched"
	"ashlar.sh/sched/ledger"
	"ashlar.sh/sched/model"
)

// Bounds of reporting how bookings stand: it takes at most a hundredth of the time, and a booking's status is written
// at most so often. What the API does not show within underWay is written again, each time after twice the time.
const (
	reportBookingsEvery = 5 * time.Second
	betweenStatuses     = 10 * time.Second
	mostDoublings       = 5
	mostOverlaps        = 100
)

// reportedBookings has what was written of bookings.
type reportedBookings struct {
	reported map[string]reportedBooking // by name
	at       time.Time                  // of the last look
	took     time.Duration
}

// reportedBooking is what was written of a booking.
type reportedBooking struct {
	uid, status string
	at          time.Time
	tries       int               // how often the same was written
	window      api.BookingWindow // the one of which conflicts were told by an event
}

// report writes to bookings how they stand, if they show something else, and has their first conflicts in a window told
// by an event. Of several schedulers that share the jobs none knows all pods: they write nothing.
func (c *reportedBookings) report(l *loop, now time.Time) {
	if now.Sub(c.at) < max(reportBookingsEvery, 100*c.took) || !l.engine.Ledger().Bookings.Any() && len(c.reported) == 0 ||
		l.o.Ring.Shared() {
		return
	}
	began, still := time.Now(), map[string]reportedBooking{}
	list := sched.BookingsOf(l.engine)
	for i := range list {
		b := &list[i]
		shown := observe.Booking(l.observer, b.Name)
		if shown == nil || string(shown.UID) != b.UID {
			continue
		}
		was := c.reported[b.Name]
		if was.uid != b.UID {
			was = reportedBooking{uid: b.UID}
		}
		status := statusOf(b)
		was.conflicts(l, b.Name, status, &shown.Status)
		was.write(l, b.Name, status, &shown.Status, now)
		still[b.Name] = was
	}
	c.reported, c.at, c.took = still, now, time.Since(began)
}

// write writes a status that is not shown, unless another write may still be under way, or was a moment ago.
func (r *reportedBooking) write(l *loop, name string, status, shown *api.BookingStatus, now time.Time) {
	wants, shows := textOf(status), textOf(shown)
	switch passed := now.Sub(r.at); {
	case wants == shows:
		return
	case r.at.IsZero():
	case passed < betweenStatuses, r.status != shows && passed < underWay<<min(r.tries, mostDoublings):
		return
	}
	if execute.BookingStatus(l.executor, name, r.uid, status) {
		if r.tries++; r.status != wants {
			r.tries = 0
		}
		r.status, r.at = wants, now
	}
}

// conflicts has it told that pods run into a window, once for each window. The event names no pods: it is kept in
// namespace default, where others read it than may read bookings.
func (r *reportedBooking) conflicts(l *loop, name string, status, shown *api.BookingStatus) {
	if status.ConflictCount == 0 || status.Window == nil || r.window == *status.Window {
		return
	}
	told := shown.ConflictCount > 0 && shown.Window != nil && *shown.Window == *status.Window
	if told || l.executor.Event(execute.Event{Kind: string(model.KindBooking), Object: ledger.Key{Name: name}, UID: r.uid,
		Warning: true, Reason: "Conflict", Message: fmt.Sprintf("pods that may run on in the window from %s to %s: %d; "+
			"status.conflicts names them. Nothing is evicted", status.Window.From, status.Window.To, status.ConflictCount)}) {
		r.window = *status.Window
	}
}

func textOf(s *api.BookingStatus) string {
	text, _ := json.Marshal(s) // strings and numbers only
	return string(text)
}

// statusOf is what a booking's status has to say.
func statusOf(b *sched.BookingReport) *api.BookingStatus {
	shown := explain.NewBooking(b)
	s := &api.BookingStatus{Phase: shown.Phase, Asked: b.Short.Asked, NodeCount: int32(len(b.Nodes)),
		Nodes: b.Nodes[:min(len(b.Nodes), api.MostNodes)], ConflictCount: int32(b.Conflicting),
		Overlaps: b.Overlaps[:min(len(b.Overlaps), mostOverlaps)], Message: shown.Message}
	if len(s.Message) > mostOfMessage {
		s.Message = strings.ToValidUTF8(s.Message[:mostOfMessage], "")
	}
	if b.Window != (model.Window{}) {
		s.Window = &api.BookingWindow{From: shown.From, To: shown.To}
	}
	s.EndedEarly = shown.EndedEarly
	for _, c := range b.Conflicts {
		s.Conflicts = append(s.Conflicts, api.BookingConflict(c))
	}
	return s
}

// mostOfMessage is how long the message of a status may be.
const mostOfMessage = 1000
