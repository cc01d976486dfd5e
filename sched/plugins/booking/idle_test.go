package booking_test

import (
	"testing"

	"ashlar.sh/sched/model"
)

// TestAWindowThatIsIdleEndsEarly: purgeAfter counts from the begin of the window, and anew from the end of the owner's
// last pod; pods of others do not count. An engine that begins anew knows of it by the status.
func TestAWindowThatIsIdleEndsEarly(t *testing.T) {
	idle := func(b *model.Booking) { b.PurgeAfter = 100 }
	twice := windows(model.Window{From: 2000, To: 3000}, model.Window{From: 4000, To: 5000})
	w := newWorld(t)
	w.node("n1", "a")
	w.book("demo", 0, 0, idle, twice)
	w.pod("web", "other", "n1", 0)
	waits := w.pod("web", "waits", "", 5000)
	n, _ := w.Nodes.Find("n1")
	step := func(now, next int64, want string) {
		t.Helper()
		if got := w.at(now); got != next {
			t.Errorf("at %d the next time is %d, want %d", now, got, next)
		}
		w.is(t, "demo", want)
	}
	step(1000, 2000, "Pending 2000-3000 [n1]")
	step(2000, 2100, "Active 2000-3000 [n1]")
	w.pod("ml", "own", "n1", 0)
	step(2050, 3000, "Active 2000-3000 [n1]")
	step(2200, 3000, "Active 2000-3000 [n1]")
	w.tell(model.KindPod, "ml", "own", nil)
	step(2250, 2350, "Active 2000-3000 [n1]")
	if w.FilterTask(waits, n, false).Admits() {
		t.Error("a pod of another may be placed there before it has ended")
	}
	step(2350, 4000, "Pending 4000-5000 [n1]")
	if r := w.filter.Bookings()[0]; r.EndedEarly != 2000 {
		t.Errorf("the window that began at %d was ended early, want 2000", r.EndedEarly)
	}
	if v := w.FilterTask(waits, n, false); v.Admits() || v.Domain.Least != 4000 {
		t.Errorf("a pod that would run into the next window gets %v", v)
	}
	w.pod("ml", "late", "n1", 0)
	step(2400, 4000, "Pending 4000-5000 [n1]")
	step(2300, 3000, "Active 2000-3000 [n1]") // the clock goes back, and a pod of the owner is there
	w.tell(model.KindPod, "ml", "late", nil)
	step(2310, 2410, "Active 2000-3000 [n1]")
	step(2410, 4000, "Pending 4000-5000 [n1]")

	w.Rounds.Drop("booking demo")
	step(2500, 2600, "Active 2000-3000 [n1]") // nothing is remembered, and its status says nothing
	w.book("demo", 0, 0, idle, twice, func(b *model.Booking) { b.Purged = 2000 })
	step(2510, 4000, "Pending 4000-5000 [n1]")
	w.book("demo", 0, 0, twice, func(b *model.Booking) { b.Purged = 2000 }) // it does not end early any more
	step(2520, 3000, "Active 2000-3000 [n1]")
	if len(w.Rounds.All()) != 0 {
		t.Errorf("of a booking that does not end early %v is remembered", w.Rounds.All())
	}
	w.book("demo", 0, 0, idle, twice, func(b *model.Booking) { b.UID = "again" })
	step(2530, 2630, "Active 2000-3000 [n1]")
	w.noBooking("demo")
	w.at(2540)
	if len(w.Rounds.All()) != 0 {
		t.Errorf("of a booking that is gone %v is remembered", w.Rounds.All())
	}
}
