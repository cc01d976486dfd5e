package booking_test

import (
	"fmt"
	"testing"

	"ashlar.sh/sched/model"
)

// BenchmarkManyBookings is what 100 bookings of 50 of 5 000 nodes each, in their windows, cost: a cycle in which
// nothing changed, finding all their nodes anew, and how they stand.
func BenchmarkManyBookings(b *testing.B) {
	w := newWorld(b)
	for i := range 5000 {
		w.node(fmt.Sprintf("node-%04d", i), "a")
		w.pod("web", fmt.Sprintf("p%d", i), fmt.Sprintf("node-%04d", i), 0)
	}
	for i := range 100 {
		w.book(fmt.Sprintf("b%02d", i), 1000, 9000, counting(50), made(int64(i)),
			func(b *model.Booking) { b.PurgeAfter = 5000 })
	}
	w.at(2000)
	for name, do := range map[string]func(i int){
		"idle":  func(int) { w.at(2000) },
		"place": func(i int) { w.node("node-0000", "a", []func(*model.Node){cordoned, failed}[i%2]); w.at(2000) },
		"stand": func(int) { w.filter.Bookings() },
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				do(i)
			}
		})
	}
}
