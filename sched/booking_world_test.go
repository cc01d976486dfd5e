package sched

import (
	"fmt"

	"ashlar.sh/sched/model"
)

// changeBooking books nodes about now, changes what is booked, or gives it up.
func (w *world) changeBooking() {
	name := fmt.Sprintf("b%d", w.n(2))
	if w.n(3) == 3 {
		w.tell(model.KindBooking, "", name, "", nil)
		return
	}
	b := &model.Booking{Meta: w.meta("", name), Count: int32(w.n(2)), Flex: w.yes(), Maintenance: w.n(2) == 2,
		StartDelay: int64(w.n(1)) * 30 * second, DrainBefore: int64(w.n(2)) * 60 * second}
	if w.yes() {
		b.Selector = []model.Requirement{{Key: "zone", Op: model.In, Values: []string{"a"}}}
	}
	if !b.Maintenance {
		b.PurgeAfter = int64(w.n(2)) * 30 * second
		switch w.n(3) {
		case 0:
			b.Owner.Queue = w.queueName()
		case 1:
			b.Owner.User = "ada"
		case 2:
			b.Owner.Namespace, b.Owner.Group = "ns", "g0"
		default:
			b.Owner.Namespace = "ns"
		}
	}
	from := w.now + int64(w.n(200)-60)*second
	for range 1 + w.n(2) {
		to := from + int64(1+w.n(100))*second
		b.Windows = append(b.Windows, model.Window{From: from, To: to})
		from = to + int64(w.n(100))*second
	}
	w.tell(model.KindBooking, "", name, b.UID, b)
}
