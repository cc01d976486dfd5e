package translate

import (
	"time"

	"ashlar.sh/internal/booking"
	"ashlar.sh/internal/kube/api"
	"ashlar.sh/sched/model"
)

// drainBefore is from how long before a window pods without a limit are not started on its nodes, where a booking does
// not say it.
const drainBefore = 24 * time.Hour

// longestBooking bounds the times of a booking; the API server takes less.
const longestBooking = 10 * 365 * 24 * time.Hour

// Booking translates a booking of nodes. What the API server would not take sets it aside: which nodes are kept from
// which pods would be a guess. Windows that recur are left to booking.Renew.
func Booking(b *api.Booking) *model.Booking {
	var f faults
	s := &b.Spec
	out := &model.Booking{Meta: meta(&b.ObjectMeta), Maintenance: s.Maintenance, Count: s.Nodes.Count, Flex: s.Flex,
		IgnoreRunning: s.IgnoreRunning,
		StartDelay:    int64(f.span("spec.maxStartDelay", s.MaxStartDelay, 0)),
		DrainBefore:   int64(f.span("spec.drainBefore", s.DrainBefore, drainBefore))}
	switch {
	case s.Maintenance == (s.Owner != nil):
		f.fatal("spec", "exactly one of maintenance and owner says what it is for")
	case s.Maintenance && s.Flex:
		f.fatal("spec.flex", "maintenance has no owner of which pods might run on")
	case s.Maintenance && s.Nodes.Count != 0:
		f.fatal("spec.nodes.count", "maintenance is of certain nodes: all that the selector matches")
	case s.Owner != nil:
		out.Owner = f.owner(s.Owner)
	}
	if s.Nodes.Selector == nil {
		f.fatal("spec.nodes.selector", "it is missing; {} is all nodes")
	} else {
		out.Selector = f.selector("spec.nodes.selector", s.Nodes.Selector)
	}
	if s.Nodes.Count < 0 {
		f.fatal("spec.nodes.count", "%d is below 0", s.Nodes.Count)
	}
	if s.PurgeAfterIdle != "" {
		if out.PurgeAfter = int64(f.span("spec.purgeAfterIdle", s.PurgeAfterIdle, 0)); out.PurgeAfter <= 0 {
			f.fatal("spec.purgeAfterIdle", "it has to be longer than nothing")
		} else if s.Maintenance {
			f.fatal("spec.purgeAfterIdle", "maintenance has no owner of which pods would be missed")
		}
	}
	if at, err := time.Parse(time.RFC3339, b.Status.EndedEarly); err == nil {
		out.Purged = instant(at)
	}
	f.windows(s, out)
	out.Faults = f
	return out
}

func (f *faults) owner(o *api.BookingOwner) model.BookingOwner {
	if *o == (api.BookingOwner{}) {
		f.fatal("spec.owner", "it names no queue, namespace, podGroup or user")
	}
	if o.PodGroup != "" && o.Namespace == "" {
		f.fatal("spec.owner.podGroup", "the namespace of PodGroup %s is missing", short(o.PodGroup))
	}
	return model.BookingOwner{Queue: o.Queue, Namespace: o.Namespace, Group: o.PodGroup, User: o.User}
}

// windows reads when it is booked.
func (f *faults) windows(s *api.BookingSpec, out *model.Booking) {
	once, again := s.From != "" || s.To != "", s.Schedule != "" || s.Duration != "" || s.TimeZone != ""
	switch {
	case once == again:
		f.fatal("spec", "either from and to say when, or schedule and duration")
	case once:
		from, to := f.moment("spec.from", s.From), f.moment("spec.to", s.To)
		if len(*f) == 0 && to <= from {
			f.fatal("spec.to", "%s is not after spec.from, %s", short(s.To), short(s.From))
		}
		out.Windows = []model.Window{{From: from, To: to}}
	default:
		lasts := f.span("spec.duration", s.Duration, 0)
		if lasts <= 0 {
			f.fatal("spec.duration", "it has to be longer than nothing")
		}
		out.Every = &model.Recurrence{Cron: s.Schedule, Zone: s.TimeZone, Lasts: int64(lasts)}
		if err := booking.Check(out.Every); err != nil {
			f.fatal("spec.schedule", "%v", err)
		}
	}
}

func (f *faults) moment(field, text string) int64 {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		f.fatal(field, "%q is no time such as 2026-03-01T14:00:00Z", short(text))
		return 0
	}
	return instant(at)
}

// span reads a duration of a booking; without one it is as given.
func (f *faults) span(field, text string, without time.Duration) time.Duration {
	if text == "" {
		return without
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestBooking {
		f.fatal(field, "%q is no duration such as 90m or 8h, of ten years at most", short(text))
		return without
	}
	return d
}
